"""A parsed document together with the text it came from, so that findings can name lines."""

import re
from collections.abc import Callable, Iterator, Sequence

import msgspec

from gpuspec.manifests import Path, Place
from gpuspec.spec.inference import Inference
from gpuspec.spec.jobs import BatchInference, FineTune, Training
from gpuspec.spec.profile import ClusterProfile, ClusterProfileSpec
from gpuspec.spec.text import SpecText

WorkloadModel = Training | FineTune | BatchInference | Inference

WORKLOAD_KINDS: dict[str, type[WorkloadModel]] = {
    "BatchInference": BatchInference,
    "FineTune": FineTune,
    "Inference": Inference,
    "Training": Training,
}
PROFILE_KIND = "ClusterProfile"
_DIGITS = re.compile(r"-?[0-9]+")


class Workload(msgspec.Struct, frozen=True, eq=False):
    """One spec document: what a team wants to run."""

    model: WorkloadModel
    document: SpecText
    moves: Callable[[Path], Path] = lambda path: path
    """Where the document says what stands at a path of the model."""

    @property
    def kind(self) -> str:
        """`Training`, `FineTune`, `BatchInference` or `Inference`."""
        return type(self.model).__name__

    @property
    def name(self) -> str:
        """The workload's name."""
        return self.model.metadata.name

    @property
    def namespace(self) -> str:
        """The namespace of its objects."""
        return self.model.metadata.namespace

    def is_for(self, profile: "Profile") -> bool:
        """Return whether it is for the cluster of a profile; one that names no clusters is for
        all."""
        clusters, cluster = self.model.spec.clusters, profile.model.metadata
        is_named = not clusters.names or cluster.name in clusters.names
        return is_named and clusters.labels.items() <= cluster.labels.items()

    def misspelt_clusters(self, profile_names: Sequence[str]) -> Iterator[tuple[int, str]]:
        """Yield which of its clusters no profile has, and the profile that is spelled nearly so.

        `eu-3` next to `eu-1` is another cluster.
        """
        from gpuspec.escaping.meant import meant

        for number, name in enumerate(self.model.spec.clusters.names):
            alike = [] if name in profile_names else meant(name, profile_names)
            if len(alike) == 1 and _DIGITS.sub("", name) != _DIGITS.sub("", alike[0]):
                yield number, alike[0]

    def place(self, path: Path) -> Place:
        """Return where a path of the spec stands in its file (its nearest parent when it is not
        there)."""
        return self.document.place(self.moves(path))

    def is_written(self, path: Path) -> bool:
        """Return whether the document states what stands at a path; a default is not stated."""
        return _states(self.document.value, self.moves(path))


class Profile(msgspec.Struct, frozen=True, eq=False):
    """One cluster profile, from a file or built in (then without a document)."""

    model: ClusterProfile
    document: SpecText | None = None
    written: object = None
    """What its file says, without what it inherits."""

    @property
    def name(self) -> str:
        """The profile's name."""
        return self.model.metadata.name

    @property
    def spec(self) -> ClusterProfileSpec:
        """What the profile says."""
        return self.model.spec

    def place(self, path: Path) -> Place | None:
        """Return where a path of the profile stands; `None` for a built-in one."""
        return self.document.place(path) if self.document else None

    def is_written(self, path: Path) -> bool:
        """Return whether the profile's file, its preset or its recipes state what stands at a path."""
        return self.document is not None and _states(self.document.value, path)


def _states(value: object, path: Path) -> bool:
    """Return whether a document states a path, in whole or by a short form of what is above it."""
    for step in path:
        if isinstance(value, dict):
            if step not in value:
                return False
            value = value[step]
        elif isinstance(value, list) and isinstance(step, int):
            if step >= len(value):
                return False
            value = value[step]
        else:
            return True
    return True
