"""A rollout that ends every warm replica before the first new one has loaded."""

from collections.abc import Iterator

from gpuspec.lint.analysis.serving.rollout import replacing
from gpuspec.lint.analysis.serving.selecting import asking
from gpuspec.lint.analysis.serving.servers import answers, gpu_workers, is_first, server_of
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU514",
    "rollout-ends-all",
    "warning",
    "A rollout stops all warm replicas at once",
    fix="unsafe",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield `Recreate`, or as many unavailable as there are, with several replicas that serve."""
    how = replacing(pod.object, context.collection)
    if how is None or how.replicas < 2 or how.unavailable < how.replicas:
        return
    if not is_first(pod) or not answers(pod):
        return
    serves = any(server_of(gpu_worker) is not None for gpu_worker in gpu_workers(pod))
    if not serves and not asking(pod, context.collection):
        return
    path = how.strategy
    strategy_text = "`Recreate`" if how.at_once else f"`maxUnavailable` of {how.unavailable}"
    new_strategy = {"type": "RollingUpdate", how.rolling: {"maxSurge": 0, "maxUnavailable": 1}}
    yield RawFinding(
        path,
        f"{strategy_text} with `{how.replicas_in}` {how.replicas}: a rollout stops all replicas at once, "
        "and no request is answered until a new one has loaded its model",
        fix=set_field(path, new_strategy),
    )
