"""How clients come to a server from outside: a cluster's Gateway, and the route of one workload."""

from gpuspec.spec.forms import AbsolutePath, LabelName, ObjectName, RoutedHost
from gpuspec.spec.types import Annotated, Duration, Model, doc


class Gateway(Model):
    """The Gateway that routes are attached to."""

    name: Annotated[ObjectName, doc("Its name.", "public")]
    namespace: Annotated[
        LabelName, doc("Its namespace. It has to allow routes of the servers'.", "gateway")
    ]
    listener: Annotated[
        ObjectName | None,
        doc("The one of its listeners that routes are for. Unset: every one.", "https"),
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
