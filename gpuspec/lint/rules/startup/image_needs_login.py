"""An image that needs a login to pull, in a pod without a pull secret."""

from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.loading.placeholders import placeholder
from gpuspec.manifests import Path
from gpuspec.manifests.json_loading import parse_json
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.buckets import account_of
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Object, Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU842",
    "image-needs-login",
    "warning",
    "An image needs a pull secret, and neither the pod nor its ServiceAccount has a valid one",
)
_DEFAULT = "default"
_TYPES = ("kubernetes.io/dockerconfigjson", "kubernetes.io/dockercfg")
_KEYS = {".dockerconfigjson", ".dockercfg"}
_NGC, _NGC_USER = "nvcr.io", "$oauthtoken"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Check pods with the default account; the secrets of another one are known only if it is in
    the set."""
    yield from _of_wrong_type(pod, context)
    flat = bool(pod.object.flat)
    if not (flat or is_whole(pod)) or items(pod.spec.get("imagePullSecrets")):
        return
    if _account_has_login(pod, context):
        return
    for container in pod.every:
        image, path = _pulled(container)
        server = runtimes.recognise(image)
        registry = None if server is None else runtimes.login(server, image)
        if registry is None or not image.startswith(f"{registry}/"):
            continue
        yield RawFinding(
            path,
            f"`{registry}` requires a login for `{image}`, but the pod has no "
            f"`{'image.pullSecrets' if flat else 'imagePullSecrets'}`: it stays in "
            "`ImagePullBackOff`, unless its ServiceAccount or node has a login",
            note=(
                "name a Secret of type `kubernetes.io/dockerconfigjson` in `image.pullSecrets`: "
                "for NVIDIA's registry the user is `$oauthtoken` and the password an API key"
            ),
            confidence="likely",
        )
        return


def _of_wrong_type(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pull secrets that hold no login, which the kubelet passes over, or a wrong one."""
    for index, pull_secret in enumerate(map(mapping, items(pod.spec.get("imagePullSecrets")))):
        name = text(pull_secret.get("name"))
        secret = context.collection.named("", "Secret", name, pod.object.namespace)
        if secret is None or not _keys(secret):
            continue
        secret_type = text(secret.value.get("type")) or "Opaque"
        fault = (
            _login_fault(secret, name)
            if secret_type in _TYPES
            else (
                f"Secret `{name}` is of type `{secret_type}`{_lacking(secret)}: the kubelet ignores the "
                "Secret, and private images are not pulled",
                "name a Secret of type `kubernetes.io/dockerconfigjson`, created by `kubectl create "
                "secret docker-registry`",
            )
        )
        if fault is not None:
            yield RawFinding(
                pod.path("imagePullSecrets", index, "name"),
                fault[0],
                note=fault[1],
                confidence="likely",
                related=(
                    RelatedPlace(secret.number, secret.path("metadata", "name"), "this Secret"),
                ),
            )


def _lacking(secret: Object) -> str:
    return " and contains no registry login" if _KEYS.isdisjoint(_keys(secret)) else ""


def _login_fault(secret: Object, name: str) -> tuple[str, str] | None:
    """Return what is wrong in the logins of a Secret that are written as text, and what to write."""
    login = text(mapping(secret.value.get("stringData")).get(".dockerconfigjson"))
    if not login or placeholder(login.replace(_NGC_USER, "")) is not None:
        return None
    try:
        config = parse_json(login)
    except ValueError:
        return None
    auths = mapping(config).get("auths")
    if not isinstance(auths, dict):
        return (
            f"Secret `{name}` has no `auths` in `.dockerconfigjson`: the kubelet finds no login, and "
            "private images are not pulled",
            'write `{"auths": {"REGISTRY": {"username": …, "password": …}}}`',
        )
    user = mapping(auths.get(_NGC)).get("username")
    if isinstance(user, str) and user != _NGC_USER and user.strip("$") in (_NGC_USER[1:], ""):
        return (
            f"the user of `{_NGC}` in Secret `{name}` is `{user}`, not `{_NGC_USER}`: the registry "
            "refuses the login",
            f"write `{_NGC_USER}`, in single quotes in a shell",
        )
    return None


def _keys(secret: Object) -> set[str]:
    return {key for field in ("data", "stringData") for key in mapping(secret.value.get(field))}


def _account_has_login(pod: Pod, context: Context) -> bool:
    """Return whether the pod's account brings a login, or may: one that is not written here."""
    name = account_of(pod)
    account = context.collection.named("", "ServiceAccount", name, pod.object.namespace)
    if account is None:
        return name != _DEFAULT
    return bool(items(account.value.get("imagePullSecrets")))


def _pulled(container: PodContainer) -> tuple[str, Path]:
    """Return an image and its path; for a NIMService, which states the image in parts, without its
    secrets."""
    parts = mapping(container.value.get("image"))
    if not parts:
        return container.image, container.path("image")
    if items(parts.get("pullSecrets")):
        return "", container.path("image")
    name = f"{text(parts.get('repository'))}:{text(parts.get('tag'))}"
    return name, container.path("image", "repository")
