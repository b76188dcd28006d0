"""What `make docs` checks of the pages it built: nothing comes from elsewhere, and every term is found."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

TERMS = Path(__file__).parent / "terms.txt"
# What a browser would fetch by itself; links that a reader may follow are fine.
_LOADED = re.compile(
    r"<(?:script|img|iframe|source|video|link)\b[^>]*?\b(?:src|href)=[\"'](?:https?:)?//[^\"']*", re.IGNORECASE
)
_IMPORTED = re.compile(r"(?:@import|url\()\s*[\"']?(?:https?:)?//", re.IGNORECASE)
_CANONICAL = re.compile(r"rel=[\"'](?:canonical|license|author)", re.IGNORECASE)


def remote_resources(site: Path) -> list[str]:
    """Every file that makes a browser ask another host for something."""
    found = []
    for path in sorted(site.rglob("*")):
        if path.suffix == ".html":
            text = path.read_text(encoding="utf-8")
            found += [f"{path.name}: {tag[:120]}" for tag in _LOADED.findall(text) if not _CANONICAL.search(tag)]
        elif path.suffix == ".css" and _IMPORTED.search(path.read_text(encoding="utf-8")):
            found.append(path.name)
    return found


def unfound_terms(site: Path) -> list[str]:
    """Terms of which a word has no hit in the search index, as Sphinx's own search takes words apart."""
    from sphinx.search.en import SearchEnglish

    language = SearchEnglish({})
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text[text.index("(") + 1 : text.rindex(")")])
    stems = set(index["terms"]) | set(index["titleterms"])

    def hits(term: str) -> bool:
        words = [word for word in language.split(term.lower()) if language.word_filter(word)]
        return all(language.stem(word) in stems for word in words)

    return [term for term in TERMS.read_text(encoding="utf-8").split("\n") if term and not hits(term)]


def main() -> int:
    """Check a built site; 1 where something is wrong."""
    site = Path(sys.argv[1])
    problems = [f"loads from elsewhere: {line}" for line in remote_resources(site)]
    problems += [f"no page is found for: {term}" for term in unfound_terms(site)]
    print("\n".join(problems) or f"{len(list(site.rglob('*.html')))} pages load nothing from elsewhere")  # noqa: T201
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
