"""What the program is called: `gpuspec`, or `kubectl gpuspec` where kubectl runs it as a plugin."""

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuspec.hosts.kubectl import Dump

NAME = "gpuspec"
PLUGIN = "kubectl-gpuspec"
"""The file that kubectl runs."""
COMPLETION = "kubectl_complete-gpuspec"
"""The file that kubectl runs when its line is completed."""


def is_plugin() -> bool:
    """Whether kubectl runs us."""
    return os.path.basename(sys.argv[0]) in (PLUGIN, COMPLETION)  # noqa: PTH119


def program_name() -> str:
    """What people type."""
    return f"kubectl {NAME}" if is_plugin() else NAME


def as_typed(text: str) -> str:
    """A help page whose commands begin with what people type."""
    import re

    call = re.compile(rf"(^\s*|\| ){NAME} (?=\w)", re.MULTILINE)
    return call.sub(rf"\1{program_name()} ", text) if is_plugin() else text


def current_cluster(kinds: str, more: str = "") -> "Dump | None":
    """The cluster of kubectl's current context, asked for some kinds; None where we are no plugin.

    `more` are kinds that a cluster may not serve. Raises `InputError` where it does not answer.
    """
    if not is_plugin():
        return None
    from gpuspec.cli.terminal import say
    from gpuspec.hosts.kubectl import dumped

    return dumped(kinds, more, say)
