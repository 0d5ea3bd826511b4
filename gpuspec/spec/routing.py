"""How clients come to a server from outside: the cluster's edge, and the route of one workload."""

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
"""What of the cluster's edge is known to need more than a route."""


class Picker(Model):
    """Who picks the server that a request goes to, by queue and cache: an endpoint picker."""

    image: Annotated[
        NonEmpty | None,
        doc(
            "Image of the picker that is rendered beside each server: that of Gateway API's "
            "inference extension, or llm-d's.",
            "registry.k8s.io/gateway-api-inference-extension/epp:v1.5.0",
        ),
    ] = None
    version: Annotated[
        Version | None,
        doc("Its release, where no tag of `image` says it.", "1.5.0"),
    ] = None
    cpu: Annotated[
        Quantity,
        doc("CPU request in cores; there is no limit. Its chart's own unless set.", 2, default=4),
    ] = quantity("4")
    memory: Annotated[
        Quantity,
        doc("Memory request and limit in bytes.", "4Gi", default="8Gi"),
    ] = quantity("8Gi")
    service: Annotated[
        LabelName | None,
        doc(
            "Service of a picker that the platform runs itself, in the namespace of the servers.",
            "picker",
        ),
    ] = None
    port: Annotated[Port, doc("Port of that Service.", 9002)] = 9002


class Gateway(Model):
    """What routes are attached to: a Gateway of Gateway API, or the router of OpenShift."""

    name: Annotated[
        ObjectName | None, doc("Name of the Gateway. OpenShift's router needs none.", "public")
    ] = None
    namespace: Annotated[
        LabelName | None,
        doc("Its namespace. It has to allow routes of the servers'.", "gateway"),
    ] = None
    listener: Annotated[
        ObjectName | None,
        doc("The one of its listeners that routes are for. Unset: every one.", "https"),
    ] = None
    implementation: Annotated[
        Implementation | None,
        doc(
            "What serves it, where more than a route is to be said: `envoy-gateway`, with its version "
            "in `installed`; `gke`; or `openshift-router`, for which Routes are made instead. Unset: a "
            "route alone.",
            "envoy-gateway",
        ),
    ] = None
    picker: Annotated[
        Picker | None,
        doc(
            "The endpoint picker of servers with a route, each of which becomes an InferencePool: the "
            "Gateway has to support these. Needs `inference-extension` in `installed`. Unset: routes "
            "lead to Services.",
            {"image": "registry.k8s.io/gateway-api-inference-extension/epp:v1.5.0"},
        ),
    ] = None


class Route(Model):
    """What a Gateway sends to the server."""

    hosts: Annotated[
        tuple[RoutedHost, ...],
        doc("Hosts that clients ask for. Empty: those of the Gateway.", ["chat.example.com"]),
    ] = ()
    paths: Annotated[
        tuple[AbsolutePath, ...],
        doc("What their paths begin with. Empty: every path.", ["/v1"]),
    ] = ()
    timeout: Annotated[
        Duration | None,
        doc(
            "Longest answer, to the last byte of a stream, after which the Gateway ends the request. "
            "Unset: `longestRequest`.",
            "10m",
        ),
    ] = None
