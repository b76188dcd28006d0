"""Archives in skops format without what differs from run to run, so that the same model gives the same bytes."""

from __future__ import annotations

import io
import json
from itertools import count
from pathlib import PurePath
from typing import Any
from zipfile import ZipFile, ZipInfo

SCHEMA = "schema.json"
# Where its stop words lay in memory when a vectoriser last looked at them; without it, it looks again.
_ADDRESS, _BESIDE = "_stop_words_id", "stop_words"
_NO_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that the format of archives can say


def steady(archive: bytes) -> bytes:
    """The same model with objects and files numbered as they come, and without the time of writing.

    skops names objects by where they lay in memory, files by that or at random, and dates every file.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skops.io import dumps
    >>> one, other = (steady(dumps(GaussianNB().fit([[0], [1]], [0, 1]))) for _ in range(2))
    >>> one == other
    True
    """
    with ZipFile(io.BytesIO(archive)) as given:
        files = {name: given.read(name) for name in given.namelist()}
    numbering = _Numbering(files)
    schema = numbering.renamed(json.loads(files[SCHEMA]))
    made = io.BytesIO()
    with ZipFile(made, "w") as whole:
        for name, new in numbering.names.items():
            whole.writestr(ZipInfo(new, _NO_TIME), files[name])
        whole.writestr(ZipInfo(SCHEMA, _NO_TIME), json.dumps(schema, indent=2))
    return made.getvalue()


class _Numbering:
    """Numbers for objects and names for files, given in the order in which a schema mentions them."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.objects: dict[int, int] = {}
        self.names: dict[str, str] = {}
        self.fresh = count()

    def renamed(self, node: Any) -> Any:
        if isinstance(node, list):
            return [self.renamed(item) for item in node]
        if not isinstance(node, dict):
            return node
        forgotten = _ADDRESS if _BESIDE in node else None
        return {key: self._value(key, value) for key, value in node.items() if key != forgotten}

    def _value(self, key: str, value: Any) -> Any:
        # What a model holds under such a key of its own is a node, neither a number nor the name of a file.
        if key == "__id__" and isinstance(value, int):
            return self.objects.setdefault(value, len(self.objects))
        if key == "file" and isinstance(value, str) and value in self.files:
            if value not in self.names:
                self.names[value] = f"{next(self.fresh)}{PurePath(value).suffix}"
            return self.names[value]
        return self.renamed(value)
