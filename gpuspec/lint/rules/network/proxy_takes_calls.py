"""A proxy for programs that call Services of the cluster, which it cannot reach."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.network.addresses import Address, addresses, service_at
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU989",
    "proxy-takes-calls",
    "warning",
    "A proxy is set for addresses of the cluster, which it does not know",
)
_PROXIES = {
    "http": ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"),
    "https": ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"),
}
_EXCEPTIONS = ("no_proxy", "NO_PROXY")
_INSIDE = ".svc"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield, for each container, the first address of a Service that goes to the proxy."""
    for container in pod.every:
        if container.value.get("envFrom"):
            continue
        for address in addresses(pod):
            if address.path[: len(container.path())] != container.path():
                continue
            finding = _of_address(pod, container, address, context)
            if finding is not None:
                yield finding
                break


def _of_address(
    pod: Pod, container: PodContainer, address: Address, context: Context
) -> RawFinding | None:
    names = _PROXIES.get(address.scheme, ())
    proxy = next((name for name in names if container.env_value(name)), None)
    if proxy is None or _is_inside(container.env_value(proxy) or "", pod, context):
        return None
    if not _is_inside(address.text, pod, context):
        return None
    exception = next((name for name in _EXCEPTIONS if name in container.env), None)
    text = "" if exception is None else container.env_value(exception)
    if text is None or "$" in text or _is_excepted(address.host, text):
        return None
    wildcard = _is_excepted(address.host, text.replace("*.", "."))
    lacks = (
        f"`{exception}` has no entry for it"
        if exception is not None and not wildcard
        else "Python and curl do not know `*` in `NO_PROXY`"
        if wildcard
        else "`NO_PROXY` is not set"
    )
    return RawFinding(
        (*container.env_path(exception or proxy), "value"),
        f"`{proxy}` takes the calls to `{address.host}`, since {lacks}: the proxy does not resolve "
        "names of the cluster, and the calls fail",
        note=(
            "write the ending without the `*`: `.svc,.cluster.local`"
            if wildcard
            else f"set `NO_PROXY` to `localhost,127.0.0.1,.svc,.cluster.local,{address.host}`"
        ),
        confidence="likely",
        related=(RelatedPlace(pod.object.number, address.path, "the address"),),
    )


def _is_inside(url: str, pod: Pod, context: Context) -> bool:
    host = url.rpartition("://")[2].partition("/")[0].partition(":")[0]
    ending = f"{host}."
    return f"{_INSIDE}." in ending or service_at(host, pod, context.collection) is not None


def _is_excepted(host: str, text: str) -> bool:
    """Return whether an entry is the host, or an ending of it; networks do not match names."""
    entries = [entry.strip().partition(":")[0].lstrip(".") for entry in text.split(",")]
    return any(
        entry == "*" or (entry and (host == entry or host.endswith(f".{entry}")))
        for entry in entries
    )
