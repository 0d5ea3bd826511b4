"""A parsed document with its source text, so that findings can name lines."""

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
    """Maps a path in the model to the path in the document."""

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
        """Return whether it is for the cluster of a profile; a workload without clusters is for
        all."""
        clusters, cluster = self.model.spec.clusters, profile.model.metadata
        is_named = not clusters.names or cluster.name in clusters.names
        return is_named and clusters.labels.items() <= cluster.labels.items()

    def misspelt_clusters(self, profile_names: Sequence[str]) -> Iterator[tuple[int, str]]:
        """Yield its clusters that no profile has, with the profile of similar spelling.

        `eu-3` beside `eu-1` counts as another cluster.
        """
        from gpuspec.escaping.meant import meant

        for number, name in enumerate(self.model.spec.clusters.names):
            alike = [] if name in profile_names else meant(name, profile_names)
            if len(alike) == 1 and _DIGITS.sub("", name) != _DIGITS.sub("", alike[0]):
                yield number, alike[0]

    def place(self, path: Path) -> Place:
        """Return the place in the file of a path in the spec, or of its nearest existing parent."""
        return self.document.place(self.moves(path))

    def is_written(self, path: Path) -> bool:
        """Return whether the document sets the value at a path; a default is not set."""
        return _states(self.document.value, self.moves(path))


class Profile(msgspec.Struct, frozen=True, eq=False):
    """One cluster profile, from a file or built in (then without a document)."""

    model: ClusterProfile
    document: SpecText | None = None
    written: object = None
    """The content of its file, without inherited fields."""

    @property
    def name(self) -> str:
        """The profile's name."""
        return self.model.metadata.name

    @property
    def spec(self) -> ClusterProfileSpec:
        """The profile's spec."""
        return self.model.spec

    def place(self, path: Path) -> Place | None:
        """Return the place of a path in the profile; None for a built-in one."""
        return self.document.place(path) if self.document else None

    def is_written(self, path: Path) -> bool:
        """Return whether the profile's file, its preset or its recipes set the value at a path."""
        return self.document is not None and _states(self.document.value, path)


def _states(value: object, path: Path) -> bool:
    """Return whether a document sets a path, directly or by the short form of a parent."""
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
