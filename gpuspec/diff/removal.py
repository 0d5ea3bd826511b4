"""What it means that an object comes, goes, or is another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.diff.amounts import asked
from gpuspec.diff.model import Remark
from gpuspec.diff.pairing import kind, named
from gpuspec.kinds import traits_of

if TYPE_CHECKING:
    from gpuspec.diff.model import Effect, Thing

CLAIM = ("", "PersistentVolumeClaim")
_LOST = {
    CLAIM: "its data is lost when it is pruned, unless its volume is retained",
    ("", "Namespace"): "all that is in it is deleted with it",
    ("apiextensions.k8s.io", "CustomResourceDefinition"): "all objects of its kind go with it",
}
_KEEPS = (
    ("helm.sh/resource-policy", "keep"),
    ("argocd.argoproj.io/sync-options", "Prune=false"),
    ("argocd.argoproj.io/sync-options", "Delete=false"),
)


def removed(old: Thing) -> tuple[Effect, Remark | None]:
    """What the end of an object comes to."""
    which = kind(old)
    if kept := _keeps(old):
        return "in place", Remark("effect", f"stays in the cluster: {kept}")
    if which in _LOST:
        return "data lost", Remark("data", _LOST[which], alarm=True)
    if which == ("apps", "StatefulSet") and _deletes_claims(old):
        said = "its volumes are deleted with it (`persistentVolumeClaimRetentionPolicy`)"
        return "data lost", Remark("data", said, alarm=True)
    if old.pods:
        had = asked(old)
        volumes = "; its volumes stay" if which == ("apps", "StatefulSet") else ""
        text = f"ends its pods{f': {had}' if had else ''}{volumes}"
        return "restart", Remark("effect", text)
    return "in place", None


def added(new: Thing) -> Remark | None:
    """What a new object asks for."""
    wants = asked(new)
    return Remark("amounts", f"asks for {wants}") if wants else None


def renamed(old: Thing, new: Thing) -> tuple[Effect, Remark]:
    """What a new name comes to."""
    which, before = kind(old), named(old).name
    if traits_of(*which).runs_once:
        text = f"a new run, started beside {before}, which stays until it is pruned"
        return "new run", Remark("effect", text)
    if which == CLAIM:
        said = f"a new, empty volume; what is on {before} is lost when that is pruned"
        return "data lost", Remark("data", said, alarm=True)
    if old.pods or new.pods:
        said = f"made anew: {before} stays until it is pruned, and both hold what they ask for"
        return "recreated", Remark("effect", said, alarm=True)
    return "in place", Remark("effect", f"made anew; {before} goes when it is pruned")


def retargeted(old: Thing, new: Thing) -> Remark:
    """What another kind comes to."""
    before = named(old)
    text = (
        f"carried by a {named(new).kind}, no longer by a {before.kind}: made anew, and until"
        f" {before} is pruned both hold what they ask for"
    )
    return Remark("effect", text, alarm=True)


def _keeps(one: Thing) -> str | None:
    metadata: Any = one.value.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if not isinstance(annotations, dict):
        return None
    for key, word in _KEEPS:
        if word in str(annotations.get(key, "")).split(","):
            return f"{key}: {word}"
    return None


def _deletes_claims(one: Thing) -> bool:
    spec: Any = one.value.get("spec")
    policy = spec.get("persistentVolumeClaimRetentionPolicy") if isinstance(spec, dict) else None
    return isinstance(policy, dict) and policy.get("whenDeleted") == "Delete"
