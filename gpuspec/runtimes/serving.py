"""How a server is started, configured, probed, measured and stopped."""

from typing import Literal

from msgspec import Struct

from gpuspec.runtimes.fact import Fact, ServerSetting, Variable


class ServerLaunch(Fact, frozen=True, kw_only=True):
    """How the container starts the server."""

    command: tuple[str, ...] = ()
    """Kubernetes `command`; empty keeps the image's entrypoint."""
    divides: bool = False
    """Whether the image's entrypoint passes its arguments on without quotes, so that they split at
    blanks."""
    leading: tuple[str, ...] = ()
    """The first words of Kubernetes `args`, before those of settings."""


class MultiNodeSetting(ServerSetting, frozen=True, kw_only=True):
    """How one replica starts on several nodes, each a pod with all of these settings.

    Fields: `{nodes}`, the pod's `{rank}` from 0, and `{first}` and `{port}`, where rank 0 listens.
    """

    follower: tuple[str, ...] = ()
    """Further arguments of ranks other than 0."""
    since: str | None = None
    """The first version that can span nodes. None: every version can."""


class ServerPort(Fact, frozen=True, kw_only=True):
    """A TCP port of the server."""

    name: str
    """Name of the container port and the Service port."""
    number: int
    """The port to use: at least 1024, so that users other than root can listen on it."""
    default: int | None
    """The default port of the published image; None if its versions differ."""
    setting: ServerSetting | None = None
    """The setting for the port; field `{port}`."""


class ListenAddress(Fact, frozen=True, kw_only=True):
    """The address that the server listens on."""

    options: tuple[str, ...] = ()
    """The options for the address."""
    variables: tuple[str, ...] = ()
    """The variables for the address, if no option sets it; a port may follow the address."""
    loopback: bool = False
    """Whether only the pod's own processes reach the server by default; the image sets no other
    address."""


class Certificate(Fact, frozen=True, kw_only=True):
    """How a certificate is configured; with it the server speaks only TLS on its port."""

    options: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of the server by meaning; None if the server has no such setting."""

    model: ServerSetting | None = None
    """A model by its name in the hub; field `{model}`."""
    path: ServerSetting | None = None
    """A model in a mounted folder, in place of `model`; field `{path}`."""
    revision: ServerSetting | None = None
    """Revision of a model in the hub, after `model`; fields `{revision}` and perhaps `{model}`."""
    served_name: ServerSetting | None = None
    """The model name in clients' requests; field `{served_name}`."""
    tensor: ServerSetting | None = None
    """Tensor parallelism: GPUs that share each layer; field `{tensor}`."""
    pipeline: ServerSetting | None = None
    """Pipeline parallelism: stages of layers; field `{pipeline}`."""
    max_length: ServerSetting | None = None
    """Longest context, in tokens; field `{max_length}`."""
    quantization: ServerSetting | None = None
    """Method that stores weights in fewer bits; field `{quantization}`."""
    memory_fraction: ServerSetting | None = None
    """Share of each GPU's memory that the server takes, 0 to 1; field `{memory_fraction}`."""
    host: ServerSetting | None = None
    """Listen on every address, if that is not the default; no field."""
    metrics: ServerSetting | None = None
    """Turn the metrics on, if they are off by default; no field."""
    offload: ServerSetting | None = None
    """Put the whole model on the GPU, for versions that leave it to the CPU; no field."""
    chat_template: ServerSetting | None = None
    """File with the template that turns a chat into a prompt; field `{chat_template}`."""
    trust: ServerSetting | None = None
    """Run code from the model's repository; no field. gpuspec never sets it, and recognises it."""
    api_key: ServerSetting | None = None
    """The key that clients must send; field `{api_key}`. gpuspec never sets it, as for `trust`."""


class Adapters(Fact, frozen=True, kw_only=True):
    """How LoRA adapters are configured: by one of `option`, `variable` and `folder`.

    The first two take `name=folder` or `name=name-in-the-hub` for each adapter.
    """

    option: str | None = None
    """The option before all adapters."""
    variable: str | None = None
    """The variable with all adapters, separated by commas."""
    folder: str | None = None
    """The variable that names the folder with all adapters; each adapter is a subfolder with its
    name."""
    hub: bool = True
    """Whether the server downloads adapters by their name in the hub."""
    since: str | None = None
    """The first release with this setting. None: every release has it."""
    switches: tuple[str, ...] = ()
    """Further settings that turn adapters on."""
    rank: ServerSetting | None = None
    """The largest rank to reserve memory for; field `{rank}`."""
    ranks: tuple[int, ...] = ()
    """The accepted ranks, in ascending order; empty if every rank is accepted."""
    default_rank: int | None = None
    """The default largest rank; None if the server reads it from the adapters."""


