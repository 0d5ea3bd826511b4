"""The cluster of kubectl's current context, as kubectl prints it."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

KUBECTL = "kubectl"
_NO_SUCH_KIND = "doesn't have a resource type"


class KubectlDump(io.BytesIO):
    """What kubectl printed of a cluster."""

    def __init__(self, context: str, printed: bytes) -> None:
        super().__init__(printed)
        self.name = context


def dumped(kinds: str, more: str, instead: str, tell: Callable[[str], None]) -> KubectlDump:
    """Ask the cluster of the current context for objects of some kinds, and of others where it has them.

    `instead`: how a file is given. `tell` hears what is asked for, and what kubectl may not read. Raises `InputError` with what
    kubectl says where it prints nothing.
    """
    from gpuspec import InputError, Problem

    context = _ask("config", "current-context")[0].decode(errors="replace").strip() or "default"
    for asked in (f"{kinds},{more}", kinds) if more else (kinds,):
        tell(f"asking {context}: kubectl get {asked} -A -o json")
        printed, stderr_text = _ask("get", asked, "-A", "-o", "json")
        if printed or _NO_SUCH_KIND not in stderr_text:
            break
    lines = [line for line in stderr_text.splitlines() if line.strip()]
    if not printed:
        why = lines[-1] if lines else "it printed nothing"
        hint = f"does kubectl get {kinds} -A answer? to read a file instead: {instead}"
        raise InputError([Problem(f"context {context}: kubectl: {why}", hint=hint)])
    for line in lines:
        tell(line)
    return KubectlDump(context, printed)


def _ask(*words: str) -> tuple[bytes, str]:
    """Return what kubectl prints, and says."""
    import subprocess

    from gpuspec import InputError, Problem

    try:
        done = subprocess.run(
            [KUBECTL, *words], capture_output=True, check=False, stdin=subprocess.DEVNULL
        )
    except OSError as error:
        raise InputError([Problem(f"{KUBECTL}: {error.strerror}")]) from None
    return done.stdout, done.stderr.decode(errors="replace")
