"""What a server takes of its node: user, folders, time, memory."""

import math

from gpuspec.runtimes.fact import Fact, ServerSetting


class Cache(Fact, frozen=True, kw_only=True):
    """A folder the process writes, moved by an environment variable."""

    variable: str
    folder: str
    """Relative to the writable volume's mount."""
    mib: int
    """How much it comes to hold, in MiB, the model's weights aside."""
    weights: bool = False
    """Weights that are downloaded land here, on top of `mib`."""
    python: bool = False
    """Only libraries for Python write it."""
    vendor: str | None = None
    """Whose devices the software is for that writes it; None for any."""
    unset: str | None = None
    """Where it lies without the variable; None below the home, or where that is not known."""


class RuntimeUser(Fact, frozen=True, kw_only=True):
    """The user to run as, with every writable place moved as `caches` says."""

    uid: int
    gid: int
    fs_group: int
    any_uid: bool
    """Another UID will do as well."""
    in_image: bool = False
    """The image's passwd has `uid`, with a home that it can write."""
    root_image: bool = False
    """The published image runs as root when it is told nothing."""
    home: str | None = ".cache"
    """The folder below its home that it writes as it starts; None: it starts without a home."""
    read_only_root: bool
    """A read-only root filesystem is known, or from the code expected, to work."""
    root_since: str | None = None
    """Version from which the published image starts for root alone; None: for others too."""


class DeviceCheck(Fact, frozen=True, kw_only=True):
    """That its published image ends where it finds no accelerator."""

    unless: tuple[str, ...] = ()
    """Variables that only builds for other processors are given."""


class StartupTime(Fact, frozen=True, kw_only=True):
    """Time from the container's start to the first answer, reading the weights aside."""

    seconds: int
    """For any model: imports, engine, graphs, kernels."""
    seconds_per_gib: float
    """On top, for each GiB of weights: copies to the GPU, compilation of more layers."""
    timeout: ServerSetting | None = None
    """The server's own deadline for starting, where it has one; field `{seconds}`."""

    def build(self, size: int) -> float:
        """Return seconds for weights of so many bytes."""
        return self.seconds + self.seconds_per_gib * size / 2**30


class HostMemory(Fact, frozen=True, kw_only=True):
    """Host memory that covers loading and serving, `/dev/shm` aside."""

    base_mib: int
    gpu_mib: int
    """For each GPU of the pod."""
    weights: float
    """Times the size of the weights."""

    def mib(self, gpus: int, weights_mib: int) -> int:
        """Return MiB for a pod with so many GPUs and weights of that size on storage."""
        return self.base_mib + gpus * self.gpu_mib + math.ceil(self.weights * weights_mib)


class Offload(Fact, frozen=True, kw_only=True):
    """Host memory that it takes for what its GPUs have no room for, as it is told."""

    options: tuple[str, ...] = ()
    environment: str = ""
    """The variable that says how much, in GB."""
    unless: str = ""
    """`NAME=value`, which switches it off."""
    only: str = ""
    """The option without which it takes none."""
    each: bool
    """What is said is for each GPU."""


class GpuMemory(Fact, frozen=True, kw_only=True):
    """How it takes the memory of its GPUs."""

    greedy: bool
    """It takes a fraction of the whole GPU when it starts, whatever the model needs."""
    part: float = 1.0
    """Of a share of a GPU, the part that `memory_fraction` is set to: the rest is for what it does
    not count, such as its context and graphs."""
    fraction: float = 1.0
    """Of the GPU's memory, the part that it takes at most when it is told nothing."""
    told_since: str | None = None
    """First version that knows `memory_fraction` as we write it. None: any does."""
    beside: str = ""
    """What neighbours on the same GPU do to it although it is told its share."""


class Sequence(Fact, frozen=True, kw_only=True):
    """That it does not start where its GPUs have no room for one sequence of the longest context."""

    cache_type: tuple[str, ...] = ()
    """Options for the type of what is kept for each token."""
    unless: tuple[str, ...] = ()
    """Options that change the sum by what nobody can tell."""


class GpuMemoryUse(Fact, frozen=True, kw_only=True):
    """What lies on the GPUs of a server that makes its context as large as it is told."""

    keys: tuple[str, ...] = ()
    """Options and variables for the type of the keys that are kept for each token."""
    values: tuple[str, ...] = ()
    """The same for the values; empty where one says both."""
    times: tuple[str, ...] = ()
    """Variables for how many contexts there are; empty where one is divided among all requests."""
    layers: tuple[str, ...] = ()
    """Options and variables that put all layers on the GPUs; empty where as many lie there as fit."""
    least: int = 0
    """Tokens of a context of which nothing is said, at least; 0 where that is not known."""


class SharedMemory(Fact, frozen=True, kw_only=True):
    """Size of a memory-backed `/dev/shm`, for pods that need one."""

    always: bool = False
    """One GPU needs it too: its processes hand over data in it."""
    base_mib: int
    gpu_mib: int
    """For each GPU of the pod. None at all where nothing between GPUs goes through it."""
    threads: bool = False
    """One process drives all of its GPUs, or may do so."""

    def mib(self, gpus: int) -> int:
        """Return MiB for a pod with so many GPUs; the memory limit has to hold them too."""
        return self.base_mib + gpus * self.gpu_mib


class Withdrawal(Fact, frozen=True, kw_only=True):
    """The time a pod that is going away is still sent requests."""

    seconds: int
