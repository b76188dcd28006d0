"""Print the oldest supported version of everything the tests need, as pip requirements.

    python tests/floors.py    # numpy==2.0.* scipy==1.14.* ...

`make floors` installs these and runs the tests with them. Tools that only read the code are left out.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
TOOLS = {"import-linter", "mypy", "ruff"}
REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)\s*(?:\[(?P<extras>[^]]*)\])?\s*(?P<versions>[^;]*)(?P<marker>;.*)?")


def floors(project: dict[str, Any]) -> list[str]:
    """The requirements of a project and its `dev` extra, each pinned to the series of its lower bound.

    >>> extras = {"dev": ["sample[all]", "pytest>=8.2", "ruff>=0.6"], "all": ["sql[duckdb]>=9,<12"]}
    >>> floors({"name": "sample", "dependencies": ["numpy>=2.0"], "optional-dependencies": extras})
    ['numpy==2.0.*', 'pytest==8.2.*', 'sql[duckdb]==9.*']
    """
    return sorted({_pinned(text) for text in _needed(project, [*project["dependencies"], f"{project['name']}[dev]"])})


def _needed(project: dict[str, Any], requirements: list[str]) -> Iterator[str]:
    """The requirements themselves, and in place of the project's own extras what those hold."""
    for text in requirements:
        needed = _read(text)
        if needed["name"] == project["name"]:
            for extra in (needed["extras"] or "").split(","):
                yield from _needed(project, project["optional-dependencies"][extra.strip()])
        elif needed["name"] not in TOOLS:
            yield text


def _pinned(text: str) -> str:
    needed = _read(text)
    floor = re.search(r">=\s*([\w.]+)", needed["versions"])
    if not floor:
        raise SystemExit(f"{text!r} in {PYPROJECT} has no floor: write the oldest version that works, as name>=1.2")
    extras = f"[{needed['extras']}]" if needed["extras"] else ""
    return f"{needed['name']}{extras}=={floor[1]}.*{needed['marker'] or ''}"


def _read(text: str) -> re.Match[str]:
    result = REQUIREMENT.fullmatch(text.strip())
    if not result:
        raise SystemExit(f"cannot read the requirement {text!r} in {PYPROJECT}")
    return result


if __name__ == "__main__":
    sys.stdout.write("\n".join(floors(tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"])) + "\n")
