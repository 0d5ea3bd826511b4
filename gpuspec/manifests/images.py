"""References to images: registry, repository, tag and digest, as container runtimes read them."""

import re

_REFERENCE = re.compile(
    r"(?:(?:[a-zA-Z0-9]+(?:[.-]+[a-zA-Z0-9]+)*|\[[0-9a-fA-F:]+\])(?::[0-9]{1,5})?/)?"
    r"[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*"
    r"(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[0-9a-f]{64}|@sha512:[0-9a-f]{128})?"
)
# Longer ones are refused by registries, and are slow to compare with a pattern.
_LONGEST = 512


def fault(reference: str) -> str | None:
    """Return what to write instead of a string that is not an image reference; None if it is one."""
    if len(reference) <= _LONGEST and _REFERENCE.fullmatch(reference):
        return None
    return _hint(reference)


def _hint(reference: str) -> str:
    name = reference.partition("@")[0]
    if "://" in reference:
        return "remove the scheme: write `registry/repository:tag`"
    if "@" in reference and not re.search(r"@sha256:[0-9a-f]{64}$", reference):
        return "a digest is @sha256: and 64 digits of 0-9 and a-f"
    repository = name.rpartition("/")[2].partition(":")[0]
    if repository != repository.lower():
        return "a repository is in lower case"
    return "write registry/repository:tag@sha256:digest, the repository in lower case"
