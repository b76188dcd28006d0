"""What a column of texts is, learned batch by batch: the same that `typed` says of all its rows at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.errors import ScoreError
from thresher.inputs.arrow import numpy_column
from thresher.ranking import Indices
from thresher.sources.texts import TRUTH, coded, exact_floats, without_absent


class TextKind:
    """Takes batches of texts with `see`; then `type` is their Arrow type, and `converted` turns texts into it.

    >>> import pyarrow as pa
    >>> kind = TextKind("p")
    >>> kind.see(pa.array(["1", "NA"]))
    >>> kind.see(pa.array(["0.5"]))
    >>> kind.type, kind.converted(pa.array(["1", "NA"])).to_pylist()
    (DataType(double), [1.0, None])
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._there = False
        self._truth = True
        self._plain = _Numbers()
        self._kept = _Numbers()  # without what is missing, and without blanks around
        self._unfit = 0
        self._first_unfit = ""
        self._rows = 0

    def see(self, texts: Any) -> None:
        """Take a batch of texts into account."""
        self._rows += len(texts)
        if texts.null_count == len(texts):
            return
        self._there = True
        if not (self._truth or self._plain.possible or self._kept.possible):
            return  # words, whatever comes
        plain = _Batch(texts)
        kept = plain if plain.complete else _Batch(without_absent(texts))
        self._plain.see(plain)
        self._kept.see(kept)
        self._truth = self._truth and _all_truth(kept.texts)
        if "double" in self._kept.possible:
            self._count_unfit(kept)

    @property
    def type(self) -> Any:
        """The Arrow type that holds every entry; of nulls when there is none."""
        import pyarrow as pa

        if not self._there:
            return pa.null()
        if (found := self._plain.found) is not None:
            return found
        if not self._kept.there:
            return pa.string()
        return pa.bool_() if self._truth else self._kept.found or pa.string()

    def converted(self, texts: Any) -> Any:
        """Texts that were seen, as this type."""
        import pyarrow as pa
        import pyarrow.compute as pc

        kind = self.type
        if pa.types.is_string(kind):
            return texts
        if self._plain.found is not None:
            return texts.cast(kind)
        kept = without_absent(texts)
        return pc.equal(pc.utf8_lower(kept), "true") if pa.types.is_boolean(kind) else kept.cast(kind)

    def refusal(self) -> ScoreError | None:
        """The error that using the column raises, where numbers would be changed by becoming floats."""
        if str(self.type) != "double" or not self._unfit:
            return None
        return unfit_entries(self.name, self._unfit, self._rows, self._first_unfit)

    def _count_unfit(self, kept: _Batch) -> None:
        changed = _changed_by_float64(kept, self.name)
        if changed.size and not self._unfit:
            self._first_unfit = str(kept.texts[int(changed[0])].as_py())
        self._unfit += changed.size


def unfit_entries(name: str, count: int, rows: int, first: str) -> ScoreError:
    """The error for numbers that a float64 would change.

    >>> unfit_entries("p", 1, 3, "1e400").what
    "1 of 3 entries of 'p' do not fit a float64 exactly, first 1e400"
    """
    return ScoreError(
        f"{count:,} of {rows:,} entries of {name!r} do not fit a float64 exactly, first {first[:40]}",
        fix="subtract an offset so that they do, or round them yourself",
    )


class _Batch:
    """Texts, and the numbers they are, worked out once for each type."""

    def __init__(self, texts: Any) -> None:
        self.texts = texts
        self._numbers: dict[str, Any] = {}

    def numbers(self, kind: str) -> Any:
        """The texts as numbers of a type; None where one is not."""
        import pyarrow as pa

        if kind not in self._numbers:
            try:
                self._numbers[kind] = self.texts.cast(kind)
            except pa.ArrowInvalid:
                self._numbers[kind] = None
        return self._numbers[kind]

    @property
    def complete(self) -> bool:
        """Whether all are numbers as they stand, so that none has blanks around it or says that it is missing."""
        import pyarrow.compute as pc

        floats = self.numbers("double")
        return floats is not None and not pc.any(pc.is_nan(floats)).as_py()


class _Numbers:
    """Which types of numbers hold all texts so far."""

    def __init__(self) -> None:
        self.there = False
        self.possible = ["int64", "uint64", "double"]
        self._coded = False

    def see(self, batch: _Batch) -> None:
        if batch.texts.null_count == len(batch.texts):
            return
        self.there = True
        self.possible = [kind for kind in self.possible if batch.numbers(kind) is not None]
        if self.possible and self.possible != ["double"]:
            self._coded = self._coded or coded(batch.texts)

    @property
    def found(self) -> Any:
        """The first type that holds all; None where none does, or whole numbers are codes such as 01."""
        import pyarrow as pa

        if not self.there or not self.possible or (self._coded and self.possible[0] != "double"):
            return None
        return pa.type_for_alias(self.possible[0])


def _all_truth(kept: Any) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    there = pc.utf8_lower(kept.drop_null())
    return bool(pc.all(pc.is_in(there, value_set=pa.array(TRUTH, there.type)), min_count=0).as_py())


def _changed_by_float64(batch: _Batch, name: str) -> Indices:
    """Which numbers a float64 would change."""
    floats = numpy_column(batch.numbers("double"), name=name)
    large = np.flatnonzero(np.abs(floats) >= 2**53)
    if not large.size:
        return large
    whole = batch.numbers("int64")
    if whole is not None:  # identifiers, which may be in every row
        whole = whole.take(large)
        kept = whole.cast("double", safe=False).cast("int64", safe=False)
        return large[np.asarray(kept) != np.asarray(whole)]
    exact = exact_floats(floats[large], batch.texts.take(large)).tolist()
    return large[[one != near for one, near in zip(exact, floats[large].tolist(), strict=True)]]
