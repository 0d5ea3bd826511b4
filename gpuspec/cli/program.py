"""The name of the program: `gpuspec`; `kubectl gpuspec` or `helm gpuspec` as their plugin."""

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuspec.hosts.kubectl import KubectlDump

NAME = "gpuspec"
KUBECTL, HELM = "kubectl", "helm"
PLUGIN = "kubectl-gpuspec"
"""The file that kubectl runs."""
COMPLETION = "kubectl_complete-gpuspec"
"""The file that kubectl runs to complete its command line."""


def host() -> str | None:
    """Return the program that runs gpuspec as its plugin; None if the user runs it directly."""
    if os.path.basename(sys.argv[0]) in (PLUGIN, COMPLETION):
        return KUBECTL
    return HELM if os.environ.get("HELM_PLUGIN_NAME") == NAME else None


def program_name() -> str:
    """Return the command that the user types."""
    return " ".join(filter(None, (host(), NAME)))


def as_typed(text: str) -> str:
    """Return a help page whose commands begin with what the user types."""
    import re

    return re.sub(rf"(?m)(^\s*|\| ){NAME} (?=\w)", rf"\1{program_name()} ", text)


def current_cluster(
    kinds: str, more: str = "", instead: str = "--live FILE"
) -> "KubectlDump | None":
    """Return some kinds of the cluster of kubectl's current context; None unless kubectl runs
    gpuspec.

    `more` are kinds that a cluster may not serve, `instead` the option that names a file. Raises
    `InputError` if the cluster does not answer.
    """
    if host() != KUBECTL:
        return None
    from gpuspec.cli.terminal import say
    from gpuspec.hosts.kubectl import dumped

    return dumped(kinds, more, instead, say)
