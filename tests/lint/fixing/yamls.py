"""Random documents in random styles, and random changes of them."""

import json
from typing import Any

from hypothesis import strategies as st

from gpuspec.lint.model import Change, Drop, Put, Rename

KEYS = ("a", "b", "spec", "limits", "nvidia.com/gpu", "on", "1", "x: y", "a,b", "é", "#k", "-", "")
SCALARS: tuple[object, ...] = (
    *("", "x", "a b", "1", "yes", "null", "1Gi", "500m", "a: b", "a # b", "[x]", "it's", '"q"'),
    *(
        "two\nlines\n",
        "two\nlines",
        "kept\n\n",
        " lead\n",
        "back\\slash",
        "é\u2028",
        "- x",
        "*a",
        "%",
    ),
    *(0, 1, -7, 2.5, True, False, None, {}, []),
)

keys = st.sampled_from(KEYS)
scalars = st.sampled_from(SCALARS)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)
roots = st.dictionaries(keys, values, min_size=1, max_size=4)


class Emitter:
    """Writes a value as YAML as somebody might: in block and flow style, with comments and blank
    lines, quotes of both kinds, deeper or shallower."""

    def __init__(self, draw: Any) -> None:
        self.draw = draw
        self.step = draw(st.sampled_from((1, 2, 4)))
        self.dash = draw(st.sampled_from((0, 2)))
        self.wide = draw(st.sampled_from((" ", "   ")))
        self.comments = 0

    def chance(self, *odds: bool) -> bool:
        return bool(self.draw(st.sampled_from(odds or (False, False, False, True))))

    def comment(self) -> str:
        if not self.chance():
            return ""
        self.comments += 1
        return f" # c{self.comments}."

    def own_line(self, pad: int) -> list[str]:
        lines = [""] if self.chance() else []
        if self.chance():
            self.comments += 1
            lines.append(f"{' ' * pad}# c{self.comments}.")
        return lines

    def word(self, text: str, *, flow: bool) -> str:
        plain = text.replace(" ", "").replace(".", "").replace("/", "").isalpha() and text.isascii()
        if (
            plain
            and text not in ("yes", "null", "on", "true", "false")
            and self.chance(True, False)
        ):
            return text
        if "'" not in text and text.isprintable() and self.chance(True, False):
            return f"'{text}'"
        return json.dumps(text, ensure_ascii=not text.isprintable())

    def flow(self, value: Any) -> str:
        blank = self.draw(st.sampled_from(("", " ", "\n      ", "\n      # c\n      ")))
        if isinstance(value, dict):
            parts = [
                f"{self.word(key, flow=True)}: {self.flow(item)}" for key, item in value.items()
            ]
            brackets = "{}"
        elif isinstance(value, list):
            parts, brackets = [self.flow(item) for item in value], "[]"
        elif isinstance(value, str):
            return self.word(value, flow=True)
        else:
            return json.dumps(value)
        if not parts:
            return brackets
        if "#" in blank:
            self.comments += 1
            blank = blank.replace("# c", f"# c{self.comments}.")
        comma = "," if self.chance() else ""
        return (
            f"{brackets[0]}{blank}{f',{blank or chr(32)}'.join(parts)}{comma}{blank}{brackets[1]}"
        )

    def inline(self, value: Any, pad: int) -> str:
        """What follows a key or dash on its line, the line breaks in it included."""
        if isinstance(value, str):
            if "\n" in value and "\\" not in value and not value.startswith(" "):
                mark = "|" if value.endswith("\n") else "|-"
                mark = "|+" if value.endswith("\n\n") else mark
                body = value.removesuffix("\n") if value.endswith("\n") else value
                lines = [
                    f"{' ' * (pad + self.step)}{line}" if line else "" for line in body.split("\n")
                ]
                return "\n".join([f"{mark}{self.comment()}", *lines])
            return self.word(value, flow=False) + self.comment()
        if value is None and self.chance(True, False):
            return self.comment()
        return self.flow(value) + self.comment()

    def block(self, value: Any, pad: int) -> list[str]:
        """A mapping or list, not empty, as lines; the first one without its pad."""
        lines: list[str] = []
        for item in value.items() if isinstance(value, dict) else value:
            if lines:
                lines += self.own_line(pad)
            head = " " * pad
            if isinstance(value, dict):
                key, item = item
                head += f"{self.word(key, flow=False)}:"
            else:
                head += "-"
            if not isinstance(item, dict | list) or not item or self.chance():
                rest = self.inline(item, pad)
                lines.append(f"{head} {rest}".rstrip(" ") if rest else head)
            elif isinstance(value, list) and self.chance(True, True, False):
                deeper = self.block(item, pad + 1 + len(self.wide))
                lines += [f"{head}{self.wide}{deeper[0]}", *deeper[1:]]
            else:
                step = (
                    self.dash if isinstance(item, list) and isinstance(value, dict) else self.step
                )
                first, *others = self.block(item, pad + step)
                lines += [f"{head}{self.comment()}", *self.own_line(pad + step)]
                lines += [f"{' ' * (pad + step)}{first}", *others]
        return [lines[0][pad:], *lines[1:]]


