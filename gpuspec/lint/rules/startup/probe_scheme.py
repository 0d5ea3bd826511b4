"""A probe that speaks HTTP to a server that speaks TLS, or the other way round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.lint.analysis.serving.probes import handler, number_of, port_of, probes
from gpuspec.lint.analysis.serving.servers import listening, server_of
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests.values import mapping, text
from gpuspec.objects.scheduling import is_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.analysis.serving.probes import Kind
    from gpuspec.lint.context import Context
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod
    from gpuspec.runtimes import Runtime

RULE = Rule(
    "GPU797",
    "probe-scheme",
    "error",
    "A probe and its server disagree about TLS",
    fix="unsafe",
)
_HARM = {
    "startup": "the kubelet kills the container repeatedly",
    "readiness": "the pod never becomes ready",
    "liveness": "the kubelet kills the container repeatedly",
}


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Check known servers whose certificate option is known."""
    for container in pod.containers:
        server = server_of(container)
        if server is None or server.certificate is None:
            continue
        where = listening(container, server)
        if where is None:
            continue
        certificate = _certificate(container, server)
        # What else may say a certificate is not seen in an object that another one completes.
        if certificate is None and not is_whole(pod):
            continue
        for kind, probe in probes(container):
            handler_entry = handler(probe)
            if handler_entry is None or handler_entry[0] != "httpGet":
                continue
            if number_of(container, port_of(probe)) == where.port:
                yield from _judge(
                    container, server, certificate, kind, mapping(probe.get("httpGet"))
                )


def _certificate(container: PodContainer, server: Runtime) -> str | None:
    """Return the option or the variable that tells the server a certificate."""
    certificate = server.certificate
    assert certificate is not None
    flag = container.words.flag(*certificate.options) if certificate.options else None
    if flag is not None:
        return flag.name
    return next((name for name in certificate.variables if name in container.env), None)


def _judge(
    container: PodContainer,
    server: Runtime,
    tls_option: str | None,
    kind: Kind,
    http_get: dict[str, Any],
) -> Iterator[RawFinding]:
    scheme = text(http_get.get("scheme")) or "HTTP"
    path = container.path(f"{kind}Probe", "httpGet", "scheme")
    if tls_option is not None and scheme == "HTTP":
        yield RawFinding(
            path,
            f"`{kind}Probe` uses HTTP, but `{tls_option}` makes {server.title} use TLS: every "
            f"probe fails, and {_HARM[kind]}",
            fix=Fix("set `scheme: HTTPS`", (Put(path, "HTTPS"),)),
        )
    elif tls_option is None and scheme == "HTTPS":
        yield RawFinding(
            path,
            f"`{kind}Probe` uses HTTPS, but {server.title} has no certificate: every probe "
            f"fails, and {_HARM[kind]}",
            severity="warning",
            confidence="likely",
            fix=Fix("write `HTTP`", (Put(path, "HTTP"),)),
        )
