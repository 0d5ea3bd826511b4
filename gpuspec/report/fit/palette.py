"""Colours of pictures, on light and dark paper and for eyes that tell few colours apart.

The seven of workloads are those of Okabe and Ito (Color Universal Design, 2008). Each workload has
its letter too, and what is stranded is hatched: nothing is told by colour alone.
"""

from __future__ import annotations

from collections.abc import Mapping

FILLS: tuple[tuple[str, str], ...] = (
    ("#56b4e9", "#000000"),
    ("#e69f00", "#000000"),
    ("#009e73", "#000000"),
    ("#f0e442", "#000000"),
    ("#cc79a7", "#000000"),
    ("#d55e00", "#000000"),
    ("#0072b2", "#ffffff"),
)
"""What a workload is filled with, and its letter; then they come again, underlined."""
LIGHT: Mapping[str, str] = {
    "paper": "#ffffff",
    "ink": "#1b1f24",
    "muted": "#57606a",
    "line": "#7d8590",
    "before": "#a3abb5",
    "lost": "#b42318",
    "good": "#116329",
    "warn": "#7a4d00",
    "accent": "#0072b2",
    "panel": "#f4f6f8",
}
DARK: Mapping[str, str] = {
    "paper": "#0d1117",
    "ink": "#e6edf3",
    "muted": "#9da7b3",
    "line": "#7d8590",
    "before": "#565e68",
    "lost": "#ff9d8f",
    "good": "#6fdd8b",
    "warn": "#e3b341",
    "accent": "#56b4e9",
    "panel": "#171c23",
}
TEXTS = ("ink", "muted", "lost", "good", "warn")
"""Those that words are written in, on paper and panel."""


def picture_css() -> str:
    """Return the style of what is drawn, for both kinds of paper; without variables, which not all
    know."""
    rules = [_theme(LIGHT)]
    rules.append("@media screen and (prefers-color-scheme:dark){" + _theme(DARK) + "}")
    rules += [f".w{n}{{fill:{fill}}}.l{n}{{fill:{ink}}}" for n, (fill, ink) in enumerate(FILLS)]
    rules.append(".mark{font-weight:700;text-anchor:middle}")
    rules.append(
        "text{font-family:system-ui,'Segoe UI',Roboto,'Noto Sans','DejaVu Sans',sans-serif}"
    )
    return "\n".join(rules)


def page_css() -> str:
    """Return the same colours as variables, for the words of a page."""
    light, dark = (";".join(f"--{name}:{of[name]}" for name in of) for of in (LIGHT, DARK))
    return f":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"


def _theme(of: Mapping[str, str]) -> str:
    line, paper = of["line"], of["paper"]
    return (
        f".paper,.idle{{fill:{paper}}}.ink{{fill:{of['ink']}}}.muted{{fill:{of['muted']}}}"
        f".edge{{fill:none;stroke:{line}}}.cut{{stroke:{line}}}.rule{{stroke:{line};stroke-opacity:.4}}"
        f".good{{fill:{of['good']}}}.warn{{fill:{of['warn']}}}"
        f".before{{fill:{of['before']}}}.lost{{fill:{of['lost']}}}.accent{{fill:{of['accent']}}}"
        f".hatch{{stroke:{of['lost']};stroke-width:2}}"
    )
