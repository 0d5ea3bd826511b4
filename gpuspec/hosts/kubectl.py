"""The cluster of kubectl's current context, as kubectl prints it."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

KUBECTL = "kubectl"
_NO_SUCH_KIND = "doesn't have a resource type"


class KubectlDump(io.BytesIO):
    """kubectl's output for a cluster."""

    def __init__(self, context: str, printed: bytes) -> None:
        super().__init__(printed)
        self.name = context


def dumped(kinds: str, more: str, instead: str, tell: Callable[[str], None]) -> KubectlDump:
    """Get objects of some kinds from the cluster of the current context, and of others if it has
    them.

    `instead`: the option that names a file. `tell` receives the command, and the kinds that kubectl
    may not read. Raises `InputError` with kubectl's message if it prints nothing.
    """
    from gpuspec import InputError, Problem

    context = _ask("config", "current-context")[0].decode(errors="replace").strip() or "default"
    for requested_kinds in (f"{kinds},{more}", kinds) if more else (kinds,):
        tell(f"asking {context}: kubectl get {requested_kinds} -A -o json")
        printed, stderr_text = _ask("get", requested_kinds, "-A", "-o", "json")
        if printed or _NO_SUCH_KIND not in stderr_text:
            break
    lines = [line for line in stderr_text.splitlines() if line.strip()]
    if not printed:
        why = lines[-1] if lines else "kubectl printed nothing"
        hint = f"check that kubectl get {kinds} -A works; to read a file instead: {instead}"
        raise InputError([Problem(f"context {context}: kubectl: {why}", hint=hint)])
    for line in lines:
        tell(line)
    return KubectlDump(context, printed)


def _ask(*words: str) -> tuple[bytes, str]:
    """Return kubectl's output and its messages."""
    import subprocess

    from gpuspec import InputError, Problem

    try:
        done = subprocess.run(
            [KUBECTL, *words], capture_output=True, check=False, stdin=subprocess.DEVNULL
        )
    except OSError as error:
        raise InputError([Problem(f"{KUBECTL}: {error.strerror}")]) from None
    return done.stdout, done.stderr.decode(errors="replace")
