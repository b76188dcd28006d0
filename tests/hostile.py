"""Names that break tools: one list for HTML, terminal, figures, CSV and JSON."""

from __future__ import annotations

NAMES = {
    "closes a script": "</script><script>window.hacked=1</script>",
    "an image that runs": "<img src=x onerror=window.hacked=1>",
    "ends an attribute": "\"' onload=window.hacked=1 x='",
    "opens a comment": "<!--<script>",
    "the prototype": "__proto__",
    "a method": "constructor",
    "line separators": "line\u2028one\u2029two\nthree",
    "written backwards": "user\u202egpj.exe",
    "terminal colours": "\x1b[31mred\x1b[0m\x07\x00",
    "mathematics": r"$\frac{$",
    "hidden from legends": "_underscore",
    "console markup": "[bold red]x[/]",
    "a formula": "=cmd()|' /C calc'!A0",
    "template": "{{ 7 * 7 }}{% raw %}",
    "half a character": "half \ud800",
    "an emoji": "👩\u200d🔬",
    "spaces": "  two  ",
    "nothing": "",
    "long": "m" * 300,
}
