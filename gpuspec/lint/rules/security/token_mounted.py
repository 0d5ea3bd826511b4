"""A model server that is given a token for the API server."""

from collections.abc import Iterator

from gpuspec.lint.analysis.security.accounts import is_bound
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.buckets import account_of
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU612",
    "token-mounted",
    "info",
    "A model server has an API server token that it does not need",
    fix="unsafe",
)
_FIELD = "automountServiceAccountToken"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods of nothing but model servers, of kinds that no operator reaches into."""
    by_kuberay = pod.object.group == "ray.io" or pod.object.traits.clusters
    if pod.life != "service" or by_kuberay or not is_whole(pod):
        return
    running = [container for container in pod.every if container.stage in ("main", "sidecar")]
    if _FIELD in pod.spec or not pod.containers or not all(map(server_of, running)):
        return
    name = account_of(pod)
    # Where a role is given to its account, somebody means to use it.
    if is_bound(name, pod.object.namespace, context.collection) or _says_no(name, pod, context):
        return
    server = server_of(pod.containers[0])
    assert server is not None
    at = pod.path(_FIELD)
    yield RawFinding(
        at,
        f"{server.title} does not use the API server, but the token of ServiceAccount `{name}` "
        "is mounted: code that comes with a model can use the token",
        fix=set_field(at, False),
    )


def _says_no(name: str, pod: Pod, context: Context) -> bool:
    account = context.collection.named("", "ServiceAccount", name, pod.object.namespace)
    return account is not None and account.value.get(_FIELD) is False
