import pickle

import numpy as np
import pandas as pd
import pytest

import thresher as th
from thresher.learning import DateParts


def test_parts_of_days():
    fitted = DateParts().set_output(transform="pandas").fit({"sold": ["2024-02-29", None, "2023-12-31"]})
    found = fitted.transform({"sold": ["2024-02-29", None]})
    assert list(found.columns) == [f"sold: {part}" for part in ("year", "month", "day", "weekday", "days")]
    assert found.iloc[0].tolist() == [2024, 2, 29, 3, 60]
    assert found.iloc[1].isna().all()


def test_hours_only_where_training_rows_have_them():
    times = pd.DataFrame(
        {"at": pd.to_datetime(["2024-01-01 13:30", "2024-01-02 00:00"]), "on": pd.to_datetime(["2024-01-01"] * 2)}
    )
    found = DateParts().set_output(transform="pandas").fit_transform(times)
    assert found["at: hour"].tolist() == [13, 0]
    assert "on: hour" not in found
    assert found["at: days"].tolist() == [0, pytest.approx(10.5 / 24)]


def test_zones_are_read_in_utc():
    table = pd.DataFrame({"at": pd.to_datetime(["2024-01-01 00:30"]).tz_localize("Europe/Oslo")})
    assert DateParts().set_output(transform="pandas").fit_transform(table)["at: year"].tolist() == [2023]


def test_what_is_no_date_is_refused():
    with pytest.raises(
        th.ColumnError, match=r"1 of 2 values of column 'a' are no ISO date \(first '1/2/2024' at row 1\)"
    ):
        DateParts().fit({"a": ["2024-01-01", "1/2/2024"]})


def test_a_column_without_dates_in_a_fold_stays_missing():
    fitted = DateParts().fit(pd.DataFrame({"a": pd.to_datetime([None, None])}))
    assert np.isnan(fitted.transform(pd.DataFrame({"a": pd.to_datetime(["2024-01-01"])}))[0, -1])
    assert pickle.loads(pickle.dumps(fitted)).first_ == fitted.first_  # noqa: S301
