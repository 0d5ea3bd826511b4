"""What the note of a finding has to be: an imperative with the value, then at most one sentence of evidence."""

import re

IMPERATIVES = frozenset(
    [
        "accept",
        "add",
        "allow",
        "bind",
        "build",
        "change",
        "check",
        "choose",
        "compare",
        "configure",
        "convert",
        "correct",
        "count",
        "create",
        "declare",
        "delete",
        "did",
        "disable",
        "divide",
        "drop",
        "enable",
        "enlarge",
        "exclude",
        "fill",
        "fix",
        "give",
        "ignore",
        "install",
        "keep",
        "label",
        "leave",
        "let",
        "lint",
        "list",
        "load",
        "look",
        "lower",
        "make",
        "match",
        "mount",
        "move",
        "name",
        "offload",
        "omit",
        "pass",
        "pin",
        "point",
        "prefer",
        "probe",
        "provide",
        "put",
        "quote",
        "raise",
        "remove",
        "rename",
        "render",
        "repeat",
        "replace",
        "request",
        "require",
        "resume",
        "run",
        "satisfy",
        "scale",
        "schedule",
        "select",
        "send",
        "set",
        "share",
        "shorten",
        "split",
        "start",
        "store",
        "taint",
        "tolerate",
        "train",
        "update",
        "use",
        "wait",
        "write",
    ]
)
"""The first words of notes; `did` is that of `did you mean`."""

LONGEST = 300
"""Characters of a note without its values."""


def faults(note: str) -> list[str]:
    """Return what is wrong with each line of a note, none if all are as they should be."""
    wrong = []
    for line in note.split("\n"):
        plain = re.sub(r"`[^`]*`", "`x`", line)
        if re.split(r"[ ,:]", line, maxsplit=1)[0] not in IMPERATIVES:
            wrong.append(f"begins with no imperative: {line}")
        if ";" in plain:
            wrong.append(f"two sentences in one, joined by a semicolon: {line}")
        if re.search(r"(one of:?|choose from:?|choose from its \w+:) `x`$", plain):
            wrong.append(f"a choice of one: {line}")
        if len(plain) > LONGEST:
            wrong.append(f"too long: {line}")
    return wrong
