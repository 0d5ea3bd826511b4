"""Findings with the oddest texts there are, for what must hold of any."""

from hypothesis import settings
from hypothesis import strategies as st

from gpuspec.kinds import ObjectIdentity
from gpuspec.lint.model import Also, Edit, Finding, TextFix
from gpuspec.lint.result import LintResult, SuppressedFinding

few = settings(max_examples=40, deadline=None)
ODD = st.sampled_from(
    [
        "", "plain", "<b>&amp;\"'", "]]>", "::error::x", "%0A%25", "a,b:c", "a|b", "`a`", "``", "\\|", "@admin",
        "\x00\x1b[31m\x7f", "\r\n", "\t", "データ", "e\u0301", "\u202eabc", "\u200d", "\ufffe", "👩‍🔧", "\U000e0001",
        "-->", "- [ ] x", "$(x)", "{{ x }}", "two\nlines", "\u2028", " ",
    ]
)  # fmt: skip
TEXT = st.lists(ODD | st.text(max_size=6), max_size=4).map("".join)
NUMBER = st.integers(1, 12) | st.just(4_000)
LINES = st.lists(TEXT | st.text("ab :-\t雪", max_size=120), max_size=8).map("\n".join)
FILES = st.sampled_from(["a.yaml", "b,:%.yaml", "<stdin>", "雪.yaml"])


@st.composite
def edits(draw: st.DrawFn) -> tuple[Edit, ...]:
    """Edits in the order of the text, none into another."""
    at = (1, 1)
    made: list[Edit] = []
    for _ in range(draw(st.integers(1, 3))):
        places = sorted((draw(NUMBER), draw(NUMBER)) for _ in range(2))
        start, end = (max(place, at) for place in places)
        made.append(Edit(*start, *end, draw(TEXT)))
        at = end
    return tuple(made)


@st.composite
def findings(draw: st.DrawFn) -> Finding:
    """One finding, whatever it says and wherever it points."""
    start, end = sorted([(draw(NUMBER), draw(NUMBER)) for _ in range(2)])
    return Finding(
        rule=draw(st.sampled_from(["GPU190", "GPU290"])),
        name="a-rule",
        severity=draw(st.sampled_from(["error", "warning", "info"])),
        confidence=draw(st.sampled_from(["certain", "likely"])),
        message=draw(TEXT),
        file=draw(FILES),
        line=start[0],
        column=start[1],
        end_line=end[0],
        end_column=end[1],
        path=draw(TEXT),
        object=draw(st.none() | st.builds(ObjectIdentity, TEXT, TEXT, TEXT, TEXT)),
        note=draw(st.none() | TEXT),
        fix=draw(st.none() | st.builds(TextFix, TEXT, st.booleans(), edits())),
        related=draw(st.lists(st.builds(Also, FILES, NUMBER, NUMBER, TEXT), max_size=2).map(tuple)),
        template=draw(st.none() | TEXT),
    )


@st.composite
def results(draw: st.DrawFn) -> LintResult:
    """A run with a few of them."""
    found = draw(st.lists(findings(), max_size=3))
    quiet = draw(st.lists(st.builds(SuppressedFinding, findings(), TEXT), max_size=1))
    texts = draw(st.dictionaries(FILES, LINES, max_size=3))
    return LintResult(tuple(found), tuple(quiet), files=1, documents=1, texts=texts)
