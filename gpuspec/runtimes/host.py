"""Needs of a server on its node: user, writable folders, startup time, memory."""

import math
from typing import Literal

from gpuspec.runtimes.fact import Fact, ServerSetting


class Cache(Fact, frozen=True, kw_only=True):
    """A folder that the process writes, and the environment variable that moves it."""

    variable: str
    folder: str
    """Relative to the writable volume's mount."""
    mib: int
    """The size that the folder reaches, in MiB, without the model's weights."""
    weights: bool = False
    """Whether downloaded weights land here, on top of `mib`."""
    python: bool = False
    """Whether only Python libraries write the folder."""
    vendor: str | None = None
    """The GPU vendor whose software writes the folder; None: every vendor's."""
    unset: str | None = None
    """The folder's path without the variable; None if it is below the home, or not known."""


class RuntimeUser(Fact, frozen=True, kw_only=True):
    """The user to run as; `caches` moves every writable place."""

    uid: int
    gid: int
    fs_group: int
    any_uid: bool
    """Whether the server runs with any other UID."""
    in_image: bool = False
    """Whether the image's passwd has `uid`, with a writable home."""
    root_image: bool = False
    """Whether the published image runs as root by default."""
    home: str | None = ".cache"
    """The folder below the home that the server writes at its start; None if it starts without a
    home."""
    read_only_root: bool
    """Whether a read-only root filesystem works, as known or as expected from the code."""
    root_since: str | None = None
    """The first version whose published image starts only as root; None if it starts as other users
    too."""


class DeviceCheck(Fact, frozen=True, kw_only=True):
    """The fact that the published image exits if it finds no accelerator."""

    unless: tuple[str, ...] = ()
    """Variables that are set only for builds for other processors."""
    in_own_builds: bool = False
    """Whether these variables count only in images that the user built: a published release has no
    code for another processor."""


class StartupTime(Fact, frozen=True, kw_only=True):
    """Time from the container's start to the first answer, without reading the weights."""

    seconds: int
    """Seconds for any model: imports, engine, graphs, kernels."""
    seconds_per_gib: float
    """Further seconds for each GiB of weights: copies to the GPU, compilation of more layers."""
    timeout: ServerSetting | None = None
    """The server's own startup deadline; field `{seconds}`. None if it has none."""

    def build(self, size: int) -> float:
        """Return the seconds for weights of this size in bytes."""
        return self.seconds + self.seconds_per_gib * size / 2**30


class HostMemory(Fact, frozen=True, kw_only=True):
    """Host memory for loading and serving, without `/dev/shm`."""

    base_mib: int
    gpu_mib: int
    """MiB for each GPU of the pod."""
    weights: float
    """Factor on the size of the weights."""

    def mib(self, gpus: int, weights_mib: int) -> int:
        """Return MiB for a pod with this number of GPUs and this size of weights on storage."""
        return self.base_mib + gpus * self.gpu_mib + math.ceil(self.weights * weights_mib)


class Offload(Fact, frozen=True, kw_only=True):
    """Host memory, or disk, for data that does not fit on the GPUs, by a setting of the server."""

    options: tuple[str, ...] = ()
    environment: str = ""
    """The variable with the size."""
    files: tuple[str, ...] = ()
    """Options and variables that name a file of YAML or JSON with the size."""
    member: str = ""
    """Where the size is in the file, or in the option's JSON: keys with dots between."""
    like: str = ""
    """A part that the option's value must have."""
    unit: Literal["GB", "GiB", "MiB", "B"] = "GB"
    """Of a number without one."""
    unless: str = ""
    """`NAME=value` that turns offloading off."""
    only: str = ""
    """The option that turns offloading on; without it the server takes none."""
    each: bool
    """Whether the size is for each GPU."""
    default: int = 0
    """The size that the server takes if it is told none; 0 where it takes none then."""
    default_build: int = 0
    """The first build, as `b6800` in a tag, with this default."""
    fills: bool = False
    """Whether it takes the memory as the cache fills, and not at its start."""
    shm_since: str = ""
    """The first version that takes the memory as a file in `/dev/shm`."""
    folder: str = ""
    """The variable that names the folder, where the data goes to a disk."""


class GpuMemory(Fact, frozen=True, kw_only=True):
    """How the server takes GPU memory."""

    greedy: bool
    """Whether the server takes a fraction of the whole GPU at its start, whatever the model's
    size."""
    part: float = 1.0
    """The part of a GPU share that `memory_fraction` is set to. The rest is for memory that the
    server does not count, such as its context and graphs."""
    fraction: float = 1.0
    """The largest part of the GPU's memory that the server takes by default."""
    told_since: str | None = None
    """The first version with the option `memory_fraction` as gpuspec writes it. None: every version
    has it."""
    beside: str = ""
    """The effect of other processes on the same GPU, although the server has a limit."""


class Sequence(Fact, frozen=True, kw_only=True):
    """The fact that the server exits if its GPUs cannot hold one sequence of the longest context."""

    cache_type: tuple[str, ...] = ()
    """Options for the data type of the KV cache."""
    unless: tuple[str, ...] = ()
    """Options with which the memory cannot be computed."""


class GpuMemoryUse(Fact, frozen=True, kw_only=True):
    """GPU memory of a server that allocates its whole context at the start."""

    keys: tuple[str, ...] = ()
    """Options and variables for the data type of the cached keys."""
    values: tuple[str, ...] = ()
    """Options and variables for the data type of the cached values; empty if one option sets
    both."""
    times: tuple[str, ...] = ()
    """Variables for the number of contexts; empty if all requests share one context."""
    layers: tuple[str, ...] = ()
    """Options and variables that put all layers on the GPUs; empty if the server puts as many
    layers there as fit."""
    least: int = 0
    """The smallest default context, in tokens; 0 if not known."""


class SharedMemory(Fact, frozen=True, kw_only=True):
    """Size of a memory-backed `/dev/shm`, for pods that need one."""

    always: bool = False
    """Whether a pod with one GPU needs it too, because processes exchange data in it."""
    base_mib: int
    gpu_mib: int
    """MiB for each GPU of the pod. None if no data between GPUs goes through `/dev/shm`."""
    threads: bool = False
    """Whether one process drives all of the pod's GPUs, or may do so."""

    def mib(self, gpus: int) -> int:
        """Return MiB for a pod with this number of GPUs. The pod's memory limit must include it."""
        return self.base_mib + gpus * self.gpu_mib


class Withdrawal(Fact, frozen=True, kw_only=True):
    """How long a terminating pod still receives requests."""

    seconds: int
