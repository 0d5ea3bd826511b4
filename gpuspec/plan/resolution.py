"""What the facets of a plan are computed from: a workload, a profile, and the pools chosen."""

from functools import cached_property
from typing import Literal

import msgspec

from gpuspec import runtimes
from gpuspec.hardware import GpuModel
from gpuspec.manifests import Path, Place
from gpuspec.models import ModelWeights
from gpuspec.plan.decision import Origin
from gpuspec.plan.device_options import DeviceOption
from gpuspec.plan.permit import Permit, permit
from gpuspec.spec import (
    BatchInferenceSpec,
    FineTuneSpec,
    InferenceSpec,
    ModelRef,
    Pool,
    Profile,
    TrainingFields,
    TrainingSpec,
    Workload,
)
from gpuspec.spec.roles import Role
from gpuspec.spec.together import pods_together, together_field
from gpuspec.spec.weights import weights_of


class RefusalReason(msgspec.Struct, frozen=True):
    """One reason why the profile cannot carry the workload."""

    text: str
    place: Place | None = None
    hint: str | None = None


class Refusal(Exception):
    """A good spec that this profile cannot carry: all reasons at once. Exit code 1."""

    def __init__(self, workload: str, profile: str, reasons: list[RefusalReason]) -> None:
        self.workload = workload
        self.profile = profile
        self.reasons = tuple(reasons)
        super().__init__(f"{workload} on {profile}: " + "; ".join(r.text for r in reasons))


class ChosenPool(msgspec.Struct, frozen=True):
    """A pool that satisfies the workload, with its place in the profile and what it offers."""

    pool: Pool
    model: GpuModel
    index: int
    device_option: DeviceOption

    def path(self, *rest: str | int) -> Path:
        """Return the path of one of the pool's fields in the profile."""
        return ("spec", "pools", self.index, *rest)


class ExcludedPool(msgspec.Struct, frozen=True):
    """A pool that does not take part, and why."""

    pool: Pool
    model: GpuModel
    index: int
    reason: str


class Resolution(msgspec.Struct, frozen=True, dict=True):
    """One workload on one profile. `pools` is empty when the profile names none."""

    workload: Workload
    profile: Profile
    pools: tuple[ChosenPool, ...]
    models: tuple[GpuModel, ...]
    """The acceptable GPU models, best first; of the chosen pools, or of the spec's names."""
    excluded_pools: tuple[ExcludedPool, ...] = ()
    unfit_models: tuple[str, ...] = ()
    """Why models that the spec names do not meet its own envelope, where there are no pools."""
    server: "Resolution | None" = None
    """Of pods that compute prompts alone: the case of the server that goes on from them."""

    @property
    def side(self) -> Literal["prefill", "decode"] | None:
        """Which part of a server's work the pods do; None where they do all of it, or serve nothing."""
        if self.server is not None:
            return "prefill"
        return "decode" if getattr(self.spec, "prefill", None) is not None else None

    @property
    def spec(self) -> TrainingSpec | FineTuneSpec | BatchInferenceSpec | InferenceSpec:
        """The workload's own fields."""
        return self.workload.model.spec

    @property
    def name(self) -> str:
        """The workload's name."""
        return self.workload.name

    @cached_property
    def runtime(self) -> runtimes.Runtime:
        """The model server; for other kinds `custom`, of which nothing is known."""
        spec = self.spec
        return runtimes.get(spec.runtime if isinstance(spec, InferenceSpec) else runtimes.CUSTOM)

    @cached_property
    def model(self) -> tuple[Path, ModelRef] | None:
        """The model that the workload loads, with its path in the spec."""
        spec = self.spec
        if isinstance(spec, FineTuneSpec):
            return ("spec", "baseModel"), spec.base_model
        if isinstance(spec, InferenceSpec | BatchInferenceSpec) and spec.model is not None:
            return ("spec", "model"), spec.model
        return None

    @cached_property
    def permit(self) -> Permit:
        """What the pods may take from Pod Security `restricted`."""
        return permit(self.workload, self.profile)

    @cached_property
    def weights(self) -> ModelWeights | None:
        """The weights of that model; None where nothing tells how many bytes they are."""
        return None if self.model is None else weights_of(self.model[1])

    def place(self, origin: Origin) -> Place | None:
        """Return where the text stands that something came from; None for tables and rules."""
        if origin.kind in ("spec", "override"):
            return self.workload.place(origin.path)
        return self.profile.place(origin.path) if origin.kind == "profile" else None

    def written_place(self, origin: Origin) -> Place | None:
        """Return where the text stands that something came from; None too for a field's default."""
        of = self.profile if origin.kind == "profile" else self.workload
        return self.place(origin) if of.is_written(origin.path) else None

    @property
    def device_option(self) -> DeviceOption | None:
        """What the pods are given of a GPU, as the first choice has it; None without pools."""
        return self.pools[0].device_option if self.pools else None

    @property
    def workers(self) -> int:
        """Pods that start together; 1 for all that is not distributed."""
        return pods_together(self.spec)

    @property
    def together(self) -> str:
        """The pods that start together in words."""
        if isinstance(self.spec, TrainingFields):
            return f"the {self.workers} workers"
        if self.side is not None and self.workers == 1:
            return "prefill and decode pods"
        return f"the {self.workers} pods of a replica"

    @property
    def workers_path(self) -> tuple[str, str] | None:
        """The field of the spec that says how many start together; None where nothing does."""
        field = together_field(self.spec)
        return ("spec", field) if field else None

    @property
    def wrapped(self) -> bool:
        """Whether an object around the one that carries the pods is queued, and retried, in its place."""
        return getattr(self.spec, "wrap", None) is not None

    @property
    def roles(self) -> tuple[Role, ...]:
        """Pods of other kinds beside the workers."""
        spec = self.spec
        return spec.roles if isinstance(spec, TrainingFields) else ()

    @property
    def gpus_of_roles(self) -> int:
        """GPUs of all pods beside the workers."""
        return sum(role.count * role.resources.gpus for role in self.roles)

    @property
    def gpus(self) -> int:
        """GPUs of one pod; one share of a GPU counts as one."""
        return self.spec.gpu.count