@st.composite
def texts(draw: Any) -> str:
    """A document's text."""
    value = draw(roots)
    style = draw(st.sampled_from(("block", "block", "block", "flow", "json", "pretty")))
    emitter = Emitter(draw)
    if style == "json":
        separators = draw(st.sampled_from(((",", ":"), (", ", ": "))))
        text = json.dumps(value, separators=separators) + "\n"
    elif style == "pretty":
        text = json.dumps(value, indent=draw(st.sampled_from((2, 4))), ensure_ascii=False) + "\n"
    elif style == "flow":
        text = emitter.flow(value) + "\n"
    else:
        text = (
            "\n".join([*emitter.own_line(0), *emitter.block(value, 0), *emitter.own_line(0)]) + "\n"
        )
    if draw(st.booleans()) and not text.endswith("\n\n"):
        text = text.removesuffix("\n")
    return text.replace("\n", "\r\n") if draw(st.booleans()) and "\\" not in text else text


@st.composite
def shared(draw: Any) -> str:
    """A document in which some text stands for several places."""
    emitter = Emitter(draw)
    base, own = draw(roots), draw(roots)
    lines = ["base: &base", f"  {chr(10).join(emitter.block(base, 2))}"]
    lines += ["same: *base", "more:", "- *base", "- <<: *base", "  z: 1"]
    lines += ["own:", f"  {chr(10).join(emitter.block(own, 2))}"]
    return "\n".join([*lines, "unused: &nobody {a: 1}", ""])


def paths_of(value: Any) -> list[tuple[str | int, ...]]:
    """The paths of everything in a value but itself."""
    found: list[tuple[str | int, ...]] = []
    if not isinstance(value, dict | list):
        return found
    for step, item in value.items() if isinstance(value, dict) else enumerate(value):
        found.append((step,))
        found += [(step, *rest) for rest in paths_of(item)]
    return found


def at(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


@st.composite
def changes(draw: Any, value: Any) -> Change:
    """A change that a rule might ask for in a value."""
    path = draw(st.sampled_from(paths_of(value)))
    kind = draw(st.sampled_from(("put", "add", "add", "drop", "rename")))
    if kind == "drop":
        return Drop(path)
    if kind == "rename" and isinstance(path[-1], str):
        return Rename(path, draw(keys))
    if kind == "add":
        there = at(value, path)
        if isinstance(there, list):
            path = (*path, len(there))
        elif isinstance(there, dict) or there is None:
            path = (*path, draw(keys))
            if draw(st.booleans()) and (there is None or path[-1] not in there):
                path = (*path, draw(keys))
    return Put(path, draw(values))