class Untold(Fact, frozen=True, kw_only=True):
    """Why a server cannot load LoRA adapters at its start; `why` goes into the error message."""


class Parallel(Fact, frozen=True, kw_only=True):
    """How a command line determines the number of GPUs of the model, besides the options of
    `settings`."""

    tensor: tuple[str, ...] = ()
    """Further names of the option of `settings.tensor`."""
    pipeline: tuple[str, ...] = ()
    """Further names of the option of `settings.pipeline`."""
    data: tuple[str, ...] = ()
    """Options for the number of copies of the model."""
    local: tuple[str, ...] = ()
    """Options for the number of copies in this pod."""
    more: tuple[str, ...] = ()
    """Further options whose number multiplies the GPUs."""
    nodes: tuple[str, ...] = ()
    """Options for the number of pods that share the work."""
    elsewhere: tuple[str, ...] = ()
    """Options that make the command line incomplete: other pods' ranks, a file."""
    variables: tuple[str, ...] = ()
    """Variables with the meaning of `settings.tensor`; several are multiplied."""
    told_by: tuple[str, ...] = ()
    """Variables that make `variables` incomplete: variables with precedence, other pods' parts."""
    cpu: tuple[str, ...] = ()
    """Options and variables that run the model on the CPU, each as `NAME=value`."""
    alone: bool = False
    """Whether the server uses one GPU by default; other servers use all visible GPUs."""


class CapabilityDemand(Fact, frozen=True, kw_only=True):
    """The compute capability that an option's value needs; on an older GPU the server exits at its
    start."""

    options: tuple[str, ...]
    """The option's names."""
    values: tuple[str, ...]
    capability: tuple[int, int]
    """The lowest CUDA compute capability among all versions of the server."""


class ServerProbe(Fact, frozen=True, kw_only=True):
    """An HTTP GET of a Kubernetes probe."""

    path: str
    port: str
    """Name of the port."""
    proves: str
    """What an answer of 200 proves, and what it does not prove."""
    period: int
    """Seconds from one probe to the next."""
    timeout: int
    """Seconds until the probe fails for lack of an answer."""
    failures: int | None = None
    """Consecutive failures until Kubernetes acts; None for the startup probe, whose number follows
    from the model's size and the storage's bandwidth."""


class Slow(Fact, frozen=True, kw_only=True):
    """A path that answers slowly even on an idle server."""

    path: str
    seconds: int
    """The least seconds until the answer; a probe with a shorter timeout always fails."""
    unless: str = ""
    """`NAME=value` of the variable with which the path answers at once."""
    since: str = ""
    """The first release that answers slowly."""


class WarmUp(Fact, frozen=True, kw_only=True):
    """Paths that answer 200 once the model is loaded, while the warm-up request still runs."""

    paths: tuple[str, ...]
    unless: str = ""
    """The option that skips the warm-up."""


