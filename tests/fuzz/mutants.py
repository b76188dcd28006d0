"""Files gone wrong, made by structure: fields and nodes, arrays, archives, bytes."""

from __future__ import annotations

import copy
import io
import json
import random
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Path_ = tuple[str | int, ...]
# Texts of JSON that no reader may stumble over.
VALUES = {
    "null": "null",
    "true": "true",
    "zero": "0",
    "minus one": "-1",
    "half": "0.5",
    "two": "2",
    "large": "9007199254740993",
    "beyond int64": "18446744073709551616",
    "beyond float": "1" + "0" * 400,
    "infinite": "1e400",
    "minus infinite": "-1e400",
    "tiny": "1e-320",
    "NaN": "NaN",
    "Infinity": "Infinity",
    "5,000 digits": "1" * 5000,
    "text": '"spam"',
    "infinity as text": '"inf"',
    "empty text": '""',
    "control characters": '"\\u0000\\u001b[31m\\ud800"',
    "long text": '"' + "x" * 100_000 + '"',
    "empty list": "[]",
    "list of null": "[null]",
    "list of lists": "[[1], [2]]",
    "empty object": "{}",
    "object": '{"__proto__": 1}',
    "deep list": "[" * 5000 + "]" * 5000,
    "deep object": '{"a":' * 5000 + "1" + "}" * 5000,
}
_MARK = "\ue000"


def paths(value: Any, before: Path_ = ()) -> Iterator[Path_]:
    """Every place in a JSON value; of long lists the ends."""
    yield before
    if isinstance(value, dict):
        for key in value:
            yield from paths(value[key], (*before, key))
    elif isinstance(value, list):
        for place in sorted({0, len(value) - 1} if value else ()):
            yield from paths(value[place], (*before, place))


def at(value: Any, path: Path_) -> Any:
    """The part of a value at a place."""
    for key in path:
        value = value[key]
    return value


def changed(value: Any, path: Path_, change: Callable[[Any, Any], None]) -> Any:
    """A copy, with `change(container, key)` done at a place."""
    result = copy.deepcopy(value)
    change(at(result, path[:-1]), path[-1])
    return result


def document_mutants(text: str) -> Iterator[tuple[str, str]]:
    """A JSON document with every field removed, doubled, repeated and replaced; (name, text)."""
    document = json.loads(text)
    for path in paths(document):
        if not path:
            yield from ((f"whole: {name}", other) for name, other in VALUES.items())
            continue
        shown = ".".join(map(str, path))
        for name, other in VALUES.items():
            marked = json.dumps(changed(document, path, lambda part, key: part.__setitem__(key, _MARK)))
            yield f"{shown}: {name}", marked.replace(json.dumps(_MARK), other)
        yield f"{shown}: removed", json.dumps(changed(document, path, lambda part, key: part.__delitem__(key)))
        if isinstance(path[-1], str):
            twice = changed(document, path, lambda part, key: part.__setitem__(_MARK, part[key]))
            yield f"{shown}: doubled", json.dumps(twice).replace(json.dumps(_MARK), json.dumps(path[-1]))
            renamed = changed(document, path, lambda part, key: part.__setitem__(f"{key} ", part.pop(key)))
            yield f"{shown}: renamed", json.dumps(renamed)
        else:
            repeated = changed(document, path, lambda part, key: part.append(part[key]))
            yield f"{shown}: repeated", json.dumps(repeated)
            yield f"{shown}: reversed", json.dumps(changed(document, path, lambda part, _: part.reverse()))


def byte_mutants(content: bytes, rng: random.Random, count: int) -> Iterator[tuple[str, bytes]]:
    """Bytes cut off, flipped, doubled and overwritten."""
    yield "empty", b""
    yield "another magic", b"\x89PNG" + content[4:]
    yield "appended", content + b"\0" * 64
    for _ in range(count):
        place = rng.randrange(len(content))
        yield f"cut at {place}", content[:place]
        flipped = bytearray(content)
        flipped[place] ^= 1 << rng.randrange(8)
        yield f"flipped at {place}", bytes(flipped)
        yield f"overwritten at {place}", content[:place] + b"\xff" * 8 + content[place + 8 :]
        yield f"doubled at {place}", content[:place] + content[place : place + 99] + content[place:]


