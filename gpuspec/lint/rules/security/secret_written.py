"""A credential in plain text."""

from collections.abc import Iterator

from gpuspec.lint.analysis.reading.blanks import fills_in
from gpuspec.lint.analysis.security import secrets
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU611",
    "secret-in-plain-text",
    "warning",
    "A credential is written in plain text",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield variables that are known to hold one, flags likewise, and what looks like one
    anywhere."""
    for container in pod.every:
        yield from _variables(pod, container)
        yield from _words(container)


def _variables(pod: Pod, container: PodContainer) -> Iterator[RawFinding]:
    for name, (index, entry) in container.env.items():
        value, is_known = entry.get("value"), name in secrets.variables()
        if not isinstance(value, str) or not (is_known or secrets.is_credential(value)):
            continue
        if secrets.is_nothing(value) or fills_in(pod.object, value):
            continue
        path = container.path("env", index, "value")
        if is_known and not secrets.is_chosen(name) and secrets.is_stand_in(value):
            yield RawFinding(
                path,
                f"`{name}` is `{value}`, a placeholder: a request with this credential gets the "
                "answer 401",
                note=f"{_note(name)}, or remove the variable if no credential is needed",
                severity="info",
            )
        elif not value.startswith("$") or secrets.is_credential(value):
            yield RawFinding(
                path,
                f"`{name}` is a credential in plain text: it is visible in this file, in the "
                "repository's history and in the pod",
                note=_note(name) + ", and revoke this credential",
                confidence="certain" if secrets.is_credential(value) else "likely",
            )


def _words(container: PodContainer) -> Iterator[RawFinding]:
    flag = container.words.flag(*secrets.flags())
    value = flag.value if flag is not None else None
    if flag is not None and value and not secrets.is_nothing(value):
        chosen = secrets.is_chosen(flag.name) and not value.startswith(("$", "<", "{"))
        if chosen or not secrets.is_stand_in(value):
            yield RawFinding(
                flag.path,
                f"`{flag.name}` has a credential in plain text: it is visible in this file, in "
                "the pod, and in the node's process list",
                note=_unwritten(container),
                confidence="likely",
            )
            return
    for word in container.words.all:
        if secrets.is_credential(word.text):
            yield RawFinding(
                word.path,
                "the command line contains a credential in plain text: it is visible in this "
                "file, in the pod, and in the node's process list",
                note=(
                    "set the variable from a Secret with `env` and `valueFrom.secretKeyRef`, and "
                    "revoke this credential"
                ),
            )
            return


def _unwritten(container: PodContainer) -> str:
    """Return how a server gets its key without the command line, which every user of the node can
    read."""
    server = server_of(container)
    key = None if server is None else server.settings.api_key
    if server is None or key is None or not key.environment:
        return f"{_note('NAME')}, and pass it as `$(NAME)`"
    name = key.environment[0].partition("=")[0]
    return f"remove the option, and {_note(name)}: {server.title} reads the variable"


def _note(name: str) -> str:
    return f"set `{name}` with `valueFrom.secretKeyRef`, which names a Secret and its key"
