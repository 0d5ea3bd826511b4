"""What fixes leave behind: nothing that was not there, nothing louder, nothing for a second run."""

from collections import Counter
from collections.abc import Iterable, Iterator

from gpuspec import Profile, lint_text, mend_text
from gpuspec.lint.model import Finding
from gpuspec.settings.severity import SEVERITIES

NAME = "a.yaml"


def faults(text: str, profile: Profile | None = None, *, unsafe: bool = True) -> Iterator[str]:
    """What is wrong with a text after its fixes; none where nothing is."""
    before = lint_text(text, NAME, profile=profile).findings
    mended = mend_text(text, NAME, profile=profile, unsafe=unsafe)
    after = mended.result.findings
    for rule, severity in _louder(before, after):
        said = "; ".join(one.message for one in after if one.rule == rule)
        yield f"new or louder: {rule} {severity}: {said}"
    _, new = mended.changed.get(NAME, (text, text))
    if mend_text(new, NAME, profile=profile, unsafe=unsafe).changed:
        yield "a second run changes more"
    if new.count("{}") + new.count("[]") > text.count("{}") + text.count("[]"):
        yield "something is left empty"


def _louder(before: Iterable[Finding], after: Iterable[Finding]) -> Iterator[tuple[str, str]]:
    """Rules that say more than before, from some severity up."""
    for least in SEVERITIES:
        was, now = (
            Counter(
                one.rule
                for one in some
                if SEVERITIES.index(one.severity) <= SEVERITIES.index(least)
            )
            for some in (before, after)
        )
        for rule in now - was:
            yield rule, least