class ServerProbes(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The three probes of the serving container."""

    startup: ServerProbe
    readiness: ServerProbe
    liveness: ServerProbe
    early: tuple[str, ...] = ()
    """Paths that can answer 200 before a model is loaded; not suitable for readiness."""
    warm_up: WarmUp | None = None
    """The warm-up that `readiness` waits for, if other paths answer earlier."""
    opens: Literal["loaded", "early", "anyway"] = "loaded"
    """When the port opens, as a TCP probe sees it. `loaded`: once the model is loaded; the port
    stays open when the engine dies, and `readiness` fails. `early`: before the model is loaded, and
    `readiness` waits for the model. `anyway`: `readiness` proves no more than the open port."""
    apart: bool = False
    """Whether a separate thread or process answers `liveness`, even while the engine is busy."""
    notices_since: str | None = None
    """The first version whose `readiness` fails when the engine has died. None: every version's
    does."""
    slow: tuple[Slow, ...] = ()
    """Paths that need more than the default timeout of one second."""
    ranks: str = ""
    """The option for the rank, if ranks other than 0 always answer 200."""


class FormerSeries(Fact, frozen=True, kw_only=True):
    """Names of the metrics in older releases."""

    until: str
    """The first release with the current names."""
    queue: str
    running: str | None = None
    cache: str | None = None
    first_token: str | None = None
    per_token: str | None = None


class GoneSeries(Fact, frozen=True, kw_only=True):
    """A series that current releases do not have."""

    name: str
    since: str
    """The first release without the series."""
    now: str | None = None
    """The series that replaced it; None if there is none."""
    unless: str | None = None
    """The option with which some of those releases still emit the series."""


class ServerMetrics(Fact, frozen=True, kw_only=True):
    """Prometheus metrics, by their scraped names, and the metric to scale on."""

    path: str
    port: str
    queue: str
    """Gauge: waiting requests of this pod. The metric to scale on."""
    running: str | None = None
    """Gauge: running requests of this pod."""
    cache: str | None = None
    """Gauge: share of the KV cache in use, 0 to 1."""
    first_token: str | None = None
    """Histogram: seconds until an answer begins."""
    per_token: str | None = None
    """Histogram: seconds between two tokens of an answer."""
    target: int
    """Waiting requests for each pod above which a further pod is worth its GPUs."""
    former: FormerSeries | None = None
    """None if the metrics always had these names."""
    gone: tuple[GoneSeries, ...] = ()
    others: bool = False
    """Whether the server emits further series, such as those of another server inside it; an
    unlisted series may then exist."""


class ModelFree(Fact, frozen=True, kw_only=True):
    """The images that take the model as a setting; any other image contains its model."""

    images: tuple[str, ...]
    """The last part of the repository."""
    token: str
    """The environment variable with the credential for downloads, for these images."""

    def is_one(self, image: str) -> bool:
        """Return whether an image takes the model as a setting."""
        name = image.partition("@")[0].rpartition("/")[2].partition(":")[0]
        return name in self.images


class WeightSettings(Fact, frozen=True, kw_only=True):
    """How the server finds the model's files."""

    token: str | None = None
    """The environment variable with the credential for downloads; unset if the weights are
    local."""
    folder: str | None = None
    """The default download folder of the image, as root; None if not known."""
    folders: tuple[str, ...] = ()
    """The variables for another folder, each as `NAME=rest`, in order of precedence; `rest` is
    appended to the value. Empty if Hugging Face's library reads its own variables."""
    file: str | None = None
    """The suffix of the single model file, for a server that takes a file instead of a folder."""
    smaller: tuple[str, ...] = ()
    """Options and variables with which the GPUs hold less than the files' size, by an unknown
    amount: a part on the host, a format of loading, a file of options."""
    of_image: bool = False
    """Whether the images contain only the model's name, and download its weights."""
    others: tuple[str, ...] = ()
    """Variables with which an image loads another model than its own, or downloads none."""
    on_request: bool = False
    """Whether the model is no setting: clients name it, and the server then downloads and loads
    it."""
    offline: tuple[Variable, ...] = ()
    """Variables to set with mounted weights, so that the server does not contact a hub."""
    model_free: ModelFree | None = None
    """None if every image takes the model as a setting."""


class Collision(Fact, frozen=True, kw_only=True):
    """A variable that the server reads, and that Kubernetes also sets for a Service of that name."""

    variable: str
    service: str
    warns_since: str | None = None
    """The first version that warns about unknown variables with that prefix; None if no version
    does."""


class RendezvousPort(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A port and the setting that moves it."""

    number: int
    variable: str = ""
    option: str = ""


class Exchange(Fact, frozen=True, kw_only=True):
    """Data that a server exchanges with other servers, besides clients' requests."""

    what: str
    """The end of a sentence that begins with "it has": `its cache of keys and values fetched by
    NIXL`."""
    words: tuple[str, ...] = ()
    """Words of the command line that turn the exchange on, any of them."""
    variables: tuple[str, ...] = ()
    """Variables that turn the exchange on, any of them."""
    port: RendezvousPort | None = None
    """The port that other servers contact first; None if not known. Data uses further free
    ports."""


class Shutdown(Fact, frozen=True, kw_only=True):
    """The server's reaction to SIGTERM."""

    drains: bool
    """Whether the server finishes running requests before it exits, with `drain` set if it has that
    setting."""
    aborts: bool = False
    """Whether the server is known to abort running requests at once, unless `drain` is set."""
    drain: ServerSetting | None = None
    """The longest time for running requests; field `{seconds}`."""
    drain_since: str | None = None
    """The first version with `drain`; an older one does not start with it. None: every version has
    it."""


class KeepAlive(Fact, frozen=True, kw_only=True):
    """When the server closes an idle connection."""

    seconds: int
    variable: str
    """The variable for another time."""


class RootStatus(Fact, frozen=True, kw_only=True):
    """The status of a GET of `/`, if it is not 200."""

    status: int


class PromptLogging(Fact, frozen=True, kw_only=True):
    """Whether prompts are logged."""

    disable: ServerSetting | None = None
    """The setting that keeps prompts out of the log."""
    disable_until: str | None = None
    """The first version without `disable`, which logs no prompts by default. None: every version
    has it."""
    switches: tuple[str, ...] = ()
    """Arguments and variables that log prompts; with `=value` if another value does not."""
