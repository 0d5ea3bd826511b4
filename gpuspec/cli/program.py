"""What the program is called: `gpuspec`; `kubectl gpuspec` or `helm gpuspec` where it is their plugin."""

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
"""The file that kubectl runs when its line is completed."""


def host() -> str | None:
    """Return whose plugin we are run as; None where people run us."""
    if os.path.basename(sys.argv[0]) in (PLUGIN, COMPLETION):
        return KUBECTL
    return HELM if os.environ.get("HELM_PLUGIN_NAME") == NAME else None


def program_name() -> str:
    """Return what people type."""
    return " ".join(filter(None, (host(), NAME)))


def as_typed(text: str) -> str:
    """Return a help page whose commands begin with what people type."""
    import re

    return re.sub(rf"(?m)(^\s*|\| ){NAME} (?=\w)", rf"\1{program_name()} ", text)


def current_cluster(
    kinds: str, more: str = "", instead: str = "--live FILE"
) -> "KubectlDump | None":
    """Return the cluster of kubectl's current context, asked for some kinds; None where it does not
    run us.

    `more` are kinds that a cluster may not serve, `instead` how a file is given. Raises `InputError` where it does not answer.
    """
    if host() != KUBECTL:
        return None
    from gpuspec.cli.terminal import say
    from gpuspec.hosts.kubectl import dumped

    return dumped(kinds, more, instead, say)
