"""The input of all parts of a plan: a workload, a profile, and the chosen pools."""

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
    """One reason why the profile cannot run the workload."""

    text: str
    place: Place | None = None
    hint: str | None = None


class Refusal(Exception):
    """A valid spec that this profile cannot run, with all reasons at once. Exit code 1."""

    def __init__(self, workload: str, profile: str, reasons: list[RefusalReason]) -> None:
        self.workload = workload
        self.profile = profile
        self.reasons = tuple(reasons)
        super().__init__(f"{workload} on {profile}: " + "; ".join(r.text for r in reasons))


class ChosenPool(msgspec.Struct, frozen=True):
    """A pool that satisfies the workload, with its place in the profile and its device option."""

    pool: Pool
    model: GpuModel
    index: int
    device_option: DeviceOption

    def path(self, *rest: str | int) -> Path:
        """Return the path of one of the pool's fields in the profile."""
        return ("spec", "pools", self.index, *rest)


class ExcludedPool(msgspec.Struct, frozen=True):
    """A pool that was not chosen, with the reason."""

    pool: Pool
    model: GpuModel
    index: int
    reason: str


class Resolution(msgspec.Struct, frozen=True, dict=True):
    """One workload on one profile. `pools` is empty if the profile names none."""

    workload: Workload
    profile: Profile
    pools: tuple[ChosenPool, ...]
    models: tuple[GpuModel, ...]
    """The acceptable GPU models, best first; of the chosen pools, or of the spec's names."""
    excluded_pools: tuple[ExcludedPool, ...] = ()
    unfit_models: tuple[str, ...] = ()
    """Why models in the spec do not meet its own envelope, if there are no pools."""
    server: "Resolution | None" = None
    """For prefill pods: the resolution of the decode server."""

    @property
    def side(self) -> Literal["prefill", "decode"] | None:
        """The pods' part of a server's work; None if they do all of it, or serve nothing."""
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
        """The model server; for other kinds `custom`, without known facts."""
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
        """The weights of that model; None if their size is unknown."""
        return None if self.model is None else weights_of(self.model[1])

    def place(self, origin: Origin) -> Place | None:
        """Return the place of an origin in a text; None for tables and rules."""
        if origin.kind in ("spec", "override"):
            return self.workload.place(origin.path)
        return self.profile.place(origin.path) if origin.kind == "profile" else None

    def written_place(self, origin: Origin) -> Place | None:
        """Return the place of an origin in a text; None also for a field's default."""
        of = self.profile if origin.kind == "profile" else self.workload
        return self.place(origin) if of.is_written(origin.path) else None

    @property
    def device_option(self) -> DeviceOption | None:
        """The device option of the pods in the first choice; None without pools."""
        return self.pools[0].device_option if self.pools else None

    @property
    def workers(self) -> int:
        """Number of pods that start together; 1 for a workload that is not distributed."""
        return pods_together(self.spec)

    @property
    def together(self) -> str:
        """The pods that start together, in words."""
        if isinstance(self.spec, TrainingFields):
            return f"the {self.workers} workers"
        if self.side is not None and self.workers == 1:
            return "prefill and decode pods"
        return f"the {self.workers} pods of a replica"

    @property
    def workers_path(self) -> tuple[str, str] | None:
        """The field of the spec with the number of pods that start together; None if there is
        none."""
        field = together_field(self.spec)
        return ("spec", field) if field else None

    @property
    def wrapped(self) -> bool:
        """Whether an object around the one with the pods is queued and retried in its place."""
        return getattr(self.spec, "wrap", None) is not None

    @property
    def roles(self) -> tuple[Role, ...]:
        """Pods of other kinds than the workers."""
        spec = self.spec
        return spec.roles if isinstance(spec, TrainingFields) else ()

    @property
    def gpus_of_roles(self) -> int:
        """GPUs of all pods other than the workers."""
        return sum(role.count * role.resources.gpus for role in self.roles)

    @property
    def gpus(self) -> int:
        """GPUs of one pod; one share of a GPU counts as one."""
        return self.spec.gpu.count
