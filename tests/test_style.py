"""The house style of docs/style.md, as far as a machine can judge it.

Not held yet: local names that only say that something was found, said or made (`found`, `said`, `one`),
where `VAGUE_LOCALS` counts them; the words `room`, `feed`, `board`, `offer` and `case`, which the field has
too; names that tests give; sentences of docstrings, comments, messages and pages; titles of rules, which say
the fault.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from gpuspec import rules
from tests.lint.notes import faults

PACKAGE = Path(__file__).parent.parent / "gpuspec"

FORBIDDEN = {
    "crew",
    "sieve",
    "sight",
    "stranger",
    "strangers",
    "splice",
    "splices",
    "spliced",
    "leaf",
    "offers",
    "waiving",
    "keep_off",
    "belonging",
}
"""Words of our own that a word of the field has replaced, as parts of identifiers and of modules."""

PLAIN = {"leafgroup", "_no_leaf"}
"""Identifiers that have such a word in a meaning of the field: a GPU's leaf group, a leaf queue."""

VAGUE_FILES = {"words", "parts", "helpers", "utils", "misc", "said", "made", "told"}
"""Names of files that say nothing of what is in them."""

KNOWN_VAGUE_FILES = {"spec/rules/helpers.py"}

VAGUE = {
    *("asked", "both", "each", "found", "given", "held", "here", "kept", "known", "left", "made"),
    *("many", "meant", "named", "one", "other", "own", "put", "read", "said", "seen", "taken"),
    *("there", "told", "wanted", "what", "written"),
}
"""Names of parameters and variables that do not say what they hold."""

VAGUE_LOCALS = {
    **{"cel": 1, "charts": 3, "cli": 1, "cluster": 17, "demand": 1, "diff": 5, "drift": 1},
    **{"facade": 4, "fleet": 17, "hardware": 2, "hosts": 1, "keys": 4, "kinds": 6},
    **{"lint": 55, "loading": 4, "manifests": 12, "models": 11, "objects": 6, "plan": 9},
    **{"products": 2, "render": 7, "report": 12, "runtimes": 11, "settings": 7, "spec": 3},
    **{"startup": 9, "targets": 1, "validation": 17},
}
"""How many of them each package has: these numbers only fall."""

STYLE_PAGE = PACKAGE.parent / "docs" / "style.md"

VERBS = set(
    re.findall(
        r"`([A-Z][a-z]+)`", STYLE_PAGE.read_text("utf-8").split("The verbs:\n")[1].split(".\n")[0]
    )
)
"""The verbs that a docstring can begin with: docs/style.md lists them."""

LONGEST_CLAUSE = 100
"""Characters before the first colon, comma, semicolon or period of a rule's message."""

LONG_CLAUSES = 6
"""Messages of rules whose first clause is longer: this number only falls."""


@cache
def trees() -> dict[str, ast.Module]:
    """Every file of the package, by its path in it."""
    return {
        file.relative_to(PACKAGE).as_posix(): ast.parse(file.read_text(encoding="utf-8"))
        for file in sorted(PACKAGE.rglob("*.py"))
    }


def identifiers(tree: ast.Module) -> set[str]:
    """All names that a file gives: of functions, classes, parameters, variables and fields."""
    names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                names.add(name)
            case ast.ClassDef(name=name) | ast.arg(arg=name):
                names.add(name)
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                names.add(name)
            case _:
                pass
    return names


def parts(identifier: str) -> set[str]:
    """The words of an identifier, in lower case."""
    words = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", identifier)
    return {identifier.strip("_").lower(), *(word.lower() for word in words)}


def forbidden(identifier: str) -> bool:
    """Whether an identifier has a word that is no longer ours."""
    return bool(parts(identifier) & FORBIDDEN) and identifier.lower() not in PLAIN


def vague_locals(tree: ast.Module) -> int:
    """How often a file gives one of the vague names to a parameter or a variable."""
    names = [
        node.arg if isinstance(node, ast.arg) else node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.arg)
        or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    ]
    vague = VAGUE - {"left"} if "right" in names else VAGUE  # the left operand, not what is left
    return sum(name in vague for name in names)


def test_vague_locals_are_seen() -> None:
    text = "def check(one, pods):\n    found = [each for each in pods]\n    return one, found.said"
    assert vague_locals(ast.parse(text)) == 3


def test_names_of_locals_say_what_they_hold() -> None:
    counts: dict[str, int] = defaultdict(int)
    for path, tree in trees().items():
        counts[path.partition("/")[0]] += vague_locals(tree)
    assert {package: count for package, count in counts.items() if count} == VAGUE_LOCALS, (
        "name a local for what it holds: `container`, `violations`; where the number fell, write it down"
    )


@pytest.mark.parametrize(
    ("identifier", "is_forbidden"),
    [
        ("_Crew", True),
        ("args_leaf", True),
        ("keep_off", True),
        ("leafgroup", False),
        ("left", False),
    ],
)
def test_words_of_an_identifier_are_seen(identifier: str, is_forbidden: bool) -> None:
    assert forbidden(identifier) is is_forbidden


