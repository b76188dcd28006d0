"""Worked examples on features: scatter, J, Dinkelbach's steps and principal components, worked out by hand.

Source: the definitions in the section "Features" of the worked examples (S_W and S_B with divisor N,
J = trace(S_B)/trace(S_W), take the d largest b - λw and update λ). The tables are small enough to be followed
on paper, so values are exact.
"""

from __future__ import annotations

# Two classes of two rows, two features. Means (2, 0) and (8, ½) around (5, ¼).
ROWS = [[1.0, 0.0], [3.0, 0.0], [8.0, 0.0], [8.0, 1.0]]
LABELS = ["a", "a", "b", "b"]
WITHIN = [[0.5, 0.0], [0.0, 0.125]]
BETWEEN = [[9.0, 0.75], [0.75, 0.0625]]
TOTAL = [[9.5, 0.75], [0.75, 0.1875]]
J = 14.5
# With S_W diagonal: 9/0.5 + 0.0625/0.125.
HOTELLING_LAWLEY = 18.5

# Per-feature terms b and w (scores 2, 1.5, 1.2 and a constant): by d the best subset, and J after each step.
# For d = 2, from {0, 1} with λ = (2 + 3)/(1 + 2) = 5/3 the terms b - λw are 1/3, -1/3, -14/3 and 0: take {0, 3}.
TERMS_B, TERMS_W = [2.0, 3.0, 12.0, 0.0], [1.0, 2.0, 10.0, 0.0]
EXACT = {1: ([0], [2.0]), 2: ([0, 3], [5 / 3, 2.0]), 3: ([0, 1, 3], [17 / 13, 5 / 3])}

# Four points on a cross turned by 45 degrees: variances 16/3 and 4/3 along (1, 1) and (1, -1).
CROSS = [[2.0, 2.0], [-2.0, -2.0], [1.0, -1.0], [-1.0, 1.0]]
CROSS_VARIANCES = [16 / 3, 4 / 3]
CROSS_RATIOS = [0.8, 0.2]
