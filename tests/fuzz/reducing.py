"""Making a try small that shows a fault: what can be taken away, is."""

import copy
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import yaml

from tests.fuzz.nodes import MAP, Node, read, write, write_json
from tests.fuzz.oracle import Fault
from tests.fuzz.tries import Try
from tests.fuzz.workers import attempt
from tests.fuzz.world import World

MOST = 400
"""Smaller ones that are tried."""


def again(one: Try, kind: str, keep: Path | None) -> int:
    """Carry a try out in a process of its own, make it small, print it. Exit code 1 for a fault."""
    process = os.fork()
    if process == 0:
        code = 70
        try:
            code = _again(one, kind, keep)
        finally:
            sys.stdout.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def _again(one: Try, kind: str, keep: Path | None) -> int:
    folder = Path(tempfile.mkdtemp(prefix="gpuspec-fuzz-"))
    world = World(folder)
    code, faults = attempt(world, one)
    chosen = next((fault for fault in faults if kind in fault.kind), None)
    small = one if chosen is None else smallest(world, one, chosen)
    print(shown(small))
    if chosen is None:
        outcome = world.run(one)
        print(
            f"exit {code}\n{outcome.out.decode(errors='replace')}{outcome.err.decode(errors='replace')}"
        )
    for fault in faults:
        print(f"FAULT {fault.kind}\n{fault.detail}")
    if keep is not None:
        world.run(small)
        shutil.copytree(world.work, keep, symlinks=True, dirs_exist_ok=True)
    os.chdir("/")
    shutil.rmtree(folder, ignore_errors=True)
    return 1 if faults else 0


def smallest(world: World, one: Try, fault: Fault) -> Try:
    """The smallest try that is found to show a fault of that kind."""
    left = MOST
    found = True
    while found and left > 0:
        found = False
        for smaller in _smaller(one):
            left -= 1
            if left < 0:
                break
            if any(each.kind == fault.kind for each in attempt(world, smaller)[1]):
                one, found = smaller, True
                break
    return one


def shown(one: Try) -> str:
    """A try as lines for a shell."""
    lines = []
    for name, data in one.files.items():
        lines.append(f"printf %s {_quoted(data)} > {shlex.quote(name)}")
    lines += [f"# {name}: {kind}" for name, kind in one.odd.items()]
    given = " ".join(f"{name}={shlex.quote(value)}" for name, value in one.environment.items())
    words = shlex.join([one.target.program, *one.words])
    stdin = f" < <(printf %s {_quoted(one.stdin)})" if one.stdin else ""
    lines.append(f"{given} {words}{stdin}{'  # on a terminal' if one.terminal else ''}".strip())
    return "\n".join(lines)


def _quoted(data: bytes) -> str:
    text = data.decode(errors="surrogateescape")
    if text.replace("\n", "").replace("\t", "").isprintable():
        return shlex.quote(text)
    inner = "".join(
        chr(b) if (32 <= b < 127 and b not in b"\\'") or b == 10 else f"\\x{b:02x}" for b in data
    )
    return f"$'{inner}'"


def _smaller(one: Try) -> Iterator[Try]:
    """Tries with less in them, those with far less first."""
    for name in [*one.files]:
        yield _with(one, files={key: data for key, data in one.files.items() if key != name})
    if one.environment:
        yield _with(one, environment={})
    if one.terminal:
        yield _with(one, terminal=False)
    if one.odd:
        yield _with(one, odd={})
    for at in range(len(one.target.command), len(one.words)):
        for size in (2, 1):
            yield _with(one, words=[*one.words[:at], *one.words[at + size :]])
    for name, data in one.files.items():
        for less in _less(data):
            yield _with(one, files={**one.files, name: less})
    for less in _less(one.stdin):
        yield _with(one, stdin=less)


def _with(one: Try, **changes: object) -> Try:
    made = copy.copy(one)
    for name, value in changes.items():
        setattr(made, name, value)
    return made


def _less(data: bytes) -> Iterator[bytes]:
    """Texts with less in them: fewer documents, fewer fields, fewer lines."""
    documents = _parsed(data)
    if documents is not None:
        as_json = data[:1] in (b"{", b"[")
        for smaller in _without(documents):
            yield (write_json(smaller[0]) if as_json and smaller else write(smaller)).encode(
                errors="surrogatepass"
            )
    else:
        lines = data.split(b"\n")
        size = len(lines) // 2
        while size:
            for at in range(0, len(lines), size):
                yield b"\n".join([*lines[:at], *lines[at + size :]])
            size //= 2
    if len(data) < 400:
        for at in range(0, len(data), 8):
            yield data[:at] + data[at + 8 :]


def _without(documents: list[Node]) -> Iterator[list[Node]]:
    for at in range(len(documents)):
        if len(documents) > 1:
            yield [*documents[:at], *documents[at + 1 :]]
    for at, document in enumerate(documents):
        for path in _paths(document):
            made = document.copy()
            inner = made
            for step in path[:-1]:
                inner = inner.items[step]
            start = path[-1] - path[-1] % 2 if inner.kind == MAP else path[-1]
            del inner.items[start : start + (2 if inner.kind == MAP else 1)]
            if not inner.items:
                inner.flow = True
            yield [*documents[:at], made, *documents[at + 1 :]]


def _paths(node: Node) -> Iterator[tuple[int, ...]]:
    """Where anything stands, the outermost first."""
    waiting: list[tuple[tuple[int, ...], Node]] = [((), node)]
    for path, one in waiting:
        for index, item in enumerate(one.items):
            if one.kind != MAP or index % 2:
                yield (*path, index)
                waiting.append(((*path, index), item))


def _parsed(data: bytes) -> list[Node] | None:
    """The trees of a file; None for what is none."""
    try:
        return read(data.decode())
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError):
        return None
