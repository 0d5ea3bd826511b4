"""libyaml's parser, with helpful messages for its errors."""

from gpuspec.manifests.limits import MAX_DEPTH
from gpuspec.manifests.problems import Problem
from gpuspec.manifests.sources import Chunk

try:
    from yaml._yaml import CParser
except ImportError as error:
    raise ImportError(
        "gpuspec reads YAML with libyaml, which PyYAML's wheels carry;"
        " this PyYAML was built without it: pip install --force-reinstall --only-binary :all: PyYAML"
    ) from error
from yaml.error import MarkedYAMLError, YAMLError
from yaml.reader import ReaderError

__all__ = ["CParser", "is_well_formed", "syntax_problem", "template_hint"]

_HINTS = {
    "mapping values are not allowed in this context": (
        "quote a value that holds ': ', or line the key up with its neighbours"
    ),
    "could not find expected ':'": "write 'key: value', or indent the line under its key",
    "did not find expected key": "line the key up with its neighbours, or close the quote before it",
    "did not find expected '-' indicator": "line the '-' up with its neighbours",
    "did not find expected ',' or ']'": "close the list with ']'",
    "did not find expected ',' or '}'": "close the map with '}'",
    "found unexpected end of stream": "close the quote",
    "did not find expected <document start>": "separate documents with a '---' line",
    "found unknown escape character": "write the backslash twice, or use single quotes",
    "block sequence entries are not allowed in this context": "begin the list on the line below its key",
}


def is_well_formed(text: str) -> bool:
    """Return whether a text is well-formed YAML."""
    next_event = CParser(text).get_event
    try:
        while next_event() is not None:
            pass
    except YAMLError:
        return False
    return True


def syntax_problem(chunk: Chunk, error: YAMLError) -> Problem:
    """Return the problem of a libyaml error in a chunk, with its place and a hint."""
    text = chunk.text
    if isinstance(error, ReaderError):
        before = text.encode()[: error.position].decode(errors="ignore")
        place = chunk.place_at(len(before))
        return Problem(
            f"the control character U+{ord(text[len(before)]):04X} is not allowed in YAML",
            place,
            "write it as an escape in double quotes, or remove it",
        )
    assert isinstance(error, MarkedYAMLError)
    mark = error.problem_mark
    problem = error.problem or "not YAML"
    if mark is None:
        return Problem(problem, chunk.place_at(0))
    hint = _hint(text, mark.index, problem)
    context = error.context_mark
    if "nesting depth" in problem:
        problem = f"nested deeper than {MAX_DEPTH} levels"
    elif context is not None and (context.line, context.column) != (mark.line, mark.column):
        if problem == "found unexpected end of stream":
            # The end is nobody's fault: what was left open is.
            return Problem(
                f"{problem} {error.context}", chunk.place(context.line, context.column), hint
            )
        began = chunk.place(context.line, context.column)
        problem = f"{problem} {error.context} that begins at {began.line}:{began.column}"
    return Problem(problem, chunk.place(mark.line, mark.column), hint)


def template_hint(text: str) -> str | None:
    """Return a hint, if a text that is not YAML looks like a template."""
    if "{{" in text:
        return "this looks like a template: render it first (helm template), then give the result"
    return None


def _hint(text: str, offset: int, problem: str) -> str | None:
    at = text[offset : offset + 1]
    if at == "\t":
        return "a tab cannot indent YAML: write spaces"
    if at in ("@", "`", "%"):
        return f"quote a value that begins with {at}"
    if problem == "did not find expected key" and text[:offset].rstrip(" ").endswith(("}", "]")):
        # As in `image: {registry}/server:1.4`.
        return "quote a value that continues after a '}' or ']'"
    if text.lstrip().startswith("%"):
        return "kubectl does not read YAML directives: remove the line"
    # Rules and scripts in a text may have braces of their own, far from what is wrong.
    around = text[:offset].rstrip().rpartition("\n")[2] + text[offset:].partition("\n")[0]
    return template_hint(around) or _HINTS.get(problem)
