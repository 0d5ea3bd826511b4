"""How a server is started, asked, measured and stopped."""

from typing import Literal

from msgspec import Struct

from gpuspec.runtimes.fact import Fact, ServerSetting, Variable


class ServerLaunch(Fact, frozen=True, kw_only=True):
    """How the container is told to start the server."""

    command: tuple[str, ...] = ()
    """Kubernetes `command`; empty keeps the image's entrypoint."""
    divides: bool = False
    """The image's entrypoint hands its arguments on without quotes: they fall apart at blanks."""
    leading: tuple[str, ...] = ()
    """The first words of Kubernetes `args`, before any setting's."""


class MultiNodeSetting(ServerSetting, frozen=True, kw_only=True):
    """How one replica is started on several nodes, each a pod that is told all of it.

    Fields `{nodes}`, `{rank}` of the pod, from 0, and `{first}` and `{port}`: where rank 0 listens.
    """

    follower: tuple[str, ...] = ()
    """What ranks other than 0 are told besides."""
    since: str | None = None
    """The first version that can. None: any does."""


class ServerPort(Fact, frozen=True, kw_only=True):
    """A TCP port of the server."""

    name: str
    """As the container port and the Service port are called."""
    number: int
    """The port to use: at least 1024, so that a user other than root can listen on it."""
    default: int | None
    """The port on which the published image listens when it is told nothing; None where its
    versions differ."""
    setting: ServerSetting | None = None
    """How the port is moved; field `{port}`."""


class ListenAddress(Fact, frozen=True, kw_only=True):
    """The address that the server listens on."""

    options: tuple[str, ...] = ()
    """The options that say which."""
    variables: tuple[str, ...] = ()
    """The variables that say which, where no option does; a port may stand behind the address."""
    loopback: bool = False
    """Where nothing is said, in the image either, only the pod's own processes reach it."""


class Certificate(Fact, frozen=True, kw_only=True):
    """How the server is told a certificate, from which on it speaks TLS alone on its port."""

    options: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the server can be told, by what is meant; None where the server has no such thing."""

    model: ServerSetting | None = None
    """A model by its name in the hub; field `{model}`."""
    path: ServerSetting | None = None
    """A model in a mounted folder, in place of `model`; field `{path}`."""
    revision: ServerSetting | None = None
    """Revision of a model in the hub, after `model`; fields `{revision}` and perhaps `{model}`."""
    served_name: ServerSetting | None = None
    """The name clients ask for; field `{served_name}`."""
    tensor: ServerSetting | None = None
    """Tensor parallelism: GPUs that share each layer; field `{tensor}`."""
    pipeline: ServerSetting | None = None
    """Pipeline parallelism: stages of layers; field `{pipeline}`."""
    max_length: ServerSetting | None = None
    """Longest context, in tokens; field `{max_length}`."""
    quantization: ServerSetting | None = None
    """Method by which weights are held in fewer bits; field `{quantization}`."""
    memory_fraction: ServerSetting | None = None
    """Share of each GPU's memory the server takes, 0 to 1; field `{memory_fraction}`."""
    host: ServerSetting | None = None
    """Listen on every address, where that is not what the server does anyway; no field."""
    metrics: ServerSetting | None = None
    """Turn the metrics on, where they are off; no field."""
    offload: ServerSetting | None = None
    """Put the whole model on the GPU, where some version leaves it to the CPU; no field."""
    chat_template: ServerSetting | None = None
    """Template by which a chat becomes a prompt, a file; field `{chat_template}`."""
    trust: ServerSetting | None = None
    """Run code that comes with the model; no field. Never set by us; known so it can be found."""
    api_key: ServerSetting | None = None
    """The key that clients have to show; field `{api_key}`. Never set by us, as `trust`."""


class Adapters(Fact, frozen=True, kw_only=True):
    """How the server is told of LoRA adapters, by one of `option`, `variable` and `folder`.

    The first two are told each as `name=folder`, or `name=name-in-the-hub`.
    """

    option: str | None = None
    """Before all of them."""
    variable: str | None = None
    """Variable that holds all of them, with commas between."""
    folder: str | None = None
    """Variable that names the folder in which each lies under its own name."""
    hub: bool = True
    """It downloads those that are told by their name in the hub."""
    since: str | None = None
    """The first release that can be told so. None: any can."""
    switches: tuple[str, ...] = ()
    """What turns adapters on besides."""
    rank: ServerSetting | None = None
    """The largest rank that room is set aside for; field `{rank}`."""
    ranks: tuple[int, ...] = ()
    """The ranks that it takes, from the least on; empty where it takes any."""
    default_rank: int | None = None
    """The largest rank when it is told none; None where it looks itself."""


