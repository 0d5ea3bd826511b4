"""A model without the revision that the organisation's contracts require."""

from collections.abc import Iterator

from gpuspec.lint.analysis.serving.hub import hub_model, is_pinned
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU915",
    "revision-against-contract",
    "error",
    "A model from a hub has no pinned revision",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield servers that download a model, against the profile's contracts."""
    if context.cluster is None or not context.cluster.contracts.revisions:
        return
    for container in pod.containers:
        server = server_of(container)
        model = hub_model(container, server) if server is not None else None
        if server is None or model is None or is_pinned(container, server):
            continue
        yield RawFinding(
            model.path,
            f"`{model.name}` has no revision, which the profile's `contracts` require: each "
            "start loads the hub's newest version, so the version that answered a request is "
            "unknown",
            note="pin a commit with `--revision`"
            if server.settings.revision is not None
            else (
                f"mount weights that were downloaded at a known commit: {server.title} has no "
                "option for a revision"
            ),
        )
