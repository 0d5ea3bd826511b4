"""The typed form of the table of model servers: what a generator or a linter may ask of one.

Every class that holds facts is a :class:`~gpuspec.runtimes.fact.Fact`: it says where the fact was
read and why it matters, so that a plan can carry the reason along with the value.
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
    """The version against which the facts were checked."""
    python: bool = True
    """Libraries for Python run in it."""
    images: tuple[Images, ...] = ()
    commands: Commands | None = None
    device: DeviceCheck | None = None
    """None where its published image runs without an accelerator too."""
    launch: ServerLaunch | None = None
    ports: tuple[ServerPort, ...] = ()
    """The first one serves requests."""
    address: ListenAddress | None = None
    certificate: Certificate | None = None
    """None where it cannot be chosen, or that is not known."""
    settings: Settings
    adapters: Adapters | None = None
    """None where it is not known to serve LoRA adapters that it is told at its start."""
    no_adapters: Untold | None = None
    """Why not, where that is known."""
    generates: bool = False
    """It answers with text that it generates, which may take minutes."""
    trusts: bool = False
    """It runs code that comes with a model unless it is told not to."""
    clustered: bool = False
    """It runs in a cluster that a target makes, which starts it, tells it what to serve, and changes
    the number of its pods by its own measure."""
    parallel: Parallel | None = None
    """None where its command line does not tell how many GPUs it uses."""
    demands: tuple[CapabilityDemand, ...] = ()
    """Of the GPU, by what it is told."""
    nodes: MultiNodeSetting | None = None
    """None where it is not known to span nodes by itself."""
    probes: ServerProbes | None = None
    metrics: ServerMetrics | None = None
    """None where it counts no waiting requests."""
    caches: tuple[Cache, ...] = ()
    """Beside those of :func:`gpuspec.runtimes.common`."""
    environment: tuple[Variable, ...] = ()
    weights: WeightSettings | None = None
    collisions: tuple[Collision, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    disaggregation: Disaggregation | None = None
    """None where it is not known to compute prompts on servers of their own."""
    user: RuntimeUser
    startup: StartupTime
    memory: HostMemory
    offloads: tuple[Offload, ...] = ()
    gpu_memory: GpuMemory
    sequence: Sequence | None = None
    """None where it makes do with room for less than its longest context, or that is not known."""
    room: GpuMemoryUse | None = None
    """None where that is not known."""
    shm: SharedMemory
    shutdown: Shutdown
    keep_alive: KeepAlive | None = None
    """None where that is not known."""
    root: RootStatus | None = None
    """None where it answers, or that is not known."""
    prompts: PromptLogging | None = None
    notes: tuple[str, ...] = ()
    """What people should know and no field says, such as how it spans nodes."""

    @property
    def needs_model(self) -> bool:
        """Whether it serves nothing unless it is told a model."""
        weight_settings = self.weights
        return (
            weight_settings is not None
            and weight_settings.model_free is None
            and not self.clustered
        )

    def loads_as_published(self, image: str) -> bool:
        """Return whether it loads the files that a hub has under the name that it is told, all of
        them.

        One that is told a single file, or loads on request, has a choice of formats and may leave
        layers to the CPU; and some images have a model of their own.
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
        """Whether a model in a hub is of use to it; of one of which nothing is known it may be."""
        return self.settings.model is not None or self.settings.path is None


class Unloaded(Fact, frozen=True, kw_only=True):
    """Programs that answer before they have loaded any model."""

    images: tuple[str, ...]
    """Parts of their images' names."""


class Supervised(Fact, frozen=True, kw_only=True):
    """Programs behind a supervisor that has to be root, and gives its rights away afterwards."""

    images: tuple[str, ...]
    """Their repositories, the last parts of their paths."""
    title: str
    """What the supervisor is called."""
    writes: str
    """The folder that it writes to before anything else."""


class CommonSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What holds for every GPU pod, model server or not."""

    caches: tuple[Cache, ...]
    environment: tuple[Variable, ...]
    withdrawal: Withdrawal
    unloaded: Unloaded
    supervised: Supervised