class Untold(Fact, frozen=True, kw_only=True):
    """Why a server cannot be told of LoRA adapters; `why` is read by whoever tries."""


class Parallel(Fact, frozen=True, kw_only=True):
    """How a command line tells on how many GPUs the model runs, besides what `settings` writes."""

    tensor: tuple[str, ...] = ()
    """Other names of the option of `settings.tensor`."""
    pipeline: tuple[str, ...] = ()
    """Other names of the option of `settings.pipeline`."""
    data: tuple[str, ...] = ()
    """Options for how many copies of the model there are."""
    local: tuple[str, ...] = ()
    """Options for how many of the copies are the pod's own."""
    more: tuple[str, ...] = ()
    """Other options whose number multiplies the GPUs."""
    nodes: tuple[str, ...] = ()
    """Options for the number of pods that share the work."""
    elsewhere: tuple[str, ...] = ()
    """Options with which the command line does not tell all: other pods' ranks, a file."""
    variables: tuple[str, ...] = ()
    """Variables that mean the same as the option of `settings.tensor`; several are multiplied."""
    told_by: tuple[str, ...] = ()
    """Variables with which these do not tell all: others that go before them, other pods' parts."""
    cpu: tuple[str, ...] = ()
    """`NAME=value` each: options and variables that leave the model to the CPU."""
    alone: bool = False
    """It uses one GPU when it is told nothing; others take all that they see."""


class CapabilityDemand(Fact, frozen=True, kw_only=True):
    """What an option's value demands of the GPU; on an older one the server ends at its start."""

    options: tuple[str, ...]
    """Its names."""
    values: tuple[str, ...]
    capability: tuple[int, int]
    """The least CUDA compute capability, of all versions of the server."""


class ServerProbe(Fact, frozen=True, kw_only=True):
    """An HTTP GET that Kubernetes makes."""

    path: str
    port: str
    """Name of the port."""
    proves: str
    """What an answer of 200 proves, and what it does not."""
    period: int
    """Seconds from one probe to the next."""
    timeout: int
    """Seconds to wait for the answer."""
    failures: int | None = None
    """Failures in a row that count; None for the startup probe, whose number follows from the
    model's size and the storage's bandwidth."""


class Slow(Fact, frozen=True, kw_only=True):
    """A path whose answer takes its time even on an idle server."""

    path: str
    seconds: int
    """It takes at least so long, so that a shorter timeout never sees an answer."""
    unless: str = ""
    """`NAME=value` of the variable with which it answers at once."""


class WarmUp(Fact, frozen=True, kw_only=True):
    """Paths that answer 200 once the model is loaded, while its first request still runs."""

    paths: tuple[str, ...]
    unless: str = ""
    """An option with which the server leaves its warm-up out."""


