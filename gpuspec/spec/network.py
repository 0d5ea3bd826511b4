"""Allowed network traffic of servers: for a whole cluster, and in addition for one workload."""

from gpuspec.spec.forms import HostName, LabelName, NonEmpty, Port
from gpuspec.spec.metadata import Labels
from gpuspec.spec.types import Annotated, Model, doc


class Peer(Model):
    """An allowed peer of a server: pods by namespace, by labels, or both; or addresses."""

    namespace: Annotated[
        LabelName | None, doc("Namespace, by name. Default: the server's own.", "gateway")
    ] = None
    pods: Annotated[Labels, doc("Labels of the pods. Default: all pods.", {"app": "gateway"})] = {}
    cidr: Annotated[
        NonEmpty | None,
        doc("IP addresses of callers that are not pods, instead of both.", "10.0.0.0/8"),
    ] = None


class Egress(Model):
    """An allowed destination of a server, in addition to DNS and, if it downloads, HTTPS: pods,
    addresses or a host."""

    namespace: Annotated[
        LabelName | None, doc("Namespace, by name. Default with `pods`: its own.", "storage")
    ] = None
    pods: Annotated[Labels, doc("Labels of the pods. Default: all pods.", {"app": "redis"})] = {}
    cidr: Annotated[NonEmpty | None, doc("Addresses.", "10.0.0.0/8")] = None
    fqdn: Annotated[
        HostName | None,
        doc(
            "Host name; `*` stands for any label, as in `*.example.com`. Needs Cilium in "
            "the profile: a NetworkPolicy cannot match names.",
            "huggingface.co",
        ),
    ] = None
    ports: Annotated[
        tuple[Port, ...], doc("TCP ports; empty, and no `udp`, means all ports.", [443])
    ] = ()
    udp: Annotated[tuple[Port, ...], doc("UDP ports.", [4791])] = ()


class Network(Model):
    """The peers that network policies must allow."""

    ingress: Annotated[tuple[Peer, ...], doc("Who may call a server.", [{"namespace": "gateway"}])]
    metrics: Annotated[
        tuple[Peer, ...], doc("Who may scrape it.", [{"namespace": "monitoring"}])
    ] = ()
    egress: Annotated[tuple[Egress, ...], doc("What it may reach.", [{"cidr": "10.0.0.0/8"}])] = ()
    dns: Annotated[
        NonEmpty | None,
        doc(
            "Address of the node-local DNS cache, which pods use instead of the DNS Service.",
            "169.254.20.10",
        ),
    ] = None


class Traffic(Model):
    """The peers of one server, in addition to those in the profile for all servers."""

    ingress: Annotated[tuple[Peer, ...], doc("Additional callers.", [{"namespace": "search"}])] = ()
    egress: Annotated[
        tuple[Egress, ...],
        doc("Additional destinations.", [{"pods": {"app": "redis"}, "ports": [6379]}]),
    ] = ()
    peers: Annotated[
        tuple[Peer, ...],
        doc(
            "Servers that share its work, such as decode servers with prefill servers: "
            "each may reach any port of the other, since cache transfers use random ones.",
            [{"pods": {"app.kubernetes.io/name": "chat-decode"}}],
        ),
    ] = ()
