"""Facts about disaggregated serving: how prefill servers hand the KV cache to decode servers, and
how requests are routed."""

from typing import Literal

from msgspec import Struct

from gpuspec.runtimes.fact import Fact, ServerSetting
from gpuspec.runtimes.serving import RendezvousPort


class Connector(Fact, frozen=True, kw_only=True):
    """One way in which a server hands its KV cache to another server."""

    name: Literal["nixl", "mooncake"]
    title: str
    prefill: ServerSetting
    """The setting that makes a server compute prompts only."""
    decode: ServerSetting
    """The setting that makes a server generate tokens from a received KV cache."""
    address: str = ""
    """The variable with the pod's own address, which other servers connect to; empty if the server
    finds its address."""
    since: str
    """The first release that supports the connector."""
    spans_since: str | None = None
    """The first release in which a replica on several nodes hands over its whole KV cache. None:
    every release does."""
    narrows_since: str | None = None
    """The first release in which the decode side can have fewer GPUs than the prefill side, if each
    GPU holds key-value heads of its own. None: every release can, without this condition."""
    stages: bool = False
    """Whether a KV cache that is divided into pipeline stages can be handed over."""
    bootstrap: RendezvousPort | None = None
    """The port at which decode servers ask the prefill server that computed a prompt. Each prefill
    server needs one, under the host name that the router uses. None if the prefill server sends its
    address with its answer."""


class RouterProgram(Fact, frozen=True, kw_only=True):
    """The router in front of prefill and decode servers; its options name their Services."""

    title: str
    image: str
    """The image whose options were read, with its release."""
    command: tuple[str, ...]
    mode: ServerSetting
    """The setting that turns disaggregation on; no field."""
    host: ServerSetting
    """The setting to listen on every address; no field."""
    listens: ServerSetting
    """The setting for the port to listen on; field `{port}`."""
    policy: ServerSetting | None = None
    """The setting for the choice among servers, if the default does not fit; no field."""
    startup: ServerSetting
    """The setting for how long the router waits for servers at its own start; field `{startup}`, in
    seconds."""
    timeout: ServerSetting
    """The setting for the longest time of a request; field `{timeout}`, in seconds."""
    prefill: ServerSetting
    """The setting for a prefill server; field `{url}`."""
    bootstrap: ServerSetting
    """The setting for a prefill server with a bootstrap port; fields `{url}` and `{bootstrap}`."""
    decode: ServerSetting
    """The setting for a decode server; field `{url}`."""
    connectors: dict[str, ServerSetting] = {}
    """The setting for a connector, by the connector's name; none for the router's default."""
    drain: ServerSetting | None = None
    """The setting for how long running requests may take after SIGTERM; field `{drain}`, in
    seconds. None: without a limit."""
    port: int
    readiness: str
    """The path that answers 200 once one prefill server and one decode server are ready."""
    liveness: str
    """The path that answers 200 while the router's process answers."""


class Disaggregation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How prompts are computed by pods of their own."""

    connectors: tuple[Connector, ...]
    """The connectors; the first is the default."""
    router: RouterProgram

    def connector(self, name: str | None) -> Connector | None:
        """Return the connector with this name, or the first if `name` is None. None if no connector
        has the name."""
        return next(
            (connector for connector in self.connectors if name in (None, connector.name)), None
        )