class ServerProbes(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The three probes of the serving container."""

    startup: ServerProbe
    readiness: ServerProbe
    liveness: ServerProbe
    early: tuple[str, ...] = ()
    """Paths that can answer 200 while no model is loaded; never fit for readiness."""
    warm_up: WarmUp | None = None
    """Where the server answers some paths during its warm-up, for which `readiness` waits."""
    opens: Literal["loaded", "early", "anyway"] = "loaded"
    """When its port is open, as a TCP probe sees it: `loaded`, once the model is, and still when the
    engine has died, which `readiness` notices; `early`, before the model is loaded, which
    `readiness` waits for; `anyway`, where `readiness` proves no more."""
    apart: bool = False
    """`liveness` is answered apart from what computes, however busy that is."""
    notices_since: str | None = None
    """First version of which `readiness` notices that the engine has died. None: any does."""
    slow: tuple[Slow, ...] = ()
    """Paths for which Kubernetes' own timeout of one second is too short."""
    ranks: str = ""
    """How the server says which rank it is, where ranks other than 0 always answer 200: an option
    of its command line."""


class FormerSeries(Fact, frozen=True, kw_only=True):
    """What the metrics were called in older releases."""

    until: str
    """The first release with the names of today."""
    queue: str
    running: str | None = None
    cache: str | None = None
    first_token: str | None = None
    per_token: str | None = None


class GoneSeries(Fact, frozen=True, kw_only=True):
    """A series that releases of today do not have."""

    name: str
    since: str
    """The first release without it."""
    now: str | None = None
    """The series that took its place; None where none did."""
    unless: str | None = None
    """The option that has some of those releases show it all the same."""


class ServerMetrics(Fact, frozen=True, kw_only=True):
    """Prometheus metrics, and the one to scale on. Names are the series' as scraped."""

    path: str
    port: str
    queue: str
    """Gauge: requests that wait in this pod. The signal to scale on."""
    running: str | None = None
    """Gauge: requests being worked on in this pod."""
    cache: str | None = None
    """Gauge: share of the KV cache in use, 0 to 1."""
    first_token: str | None = None
    """Histogram: seconds until an answer begins."""
    per_token: str | None = None
    """Histogram: seconds between two tokens of an answer."""
    target: int
    """Waiting requests per pod above which a further pod is worth its GPUs."""
    former: FormerSeries | None = None
    """None where they always had these names."""
    gone: tuple[GoneSeries, ...] = ()
    others: bool = False
    """It emits more, another server's perhaps: what is not named here may be there."""


class ModelFree(Fact, frozen=True, kw_only=True):
    """The images that are told which model to serve, where any other holds one."""

    images: tuple[str, ...]
    """The last part of the repository."""
    token: str
    """Environment variable with the credential for downloads, for these images."""

    def is_one(self, image: str) -> bool:
        """Return whether an image is told its model."""
        name = image.partition("@")[0].rpartition("/")[2].partition(":")[0]
        return name in self.images


class WeightSettings(Fact, frozen=True, kw_only=True):
    """How the server is given the model's files."""

    token: str | None = None
    """Environment variable with the credential for downloads; unset when the weights are local."""
    folder: str | None = None
    """Where its image keeps what it downloads, as root and told nothing; None where not known."""
    folders: tuple[str, ...] = ()
    """`NAME=rest` each: the variables that name another folder, in the order in which they are
    asked, and what is added to them. Empty where Hugging Face's library asks its own."""
    file: str | None = None
    """How the one file ends that it is told, where others are told a folder."""
    smaller: tuple[str, ...] = ()
    """Options and variables with which less than the files comes to lie on the GPUs, by how much
    nobody can tell: a part on the host, a format of loading, a file of options."""
    of_image: bool = False
    """Its images hold no weights but the name of the model, which they download."""
    others: tuple[str, ...] = ()
    """Variables with which an image loads another model than its own, or downloads none."""
    on_request: bool = False
    """It is told no model: clients name the one that they want, and it is downloaded and loaded
    then."""
    offline: tuple[Variable, ...] = ()
    """To set when the weights are mounted: nothing is to be asked of a hub."""
    model_free: ModelFree | None = None
    """None where every image is told its model."""


class Collision(Fact, frozen=True, kw_only=True):
    """A variable that the server reads and that Kubernetes sets for a Service of that name."""

    variable: str
    service: str
    warns_since: str | None = None
    """The version from which it warns of every variable that begins with that name and that it does
    not know; None where it does not."""


class RendezvousPort(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A port, and what changes it."""

    number: int
    variable: str = ""
    option: str = ""


class Exchange(Fact, frozen=True, kw_only=True):
    """What a server hands to other servers, or takes of them, beside what clients ask."""

    what: str
    """In a sentence, behind "it has": `its cache of keys and values fetched by NIXL`."""
    words: tuple[str, ...] = ()
    """What its command line holds that says so, any of them."""
    variables: tuple[str, ...] = ()
    """Variables that say so, any of them."""
    port: RendezvousPort | None = None
    """Where others ask first; None where that is not known. Data takes further ports, free ones."""


class Shutdown(Fact, frozen=True, kw_only=True):
    """What SIGTERM does."""

    drains: bool
    """Running requests are finished (with `drain` set, where there is one) before it exits."""
    aborts: bool = False
    """It is known to end running requests at once, unless `drain` is set."""
    drain: ServerSetting | None = None
    """How long running requests may take; field `{seconds}`."""
    drain_since: str | None = None
    """First version that knows `drain`; an older one would not start with it. None: any does."""


class KeepAlive(Fact, frozen=True, kw_only=True):
    """When it closes a connection on which nothing is asked."""

    seconds: int
    variable: str
    """The variable that says another time."""


class RootStatus(Fact, frozen=True, kw_only=True):
    """What it answers to a GET of `/`, where that is no 200."""

    status: int


class PromptLogging(Fact, frozen=True, kw_only=True):
    """Whether prompts reach the log."""

    disable: ServerSetting | None = None
    """How they are kept out."""
    disable_until: str | None = None
    """First version that no longer knows `disable` and logs none by itself. None: it is for all."""
    switches: tuple[str, ...] = ()
    """Arguments and variables that put prompts into the log; with `=value` where another does not."""
