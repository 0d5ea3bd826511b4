"""`args` that do not go with the entrypoint of a server's image."""

from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests.values import items
from gpuspec.objects.command_line import SHELLS
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU740",
    "entrypoint",
    "error",
    "`args` do not match the image's entrypoint",
    fix="unsafe",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield main containers with a known server's image, and no `command`."""
    for container in pod.containers:
        args = items(container.value.get("args"))
        if items(container.value.get("command")) or not container.starts_entrypoint:
            continue
        if not args or not isinstance(args[0], str):
            continue
        name = runtimes.recognise(container.image)
        entrypoint = None if name is None else runtimes.entrypoint(name, container.image)
        if name is not None and entrypoint in ("server", "command"):
            yield from _twice(container, args, runtimes.get(name))
        elif name is not None and entrypoint == "program" and args[0].startswith("-"):
            yield _none(container, args, runtimes.get(name))


def _twice(
    container: PodContainer, args: list[object], server: runtimes.Runtime
) -> Iterator[RawFinding]:
    words = [str(word).rpartition("/")[2] for word in args]
    program = runtimes.before_args(server.name, container.image)
    count = _of_program(words, program) if program else _program(words, server.name)
    if not count:
        return
    shell = words[0] in SHELLS
    entrypoint = f"`{program[0]}`" if program else server.title
    yield RawFinding(
        container.path("args", 0),
        f"`args` begin with `{' '.join(words[:count])}`, but the image's entrypoint is already "
        f"{entrypoint}: the program takes these words as arguments and exits",
        note="set `command`, which replaces the entrypoint" if shell else None,
        fix=_moved(container, args) if shell else _dropped(container, args, count),
    )


def _program(words: list[str], server: str) -> int:
    """Return how many of the first words are a program's name: the server's, an interpreter, a
    shell."""
    if words[0] in SHELLS:
        return 1
    if words[0].rstrip("0123456789.") == "python" and words[1:2] == ["-m"]:
        return 3
    for phrase in runtimes.starts(server):
        for begin in range(len(phrase)):
            if tuple(words[: len(phrase) - begin]) == phrase[begin:]:
                return len(phrase) - begin
    return 0


def _of_program(words: list[str], program: tuple[str, ...]) -> int:
    """Return how many of the first words repeat the image's entrypoint, or are a shell."""
    return 1 if words[0] in SHELLS or words[0] in program else 0


def _moved(container: PodContainer, args: list[object]) -> Fix:
    changes = (Put(container.path("command"), args[:1]), Put(container.path("args"), args[1:]))
    return Fix(f"move `{args[0]}` to `command`", changes)


def _dropped(container: PodContainer, args: list[object], count: int) -> Fix:
    return Fix(
        f"remove `{' '.join(map(str, args[:count]))}` from `args`",
        (Put(container.path("args"), args[count:]),),
    )


def _none(container: PodContainer, args: list[object], server: runtimes.Runtime) -> RawFinding:
    launch = server.launch
    words = () if launch is None else (*launch.command, *launch.leading)
    fix = Fix(f"start {server.title}", (Put(container.path("command"), [*words]),))
    return RawFinding(
        container.path("args", 0),
        f"the image of {server.title} does not start a server by default: the container tries to "
        f"run `{args[0]}` as a program, and never starts",
        fix=fix if words else None,
    )
