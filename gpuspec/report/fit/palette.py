"""Colours of pictures, for light and dark backgrounds and for colour-blind readers.

The seven colours of workloads are those of Okabe and Ito (Color Universal Design, 2008). Each
workload also has a letter, and stranded GPUs are hatched: no fact is shown by colour alone.
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
"""The fill colour of a workload, and the colour of its letter; after the last, colours repeat with
an underline."""
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
"""Text colours, on paper and panel."""


def picture_css() -> str:
    """Return the style of pictures for both backgrounds, without CSS variables, which some viewers
    lack."""
    rules = [_theme(LIGHT)]
    rules.append("@media screen and (prefers-color-scheme:dark){" + _theme(DARK) + "}")
    rules += [f".w{n}{{fill:{fill}}}.l{n}{{fill:{ink}}}" for n, (fill, ink) in enumerate(FILLS)]
    rules.append(".mark{font-weight:700;text-anchor:middle}")
    rules.append(
        "text{font-family:system-ui,'Segoe UI',Roboto,'Noto Sans','DejaVu Sans',sans-serif}"
    )
    return "\n".join(rules)


def page_css() -> str:
    """Return the same colours as CSS variables, for the text of a page."""
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