PARTICIPLES = {
    "Annotated",
    "Failed",
    "Unjudged",
    "Unordered",
    "Unsigned",
    "_Bounded",
    "_Ended",
    "_Undefined",
}
"""Errors, and classes whose participle is the name of a kind of value in the field or in a library."""


def test_no_class_is_a_participle_alone() -> None:
    classes = {
        node.name
        for tree in trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and re.fullmatch(r"_?[A-Z][a-z]+(?<!e)ed", node.name)
    }
    assert classes == PARTICIPLES, "name a class by a noun: `RaisedFinding`, `SharedGpu`"


def test_no_identifier_is_one_of_the_old_words() -> None:
    old = {
        f"{path}: {name}"
        for path, tree in trees().items()
        for name in identifiers(tree)
        if forbidden(name)
    }
    assert not old, "docs/glossary.md has the word to use instead"


def test_no_module_is_named_by_an_old_word() -> None:
    old = {path for path in trees() if forbidden(Path(path).stem)}
    old |= {path for path in trees() if any(forbidden(part) for part in Path(path).parts[:-1])}
    assert not old


def test_no_file_has_a_name_that_says_nothing() -> None:
    vague = {path for path in trees() if Path(path).stem in VAGUE_FILES}
    assert vague == KNOWN_VAGUE_FILES


def test_no_two_classes_share_a_name() -> None:
    homes = defaultdict(list)
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(f"{path}:{node.lineno}")
    assert not {name: where for name, where in homes.items() if len(where) > 1}


def test_docstrings_of_functions_begin_with_a_verb() -> None:
    without = [
        f"{path}:{node.lineno}: {text}"
        for path, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and is_held(node, path)
        if (text := ast.get_docstring(node)) and first_word(text) not in VERBS
    ]
    assert not without, "begin with `Return`, `Yield` or another verb of docs/style.md"


def is_held(node: ast.FunctionDef, path: str) -> bool:
    """Whether a docstring has to begin with a verb: a property's is a noun, a command's its help."""
    decorators = " ".join(ast.unparse(one) for one in node.decorator_list)
    is_command = path.startswith("cli/") and bool(decorators)
    return not is_command and not re.search(r"property|lazy|setter", decorators)


def first_word(text: str) -> str:
    """The first word of a docstring, an ending of the third person taken off."""
    word = re.split(r"[\s,.:;]", text, maxsplit=1)[0]
    return word if word in VERBS else re.sub(r"(?<=[a-z])(es|s)$", "", word)


def test_the_first_clause_of_a_message_is_short() -> None:
    long = [
        f"{path}:{node.lineno}"
        for path, tree in trees().items()
        if path.startswith("lint/rules/")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "RawFinding"
        and len(node.args) > 1
        and len(first_clause(node.args[1])) > LONGEST_CLAUSE
    ]
    assert len(long) == LONG_CLAUSES, long


def first_clause(message: ast.expr) -> str:
    """What of a message stands before its first mark; a value that is put in counts as a word."""
    match message:
        case ast.Constant(value=str(text)):
            pass
        case ast.JoinedStr(values=values):
            text = "".join(
                str(one.value) if isinstance(one, ast.Constant) else "xxxxxxxx" for one in values
            )
        case _:
            return ""
    return re.split(r"[:;,.](?:\s|$)", text, maxsplit=1)[0]


def test_titles_of_rules_end_without_a_period() -> None:
    assert not [rule.title for rule in rules() if rule.title.endswith((".", "!"))]


def note_texts(node: ast.expr) -> Iterator[str]:
    """The texts that a note can begin with, a value that is put in as `x`."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=values):
            yield "".join(
                str(one.value) if isinstance(one, ast.Constant) else "x" for one in values
            )
        case ast.IfExp(body=body, orelse=orelse):
            yield from note_texts(body)
            yield from note_texts(orelse)
        case ast.BoolOp(values=values):
            for value in values:
                yield from note_texts(value)
        case ast.BinOp(left=left):
            yield from note_texts(left)
        case _:
            pass


def test_notes_of_findings_say_what_to_do() -> None:
    wrong = [
        f"{path}:{node.value.lineno}: {fault}"
        for path, tree in trees().items()
        if path.startswith("lint/rules/")
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg == "note"
        for text in note_texts(node.value)
        if not text.startswith("x")
        for fault in faults(text)
    ]
    assert not wrong, "an imperative, then at most one sentence of evidence, behind a colon"


def test_every_finding_has_advice() -> None:
    bare = [
        f"{path}:{node.lineno}"
        for path, tree in trees().items()
        if path.startswith("lint/rules/")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "RawFinding"
        and not {"note", "fix"} & {keyword.arg for keyword in node.keywords}
    ]
    assert not bare
