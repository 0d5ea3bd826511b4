"""An injected proxy or agent in a pod that is done when all of its containers are."""

from collections.abc import Iterator

import msgspec

from gpuspec.kinds import an
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests import Path
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU767",
    "proxy-never-ends",
    "warning",
    "An injected sidecar keeps a finished run alive",
    fix="unsafe",
)


class Mesh(msgspec.Struct, frozen=True):
    """A mesh that injects a sidecar, and the labels that select its pods."""

    name: str
    """The container, with its maker."""
    key: str
    """The pod's label or annotation."""
    values: tuple[str, str]
    """The values that enable and disable injection."""
    at: str
    """Where the pod's is written."""
    namespace: tuple[tuple[str, str], ...]
    """Labels or annotations of a namespace that enable injection; an empty value matches any."""
    native: str
    """The annotation with which the sidecar ends with the work, or is not injected."""
    unless: str
    """When it ends with the work without that annotation; empty if never."""
    note: str
    default: bool = True
    """Whether the fix keeps it away; otherwise it sets `native`."""


_NO_PROXY = "disable the proxy, which also interferes with traffic between ranks"
_MESHES = (
    Mesh(
        "Istio's proxy",
        "sidecar.istio.io/inject",
        ("true", "false"),
        "labels",
        (("istio-injection", "enabled"), ("istio.io/rev", "")),
        "sidecar.istio.io/nativeSidecar",
        "the proxy is a native sidecar (the default since 1.27)",
        _NO_PROXY,
    ),
    Mesh(
        "Linkerd's proxy",
        "linkerd.io/inject",
        ("enabled", "disabled"),
        "annotations",
        (("linkerd.io/inject", "enabled"),),
        "config.beta.linkerd.io/proxy-enable-native-sidecar",
        "the proxy is a native sidecar (an option)",
        _NO_PROXY,
    ),
    Mesh(
        "Consul's proxy",
        "consul.hashicorp.com/connect-inject",
        ("true", "false"),
        "annotations",
        (),
        "",
        "the program ends the proxy",
        _NO_PROXY,
    ),
    Mesh(
        "Vault's agent",
        "vault.hashicorp.com/agent-inject",
        ("true", "false"),
        "annotations",
        (),
        "vault.hashicorp.com/agent-pre-populate-only",
        "",
        'set `vault.hashicorp.com/agent-pre-populate-only: "true"`, which injects an init container alone',
        default=False,
    ),
    Mesh(
        "Dapr's sidecar",
        "dapr.io/enabled",
        ("true", "false"),
        "annotations",
        (),
        "",
        "the program calls Dapr's `shutdown`",
        "let the command end with a POST to `localhost:3500/v1.0/shutdown`, or disable Dapr",
    ),
)
_ENDED = (
    *("quitquitquit", "linkerd-await", "linkerd-shutdown", "v1.0/shutdown", "agent/v1/quit"),
    "graceful_shutdown",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield finite pods with accelerators for which injection is enabled."""
    if pod.metadata_path is None or pod.spec.get("hostNetwork") is True:
        return
    if any(
        end in word.text for container in pod.every for word in container.words for end in _ENDED
    ):
        return
    owner = pod.object
    namespace = (
        context.collection.named("", "Namespace", owner.namespace) if owner.namespace else None
    )
    for mesh in _MESHES:
        where = _asked(pod, mesh, namespace)
        if where is None:
            continue
        path = (*pod.metadata_path, mesh.at, mesh.key)
        set_path = path if mesh.default else (*pod.metadata_path, "annotations", mesh.native)
        unless = f", unless {mesh.unless}" if mesh.unless else ""
        yield RawFinding(
            path,
            f"{mesh.name} keeps running after the work has ended: {an(owner.kind)} never "
            f"completes and keeps its GPUs{unless}",
            note=mesh.note,
            confidence="possible",
            fix=set_field(set_path, mesh.values[1] if mesh.default else "true"),
            related=where,
        )


def _asked(pod: Pod, mesh: Mesh, namespace: Object | None) -> tuple[RelatedPlace, ...] | None:
    """Return what enables injection outside the pod itself; None if nothing does."""
    label = pod.labels.get(mesh.key, pod.annotations.get(mesh.key))
    annotations = {**pod.annotations, **(namespace.annotations if namespace is not None else {})}
    if (
        annotations.get(mesh.native, "false") not in ("false", False)
        or label == mesh.values[1]
        or label is False
    ):
        return None
    if label is not None:
        return ()
    if namespace is None:
        return None
    for key, value in mesh.namespace:
        for field, key_values in (
            ("labels", namespace.labels),
            ("annotations", namespace.annotations),
        ):
            if key in key_values and value in ("", key_values[key]):
                path: Path = namespace.path("metadata", field, key)
                return (RelatedPlace(namespace.number, path, "enables it for all pods"),)
    return None
