"""Cohorts that could have come in any order rarely gather evidence, others soon do."""

import numpy as np
import pytest
from scipy.integrate import quad

from thresher.errors import ThresherError
from thresher.inference import exchangeability
from thresher.inference.anytime.exchangeability import _log_worth


def test_evidence_under_exchangeability_and_without():
    rng = np.random.default_rng(1)
    share = np.array([0.4, 0.3, 0.2, 0.1])
    most = [exchangeability(rng.multinomial(40, share, 12), replicates=199, seed=i).log_path.max() for i in range(150)]
    assert np.mean(np.array(most) >= np.log(20)) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 150)
    drop = np.concatenate([rng.multinomial(40, share, 8), rng.multinomial(40, share[::-1], 4)])
    assert exchangeability(drop).evidence > 20


def test_p_values_are_uniform_and_worth_one_on_average():
    rng = np.random.default_rng(2)
    p = [exchangeability(rng.multinomial(30, [0.5, 0.3, 0.2], 2), replicates=99, seed=i).p_value[1] for i in range(800)]
    assert np.abs(np.histogram(p, 10, (0, 1))[0] - 80).max() < 35
    assert quad(lambda x: np.exp(_log_worth(x)), 1e-12, 1, limit=500)[0] == pytest.approx(1, abs=0.05)


def test_empty_cohorts_tell_nothing():
    assert exchangeability([[0, 0], [5, 5], [0, 0]]).evidence == 1
    with pytest.raises(ThresherError, match="whole numbers"):
        exchangeability([[0.5, 1]])