def zip_of(files: dict[str, bytes], *, compression: int = zipfile.ZIP_STORED) -> bytes:
    """An archive."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", compression) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def model_mutants(content: bytes, rng: random.Random, count: int) -> Iterator[tuple[str, bytes]]:
    """An archive of skops with nodes, arrays and files gone wrong; `count` of each kind."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    schema = json.loads(files["schema.json"])
    yield "untouched", content
    yield "compressed", zip_of(files, compression=zipfile.ZIP_DEFLATED)
    yield "without schema", zip_of({name: part for name, part in files.items() if name != "schema.json"})
    yield "bomb", zip_of(files | {"bomb": b"\0" * (1 << 20)}, compression=zipfile.ZIP_BZIP2)
    nodes = [
        path for path in all_paths(schema) if isinstance(at(schema, path), dict) and "__loader__" in at(schema, path)
    ]
    for path in rng.choices(nodes[1:], k=count):
        other = at(schema, rng.choice(nodes))
        for name, change in _node_changes(other, rng).items():
            try:
                mutant = changed(schema, path, change)
            except (KeyError, IndexError, TypeError, AttributeError):
                continue  # a change of something that this node has not
            yield f"{_shown(schema, path)}: {name}", zip_of(files | {"schema.json": _json(mutant)})
    arrays = [name for name in files if name.endswith(".npy")]
    for name in rng.choices(arrays, k=count):
        for what, array in _array_changes(files[name], rng):
            yield f"{name}: {what}", zip_of(files | {name: array})
    for what, mutant in byte_mutants(content, rng, count // 2):
        yield what, mutant


def all_paths(value: Any, before: Path_ = ()) -> Iterator[Path_]:
    """Every place in a JSON value."""
    yield before
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from all_paths(part, (*before, key))


def _node_changes(other: Any, rng: random.Random) -> dict[str, Callable[[Any, Any], None]]:
    value = rng.choice(list(VALUES.values()))
    classes = (
        "bool",
        "int",
        "Pipeline",
        "Tree",
        "list",
        "KDTree",
        "SVC",
        "Neighbours",
        "DecisionTreeClassifier",
        "named_category",
    )
    loaders = (
        "ObjectNode",
        "TreeNode",
        "ListNode",
        "TypeNode",
        "FunctionNode",
        "ConstructorFromReduceNode",
        "CachedNode",
    )
    return {
        "removed": lambda part, key: part.__delitem__(key),
        "another node": lambda part, key: part.__setitem__(key, other),
        "no node": lambda part, key: part.__setitem__(key, 3),
        f"content {value[:20]}": lambda part, key: part[key].__setitem__("content", value),
        "no content": lambda part, key: part[key].__delitem__("content"),
        "content doubled": lambda part, key: part[key].__setitem__("content", part[key]["content"] * 2),
        "another class": lambda part, key: part[key].__setitem__("__class__", rng.choice(classes)),
        "another loader": lambda part, key: part[key].__setitem__("__loader__", rng.choice(loaders)),
        "numbered": lambda part, key: part[key].__setitem__("__id__", 1),
        "another file": lambda part, key: part[key].__setitem__("file", f"{rng.randrange(9)}.npy"),
        "itself within": lambda part, key: part[key].__setitem__("content", copy.deepcopy(part[key])),
    }


def _array_changes(content: bytes, rng: random.Random) -> Iterator[tuple[str, bytes]]:
    array = np.load(io.BytesIO(content))
    yield "empty", _npy(array[:0] if array.ndim else array.reshape(1)[:0])
    yield "twice as long", _npy(np.concatenate([np.atleast_1d(array)] * 2))
    yield "one dimension more", _npy(array[None])
    yield "texts", _npy(array.astype("U3") if array.dtype.names is None else np.array(["a"]))
    yield "no bytes each", _npy(np.zeros(3, dtype="V0")).replace(b"(3,)", b"(9,)")
    yield "says it is huge", content.replace(b"'shape': (", b"'shape': (99999999999, ", 1)
    for field in array.dtype.names or (None,):
        part = array if field is None else array[field]
        for value in _extremes(part.dtype):
            mutant = array.copy()
            if mutant.size:
                spot = np.unravel_index(rng.randrange(mutant.size), mutant.shape)
                (mutant if field is None else mutant[field])[spot] = value
            yield f"{field or 'entry'} is {value}", _npy(mutant)


def _extremes(kind: np.dtype[Any]) -> list[Any]:
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        return [limits.min, limits.max, 0, 1, limits.max // 2]
    return [np.nan, np.inf, -1e308] if kind.kind == "f" else [kind.type()] if kind.kind in "bU" else []


def _npy(array: Any) -> bytes:
    made = io.BytesIO()
    np.save(made, array, allow_pickle=False)
    return made.getvalue()


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _shown(schema: Any, path: Path_) -> str:
    return f"{'/'.join(str(key) for key in path if key != 'content')} ({at(schema, path).get('__class__')})"
