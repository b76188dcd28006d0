"""Cautions: what a careful analyst would notice about a result."""

from __future__ import annotations

from dataclasses import dataclass

from thresher._internal.results import Result


@dataclass(frozen=True, slots=True, repr=False)
class Caution(Result):
    """A remark on a result, with a code that the documentation explains.

    >>> print(Caution("all-negative", "calling nothing positive is cheapest"))
    all-negative: calling nothing positive is cheapest
    """

    code: str
    text: str

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise KeyError(f"{self.code!r} is not one of thresher's caution codes")

    def to_dict(self) -> dict[str, str]:
        """Plain data."""
        return {"code": self.code, "text": self.text}

    def __str__(self) -> str:
        return f"{self.code}: {self.text}"


EXTREME = 100.0  # times that one class is as frequent as the other


def extreme_class_ratio(Pos: float, Neg: float) -> tuple[Caution, ...]:
    """Warn that one class is far more frequent, and say which curve to read."""
    if max(Pos, Neg) < EXTREME * min(Pos, Neg):
        return ()
    frequent, rare = (Neg, Pos) if Neg > Pos else (Pos, Neg)
    what = f"one class is {frequent / rare:,.0f} times as frequent as the other"
    curve = "read precision and recall: a low false positive rate may hide many false alarms"
    if rare == Neg:
        curve = "read the false positive rate: a high precision may hide that most negatives are called positive"
    return (Caution("extreme-class-ratio", f"{what}; {curve}"),)


CODES: dict[str, str] = {
    "psi-depends-on-size": "The population stability index grows as samples shrink, so a fixed limit alarms by size.",
    "all-negative": "The best rule calls nothing positive: the scores cannot pay for a single false alarm here.",
    "all-positive": "The best rule calls everything positive: the scores cannot pay for a single miss here.",
    "class-ratio-from-data": "No class ratio was declared, so the one in the data stands for deployment.",
    "class-mix-from-data": "No class mix was declared, so the one in the data stands for deployment.",
    "equal-costs": "No costs were given, so a miss is taken to cost as much as a false alarm.",
    "unseen-error": "A costly error did not occur in the data, and may cost more than any limit from them shows.",
    "beaten-by-constant": "Calling every case the same costs less than what was chosen.",
    "dominated-action": "An action is nowhere cheaper than another one, so that no probabilities make it the best.",
    "right-costs-more": "Calling a class what it is costs more than calling it something else.",
    "reordered": "Smoothing changed the order of segments, so the ranking and its AUC change too.",
    "infinite-log-odds": "Probabilities of exactly 0 or 1 have infinite log-odds.",
    "certain-and-wrong": "Cases were given probability 0 or 1 and turned out otherwise, so the log loss is infinite.",
    "clipped": "Probabilities were moved away from 0 and 1 on request, and the log loss depends on how far.",
    "distinct-scores": "Every case has its own score, so over exact segments all of the loss is calibration loss.",
    "distinct-vectors": "Every case has its own vector, so over exact segments all of the loss is calibration loss.",
    "separable": "The probabilities separate the classes, so that no finite weights are best and a fit is held back.",
    "no-class-possible": "Maps of each class against the rest give some rows probability 0 for every class.",
    "not-rising": "The calibration map does not rise with the score, so it reorders or ties cases and changes the AUC.",
    "few-positives": "There are few positives, so every number about them is uncertain.",
    "few-negatives": "There are few negatives, so every number about them is uncertain.",
    "few-cases-of-class": "A class has few cases, so numbers about it and averages over classes are uncertain.",
    "few-carry-auc": "Few cases carry the variance of the AUC, so that its limits may be too narrow.",
    "few-clusters": "There are few clusters, and only clusters count as independent.",
    "extreme-class-ratio": "One class is at least a hundred times as frequent as the other.",
    "auc-below-half": "Positives score lower than negatives: perhaps the labels or the scores are turned round.",
    "one-score": "Every case has the same score, so the model ranks nothing.",
    "ties-from-float32": "Scores in single or half precision tie where a double would not.",
    "not-probabilities": "Scores lie outside [0, 1], so questions about calibration are left out.",
    "predictions-disagree": "The predictions given do not follow from any threshold on the scores.",
    "predictions-not-likeliest": "Predictions given are not the class to which the probabilities give most.",
    "tied-models": "Several models are equally good, and only the order in which they were given tells them apart.",
    "tied-actions": "Two actions have the same least expected cost, and the first of them is taken.",
    "class-never-called": "A model never calls a class, so its precision there, and the average, are undefined.",
    "pooled-labels": "Labels that are not among the classes were counted as one of them.",
    "call-against-probability": "Calls go against their probabilities: the map is not the threshold's own.",
    "calibrated-on-same-rows": "The calibration map was fitted on the rows it is judged by.",
    "unresolved": "Ranges of scores were counted, so numbers are approximate; functions of bounds say how far.",
    "counts-only": "Only counts left the table that was scanned, so what needs rows is left out.",
    "pooled-folds": "Scores of models fitted on different folds stand in one ranking, as if they shared one scale.",
    "winner-uncertain": "More than one model may be the best, at the level of the intervals.",
    "no-better-than-nothing": "The decision is not shown to be cheaper than calling nothing, or everything, positive.",
    "duplicate-rows-across-splits": "Equal rows stand in more than one part, so a test row was seen in training.",
    "duplicate-rows": "Rows equal an earlier one in every column, though columns could hold many more different rows.",
    "unrepresentative-test": "Columns of the test rows differ from deployment, so results may not hold there.",
    "overfitting": "The model does far better on the rows it learnt from than on others.",
    "few-rows-per-parameter": "There are fewer than ten training rows for each number that the model sets by them.",
    "feature-equals-target": "A column is the target in another spelling.",
    "feature-determines-target": "Each value of a column, or its gaps, go with one class of the target only.",
    "near-perfect-feature": "A single column ranks the target nearly perfectly, which is rarely so on unseen rows.",
    "identifier-column": "A column has a value of its own in every row, so nothing in it holds for other rows.",
    "groups-across-splits": "Rows that belong together stand in more than one part.",
    "partial-labels": "A promise needs labels of rows that raise no alarm, and none are drawn to be labelled.",
    "young-cohorts": "Rows are younger than labels take to come, and are not judged yet.",
    "delay-tells-class": "Labels of one class come later, so that young cohorts look better or worse than they are.",
    "review-not-drawn": "Old alarms have no label, and those that have one were not drawn from all.",
    "acted-upon": "Hardly any old alarm has a label: perhaps alarms are acted upon, so that none can be seen.",
    "clustered-rows": "Rows belong together, and promises other than precision count each of them.",
    "weekly-season": "A promised share is another one on some weekdays, and each day is judged by itself.",
    "few-labels": "There are too few labels to say how long they take.",
    "label-shift-refuted": "No mix of the reference's classes has the scores of today.",
    "label-before-score": "Labels that waited for their row are older than it, and are left out.",
    "silence-is-negative": "Rows that have no label by some age are counted as negative, as was declared.",
    "propensity-after-label": "Rows of another system's draw were recorded after their label had come.",
    "scores-of-another-model": "All scores of a period lie outside those of the watch's reference.",
    "reference-was-trained-on": "From the first periods on, labels follow the score less than in the reference.",
    "reference-disagrees": "The decision costs more or less on the watch's reference than it was to cost.",
    "reference-not-split": "The decision's threshold does not split the scores of its reference.",
    "no-curve": "These rows are too few, or too uneven, to draw how the model learns from fewer rows or features.",
}
