"""Access to a server from outside: the cluster's gateway, and the route of one workload."""

from typing import Literal

from gpuspec.manifests import Quantity
from gpuspec.spec.forms import (
    AbsolutePath,
    LabelName,
    NonEmpty,
    ObjectName,
    Port,
    RoutedHost,
    Version,
)
from gpuspec.spec.types import Annotated, Duration, Model, doc, quantity

Implementation = Literal["envoy-gateway", "gke", "openshift-router"]
"""The gateway implementations that are known to need more than a route."""


class Picker(Model):
    """An endpoint picker, which chooses the server for a request by queue and cache."""

    image: Annotated[
        NonEmpty | None,
        doc(
            "Image of the picker that is rendered for each server: that of Gateway API's "
            "inference extension, or llm-d's.",
            "registry.k8s.io/gateway-api-inference-extension/epp:v1.5.0",
        ),
    ] = None
    version: Annotated[
        Version | None,
        doc("Its release, if the tag of `image` does not say it.", "1.5.0"),
    ] = None
    cpu: Annotated[
        Quantity,
        doc("CPU request in cores; there is no limit. Default: its chart's.", 2, default=4),
    ] = quantity("4")
    memory: Annotated[
        Quantity,
        doc("Memory request and limit in bytes.", "4Gi", default="8Gi"),
    ] = quantity("8Gi")
    service: Annotated[
        LabelName | None,
        doc(
            "Service of a picker that the platform runs, in the servers' namespace.",
            "picker",
        ),
    ] = None
    port: Annotated[Port, doc("Port of that Service.", 9002)] = 9002


class Gateway(Model):
    """The gateway to which routes attach: a Gateway of Gateway API, or OpenShift's router."""

    name: Annotated[
        ObjectName | None, doc("Name of the Gateway. OpenShift's router has none.", "public")
    ] = None
    namespace: Annotated[
        LabelName | None,
        doc("Its namespace. It must allow routes from the servers' namespaces.", "gateway"),
    ] = None
    listener: Annotated[
        ObjectName | None,
        doc("The listener for the routes. Default: all.", "https"),
    ] = None
    implementation: Annotated[
        Implementation | None,
        doc(
            "Implementation, for settings beyond a route: `envoy-gateway`, with its "
            "version in `installed`; `gke`; or `openshift-router`, which gets Routes "
            "instead. Default: only a route.",
            "envoy-gateway",
        ),
    ] = None
    picker: Annotated[
        Picker | None,
        doc(
            "The endpoint picker of servers with a route, each of which becomes an "
            "InferencePool: the Gateway must support these. Needs `inference-extension` in "
            "`installed`. Default: routes lead to Services.",
            {"image": "registry.k8s.io/gateway-api-inference-extension/epp:v1.5.0"},
        ),
    ] = None


class Route(Model):
    """The requests that a Gateway sends to the server."""

    hosts: Annotated[
        tuple[RoutedHost, ...],
        doc("Host names. Empty: those of the Gateway.", ["chat.example.com"]),
    ] = ()
    paths: Annotated[
        tuple[AbsolutePath, ...],
        doc("Path prefixes. Empty: all paths.", ["/v1"]),
    ] = ()
    timeout: Annotated[
        Duration | None,
        doc(
            "Longest answer, to the last byte of a stream, after which the Gateway ends "
            "the request. Default: `longestRequest`.",
            "10m",
        ),
    ] = None
