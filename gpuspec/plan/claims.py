"""Whether every pod can mount the claims that the spec names, by their storage classes."""

from collections.abc import Iterator

from gpuspec.manifests import Path
from gpuspec.plan.case import Case
from gpuspec.plan.distribution import most_pods
from gpuspec.plan.leaf import Note, Origin
from gpuspec.plan.words import count
from gpuspec.spec import BatchInferenceSpec, FineTuneSpec, TrainingFields, volume_name

SHARED = "ReadWriteMany"
READ_ONLY = "ReadOnlyMany"


def notes(case: Case) -> list[Note]:
    """A loud word for each claim that pods on several nodes mount and its class cannot give them.

    Such a volume is held by the first node: pods on any other wait for ever. Only where the
    profile says of which class the claim is.
    """
    said: dict[str, Note] = {}
    for volume, path, claim, read_only in _claims(case):
        pods = most_pods(case.spec) + sum(
            role.count for role in case.roles if volume in {mount.volume for mount in role.mounts}
        )
        if pods == 1:
            continue
        name = case.profile.spec.storage.claims.get(claim)
        modes = case.profile.spec.storage.classes[name].access_modes if name else ()
        if modes and SHARED not in modes and not (read_only and READ_ONLY in modes):
            wanted = f"{READ_ONLY} or {SHARED}" if read_only else SHARED
            text = (
                f"claim {claim} is of storage class {name} ({', '.join(modes)}), and "
                f"{count(pods, 'pod')} mount it: those on another node than the first wait for "
                f"ever; it takes {wanted}"
            )
            said.setdefault(claim, Note(text, Origin("spec", path), loud=True))
    return list(said.values())


def _claims(case: Case) -> Iterator[tuple[str, Path, str, bool]]:
    """Every claim that the main container mounts: the volume's name, where the spec names it, and
    whether to read."""
    spec = case.spec
    if case.model is not None:
        path, source = (*case.model[0], "source"), case.model[1].source
        if source.pvc:
            yield "model", (*path, "pvc"), source.pvc, True
        if source.hub and source.hub.cache:
            yield "model-cache", (*path, "hub", "cache"), source.hub.cache, False
    for field in ("dataset", "input"):
        artifact = getattr(spec, field, None)
        if artifact is not None and artifact.pvc:
            yield field, ("spec", field, "pvc"), artifact.pvc, True
    if isinstance(spec, TrainingFields) and spec.checkpoint:
        yield "checkpoints", ("spec", "checkpoint", "pvc"), spec.checkpoint.pvc, False
    if isinstance(spec, BatchInferenceSpec | FineTuneSpec) and spec.output:
        yield "output", ("spec", "output", "pvc"), spec.output.pvc, False
    for index, volume in enumerate(spec.volumes):
        if volume.pvc:
            path = ("spec", "volumes", index, "pvc")
            yield volume_name(volume), path, volume.pvc, volume.read_only
