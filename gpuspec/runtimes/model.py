"""The types of the table of model servers.

Every class with facts is a :class:`~gpuspec.runtimes.fact.Fact`: it has a source and a reason,
which a plan repeats next to the value.
"""

from msgspec import Struct

from gpuspec.runtimes.disaggregation import Disaggregation
from gpuspec.runtimes.fact import Fact, Variable
from gpuspec.runtimes.host import (
    Cache,
    DeviceCheck,
    GpuMemory,
    GpuMemoryUse,
    HostMemory,
    Offload,
    RuntimeUser,
    Sequence,
    SharedMemory,
    StartupTime,
    Withdrawal,
)
from gpuspec.runtimes.marks import Commands, Images
from gpuspec.runtimes.serving import (
    Adapters,
    CapabilityDemand,
    Certificate,
    Collision,
    Exchange,
    KeepAlive,
    ListenAddress,
    MultiNodeSetting,
    Parallel,
    PromptLogging,
    RootStatus,
    ServerLaunch,
    ServerMetrics,
    ServerPort,
    ServerProbes,
    Settings,
    Shutdown,
    Untold,
    WeightSettings,
)


class Runtime(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One model server."""

    name: str
    title: str
    checked: str
    """The version of the server whose code was read."""
    python: bool = True
    """Whether Python libraries run in the server."""
    images: tuple[Images, ...] = ()
    commands: Commands | None = None
    device: DeviceCheck | None = None
    """None if the published image runs without an accelerator."""
    launch: ServerLaunch | None = None
    ports: tuple[ServerPort, ...] = ()
    """The ports; the first serves requests."""
    address: ListenAddress | None = None
    certificate: Certificate | None = None
    """None if no certificate can be configured, or if it is not known."""
    settings: Settings
    adapters: Adapters | None = None
    """None if the server is not known to load LoRA adapters at its start."""
    no_adapters: Untold | None = None
    """Why the server cannot load LoRA adapters, if known."""
    generates: bool = False
    """Whether the server answers with generated text, which can take minutes."""
    trusts: bool = False
    """Whether the server runs code from a model repository by default."""
    clustered: bool = False
    """Whether a target starts the server in a cluster of its own, configures what it serves, and
    scales the pods by its own measure."""
    parallel: Parallel | None = None
    """None if the command line does not determine the number of GPUs."""
    demands: tuple[CapabilityDemand, ...] = ()
    """Compute capabilities that option values need."""
    nodes: MultiNodeSetting | None = None
    """None if the server is not known to span nodes by itself."""
    probes: ServerProbes | None = None
    metrics: ServerMetrics | None = None
    """None if the server has no metric of waiting requests."""
    caches: tuple[Cache, ...] = ()
    """Caches next to those of :func:`gpuspec.runtimes.common`."""
    environment: tuple[Variable, ...] = ()
    weights: WeightSettings | None = None
    collisions: tuple[Collision, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    disaggregation: Disaggregation | None = None
    """None if the server is not known to compute prompts on servers of their own."""
    user: RuntimeUser
    startup: StartupTime
    memory: HostMemory
    offloads: tuple[Offload, ...] = ()
    gpu_memory: GpuMemory
    sequence: Sequence | None = None
    """None if the server can start with less memory than its longest context needs, or if it is not
    known."""
    room: GpuMemoryUse | None = None
    """GPU memory by use. None if not known."""
    shm: SharedMemory
    shutdown: Shutdown
    keep_alive: KeepAlive | None = None
    """None if not known."""
    root: RootStatus | None = None
    """None if the server answers `/` with 200, or if it is not known."""
    prompts: PromptLogging | None = None
    notes: tuple[str, ...] = ()
    """Remarks for users that no field covers, such as how the server spans nodes."""

    @property
    def needs_model(self) -> bool:
        """Whether the server serves nothing unless a model is configured."""
        weight_settings = self.weights
        return (
            weight_settings is not None
            and weight_settings.model_free is None
            and not self.clustered
        )

    def loads_as_published(self, image: str) -> bool:
        """Return whether the server loads all files of a hub's repository, by the repository's
        name.

        A server that takes a single file, or loads on request, has a choice of formats and may
        leave layers to the CPU. Some images have a model of their own.
        """
        weight_settings = self.weights
        if (
            self.settings.model is None
            or weight_settings is None
            or weight_settings.file
            or weight_settings.on_request
        ):
            return False
        return weight_settings.model_free is None or weight_settings.model_free.is_one(image)

    @property
    def downloads(self) -> bool:
        """Whether the server can download a model from a hub; true for a runtime without known
        facts."""
        return self.settings.model is not None or self.settings.path is None


class UnloadedPrograms(Fact, frozen=True, kw_only=True):
    """Programs that answer before they have loaded any model."""

    images: tuple[str, ...]
    """Parts of the images' names."""


class SupervisedPrograms(Fact, frozen=True, kw_only=True):
    """Programs behind a supervisor that starts as root and drops its privileges later."""

    images: tuple[str, ...]
    """The repositories: the last parts of their paths."""
    title: str
    """The supervisor's name in messages."""
    writes: str
    """The folder that the supervisor writes first."""


class Listener(Fact, frozen=True, kw_only=True):
    """A program that only its own pod reaches unless it is told an address."""

    title: str
    starts: tuple[str, ...]
    """What starts it: words that stand together in a command line."""
    about: str = ""
    """A part of the image or of a word, without which the program is another."""
    options: tuple[str, ...]
    """The options for the address; the first is the one to set."""
    variables: tuple[str, ...] = ()
    """The variables that hold the address, or options."""


class AcceleratorWords(Fact, frozen=True, kw_only=True):
    """How a program is told to compute on an accelerator."""

    options: tuple[str, ...]
    variables: tuple[str, ...]
    """Names, in which `*` stands for any text."""
    words: tuple[str, ...]


class DownloadCommand(Fact, frozen=True, kw_only=True):
    """A command that downloads what the word behind it names."""

    command: str
    host: str


class SetVariables(Fact, frozen=True, kw_only=True):
    """Variables that a shell or an image may set."""

    names: tuple[str, ...]
    """Names, in which `*` stands for any text."""


class CommonSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Facts that hold for every GPU pod, with a model server or not."""

    caches: tuple[Cache, ...]
    environment: tuple[Variable, ...]
    withdrawal: Withdrawal
    unloaded: UnloadedPrograms
    supervised: SupervisedPrograms
    offloads: tuple[Offload, ...]
    """Of libraries that several servers use."""
    listeners: tuple[Listener, ...]
    accelerators: AcceleratorWords
    downloads: tuple[DownloadCommand, ...]
    set_variables: SetVariables
