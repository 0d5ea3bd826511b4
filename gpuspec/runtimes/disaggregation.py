"""Prefill and decode on servers of their own: what carries the cache between them, and what routes."""

from typing import Literal

from msgspec import Struct

from gpuspec.runtimes.fact import Fact, ServerSetting
from gpuspec.runtimes.serving import RendezvousPort


class Connector(Fact, frozen=True, kw_only=True):
    """One way in which a server hands its KV cache to another."""

    name: Literal["nixl", "mooncake"]
    title: str
    prefill: ServerSetting
    """What a server is told that only computes prompts."""
    decode: ServerSetting
    """What one is told that goes on from them."""
    address: str = ""
    """The variable that holds the pod's own address, which others are told; empty where the server
    finds it out."""
    since: str
    """The first release that knows it."""
    spans_since: str | None = None
    """The first release in which a replica on several nodes hands all of its cache over. None: any."""
    narrows_since: str | None = None
    """The first release in which a cache can go to fewer GPUs than it comes from, as long as each of them
    holds key-value heads of its own. None: any, and always."""
    stages: bool = False
    """A cache that is divided into pipeline stages can be handed over too."""
    bootstrap: RendezvousPort | None = None
    """Where decode servers ask the prefill server that computed a prompt, by the name under which the
    router knows it: each needs one of its own. None where it says its address with the answer."""


class RouterProgram(Fact, frozen=True, kw_only=True):
    """The program before both, as it is told of Services by their names."""

    title: str
    image: str
    """The image that was read for it, with its release."""
    command: tuple[str, ...]
    mode: ServerSetting
    """That there are servers of both sorts; no field."""
    host: ServerSetting
    """Listen on every address; no field."""
    listens: ServerSetting
    """Where; field `{port}`."""
    policy: ServerSetting | None = None
    """How it chooses among servers, where not as it does anyway; no field."""
    startup: ServerSetting
    """How long it waits for the servers at its own start; field `{startup}`, in seconds."""
    timeout: ServerSetting
    """How long a request may take; field `{timeout}`, in seconds."""
    prefill: ServerSetting
    """A server that computes prompts; field `{url}`."""
    bootstrap: ServerSetting
    """One that is asked at a port besides; fields `{url}` and `{bootstrap}`."""
    decode: ServerSetting
    """A server that goes on from them; field `{url}`."""
    connectors: dict[str, ServerSetting] = {}
    """What it is told of the connector, by its name, where that is not what it takes for granted."""
    drain: ServerSetting | None = None
    """How long running requests may take once it is told to stop; field `{drain}`, in seconds. None: as
    long as they do."""
    port: int
    readiness: str
    """The path that answers 200 once a server of each sort does."""
    liveness: str
    """The path that answers 200 while its process does."""


class Disaggregation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a server's prompts are computed by pods of their own."""

    connectors: tuple[Connector, ...]
    """The first one is taken where the spec names none."""
    router: RouterProgram

    def connector(self, name: str | None) -> Connector | None:
        """Return the connector of that name, or the first one; None where there is none of that
        name."""
        return next((one for one in self.connectors if name in (None, one.name)), None)
