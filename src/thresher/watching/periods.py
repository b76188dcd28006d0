"""Times as microseconds of UTC, and the period that each falls into."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal, TypeAlias, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from thresher._internal.arguments import require_one_of, short_repr
from thresher.errors import ArgumentError, MissingValueError, SourceError, argument
from thresher.inputs.arrow import is_arrow, plain_numbers
from thresher.inputs.columns import is_absent, is_missing
from thresher.ranking import Counts

Period: TypeAlias = Literal["hour", "day", "week", "month"]

SECOND = 1_000_000  # in microseconds, as all times of a store
HOUR, DAY = 3600 * SECOND, 86_400 * SECOND
WEEK = 7 * DAY
_STEP = 900 * SECOND  # offsets of zones change at quarters of an hour only
_MONDAY = 3  # the first Monday after 1 January 1970 is its fifth day
_LONGEST = 36_525 * DAY  # of a duration: a century, before which there were no rows to watch
_UNITS = {"min": 60 * SECOND, "h": HOUR, "d": DAY, "w": WEEK}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(min|h|d|w)\s*")
_DATES = tuple((datetime(year, 1, 1, tzinfo=UTC) - _EPOCH) // timedelta(seconds=1) for year in (2, 9999))
_FIX = 'give moments such as "2026-11-18T09:30:00Z", or a column of timestamps'


def microseconds(moment: datetime) -> int:
    """A moment as microseconds of UTC since 1970.

    >>> microseconds(datetime(1970, 1, 2, tzinfo=UTC))
    86400000000
    """
    return (moment - _EPOCH) // timedelta(microseconds=1)


def moment(value: int) -> datetime:
    """The moment that `microseconds` gave."""
    return _EPOCH + timedelta(microseconds=value)


def moment_text(value: int) -> str:
    """A moment in ISO 8601, UTC.

    >>> moment_text(86400000000)
    '1970-01-02T00:00:00Z'
    """
    return moment(value).isoformat().replace("+00:00", "Z")


def duration(text: str, *, name: str) -> int:
    """Microseconds of a duration such as "45d".

    >>> duration("36h", name="matures") == duration("1.5d", name="matures")
    True
    """
    match = _DURATION.fullmatch(str(text))
    if match is None:
        what = f"{argument(name)} must be a duration, got {short_repr(text)}"
        raise ArgumentError(what, f"give e.g. {argument(name, '45d')}; units are min, h, d and w", parameter=name)
    long = float(match[1]) * _UNITS[match[2]]
    if long > _LONGEST:
        what = f"{argument(name)} must be a hundred years at most, got {short_repr(text)}"
        raise ArgumentError(what, f"give e.g. {argument(name, '45d')}", parameter=name)
    return round(long)


def zone_of(name: str | None) -> ZoneInfo | None:
    """The time zone of a name such as Europe/Amsterdam."""
    if name is None:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, TypeError, OSError):
        what = f"no time zone is called {short_repr(name)}"
        raise ArgumentError(
            what, f"give e.g. {argument('zone', 'Europe/Amsterdam')}, or leave it out for UTC", parameter="zone"
        ) from None


def require_period(period: str) -> None:
    """Refuse what is no period."""
    require_one_of(period, get_args(Period), name="period", fix='give e.g. period="day"')


def period_numbers(times: Counts, period: str, zone: ZoneInfo | None) -> Counts:
    """The number of the period that each time falls into, by the clock of a zone.

    A day of 23 or 25 hours is one day; hours are those of UTC.

    >>> at = np.array([microseconds(datetime(2026, 3, 29, 21, 59, tzinfo=UTC)), 0])
    >>> period_numbers(at, "day", zone_of("Europe/Amsterdam")), period_numbers(at, "month", None)
    (array([20541,     0]), array([674,   0]))
    """
    if period == "hour":
        return times // HOUR
    local = times + _offsets(times, zone)
    days = local // DAY
    if period == "day":
        return days
    if period == "week":
        return (days + _MONDAY) // 7
    months: Counts = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    return months


def period_start(number: int, period: str, zone: ZoneInfo | None) -> int:
    """The moment at which a period begins.

    >>> moment_text(period_start(20541, "day", zone_of("Europe/Amsterdam")))
    '2026-03-28T23:00:00Z'
    """
    if period == "hour":
        return number * HOUR
    if period == "month":
        first = date(1970 + number // 12, number % 12 + 1, 1)
    else:
        first = date(1970, 1, 1) + timedelta(days=number if period == "day" else number * 7 - _MONDAY)
    return microseconds(datetime(first.year, first.month, first.day, tzinfo=zone or UTC))


def period_text(number: int, period: str) -> str:
    """The name of a period: 2026-11-18, 2026-11 or 2026-11-18T09.

    >>> period_text(20541, "day"), period_text(674, "month"), period_text(0, "week")
    ('2026-03-29', '2026-03', '1969-12-29')
    """
    if period == "hour":
        return moment(number * HOUR).strftime("%Y-%m-%dT%H")
    first = moment(period_start(number, period, None))
    return first.strftime("%Y-%m" if period == "month" else "%Y-%m-%d")


def _offsets(times: Counts, zone: ZoneInfo | None) -> Counts | int:
    if zone is None or not times.size:
        return 0
    steps, at = np.unique(times // _STEP, return_inverse=True)
    local = [moment(step * _STEP).astimezone(zone) for step in steps.tolist()]
    offsets = [(each.utcoffset() or timedelta()) // timedelta(microseconds=1) for each in local]
    return np.array(offsets, dtype=np.int64)[at]


def times_of(values: Any, *, name: str, zoned: bool) -> Counts:
    """A column of times as microseconds of UTC.

    Times without a zone are UTC, unless a zone was declared (`zoned`): then they are refused.
    """
    if is_arrow(values):
        return _arrow_times(values, name=name, zoned=zoned)
    if values.dtype.kind == "M":
        if (absent := is_missing(values)) is not None:
            raise _missing(int(absent.sum()), values.size, name)
        _require_zone(name, zoned=zoned)
        _require_dates(values.astype("datetime64[s]").astype(np.int64), name)
        return values.astype("datetime64[us]").astype(np.int64)
    if values.dtype.kind not in "OUT":
        raise _no_time(values[0] if values.size else values.dtype, name)
    return _python_times(values.tolist(), name=name, zoned=zoned)


def _arrow_times(values: Any, *, name: str, zoned: bool) -> Counts:
    import pyarrow as pa

    kind = values.type
    if values.null_count:
        raise _missing(values.null_count, len(values), name)
    if pa.types.is_dictionary(kind):
        return _arrow_times(values.cast(kind.value_type), name=name, zoned=zoned)
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        if pa.types.is_date(kind) or kind.tz is None:
            _require_zone(name, zoned=zoned)
        seconds, plain = (
            plain_numbers(values.cast(pa.timestamp(unit, getattr(kind, "tz", None)), safe=False).cast(pa.int64()))
            for unit in ("s", "us")
        )
        _require_dates(seconds, name)
        return plain
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        for zone in ("UTC", None):
            try:
                parsed = values.cast(pa.timestamp("us", zone))
            except pa.ArrowInvalid:
                continue
            if zone is None:
                _require_zone(name, zoned=zoned)
            plain = plain_numbers(parsed.cast(pa.int64()))
            _require_dates(plain // SECOND, name)
            return plain
        return _python_times(values.to_pylist(), name=name, zoned=zoned)
    raise _no_time(values[0].as_py() if len(values) else kind, name)


def _python_times(values: Iterable[Any], *, name: str, zoned: bool) -> Counts:
    parsed: dict[Any, int] = {}
    listed = list(values)
    for value in set(listed):
        if is_absent(value) or value == "":
            raise _missing(sum(one is value or one == value for one in listed), len(listed), name)
        parsed[value] = _parse(value, name=name, zoned=zoned)
    return np.array([parsed[value] for value in listed], dtype=np.int64)


def _parse(value: Any, *, name: str, zoned: bool) -> int:
    at = value
    if isinstance(value, str):
        try:
            at = datetime.fromisoformat(value.strip())
        except ValueError:
            raise _no_time(value, name) from None
    if isinstance(at, np.datetime64):
        at = at.astype("datetime64[us]").item()
    if isinstance(at, date) and not isinstance(at, datetime):
        at = datetime(at.year, at.month, at.day)  # noqa: DTZ001 - without a zone, as it came
    if not isinstance(at, datetime):
        raise _no_time(value, name)
    if at.tzinfo is None:
        _require_zone(name, zoned=zoned)
        at = at.replace(tzinfo=UTC)
    _require_dates(np.array([microseconds(at) // SECOND]), name)
    return microseconds(at)


def single_time(value: Any, *, name: str) -> int:
    """One moment as microseconds of UTC."""
    try:
        return int(_python_times([value], name=name, zoned=False)[0])
    except (SourceError, MissingValueError, TypeError):  # the last of what cannot be hashed
        fix = 'give e.g. "2026-11-18T09:30:00Z"'
        raise ArgumentError(f"{argument(name)} is no time: {short_repr(value)}", fix, parameter=name) from None


def _require_zone(name: str, *, zoned: bool) -> None:
    if zoned:
        what = f"times in column {name!r} have no zone, and this watch declares one"
        raise SourceError(what, 'write them with their offset, as in "2026-11-18T09:30:00+01:00"')


def _require_dates(seconds: Counts, name: str) -> None:
    """Refuse times of years that calendars of some zone do not have."""
    if bool(((seconds < _DATES[0]) | (seconds > _DATES[1])).any()):
        raise SourceError(f"times in column {name!r} lie outside the years 2 to 9998", _FIX)


def _no_time(value: Any, name: str) -> SourceError:
    return SourceError(f"{short_repr(value)} in column {name!r} is no time", _FIX)


def _missing(count: int, rows: int, name: str) -> MissingValueError:
    what = f"{count:,} of {rows:,} times in column {name!r} are missing, and they are never guessed"
    return MissingValueError(what, "fill them, or leave those rows out")
