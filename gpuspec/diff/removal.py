"""The consequences of an added, removed or replaced object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.diff.amounts import asked
from gpuspec.diff.model import ChangeRemark
from gpuspec.diff.pairing import kind, named
from gpuspec.kinds import an, traits_of

if TYPE_CHECKING:
    from gpuspec.diff.model import Effect, SideObject

CLAIM = ("", "PersistentVolumeClaim")
_LOST = {
    CLAIM: "its data is lost when it is pruned, unless its volume is retained",
    ("", "Namespace"): "everything in it is deleted with it",
    ("apiextensions.k8s.io", "CustomResourceDefinition"): "all objects of its kind go with it",
}
_KEEPS = (
    ("helm.sh/resource-policy", "keep"),
    ("argocd.argoproj.io/sync-options", "Prune=false"),
    ("argocd.argoproj.io/sync-options", "Delete=false"),
)


def removed(old: SideObject) -> tuple[Effect, ChangeRemark | None]:
    """Return the consequence of an object's removal."""
    which = kind(old)
    if kept_data := _keeps(old):
        return "in place", ChangeRemark("effect", f"stays in the cluster: {kept_data}")
    if which in _LOST:
        return "data lost", ChangeRemark("data", _LOST[which], alarm=True)
    if which == ("apps", "StatefulSet") and _deletes_claims(old):
        remark_text = "its volumes are deleted with it (`persistentVolumeClaimRetentionPolicy`)"
        return "data lost", ChangeRemark("data", remark_text, alarm=True)
    if _runs(old):
        had = asked(old)
        volumes = "; its volumes stay" if which == ("apps", "StatefulSet") else ""
        text = f"ends its pods{f': {had}' if had else ''}{volumes}"
        return "restart", ChangeRemark("effect", text)
    return "in place", None


def doubled(old: SideObject) -> tuple[Effect, ChangeRemark]:
    """Return the consequence of removing an object that its file has once more."""
    return "in place", ChangeRemark(
        "effect", "stays: its file held it more than once, and still holds it"
    )


def generated(new: SideObject) -> tuple[Effect, ChangeRemark]:
    """Return the consequence of changing an object with `generateName`."""
    effect: Effect = "new run" if traits_of(*kind(new)).runs_once else "in place"
    remark_text = "each `kubectl create` makes a new object: `generateName` matches no existing one"
    return effect, ChangeRemark("effect", remark_text)


def added(new: SideObject) -> ChangeRemark | None:
    """Return the requests of a new object."""
    wants = asked(new)
    return ChangeRemark("amounts", f"requests {wants}") if wants else None


def renamed(old: SideObject, new: SideObject) -> tuple[Effect, ChangeRemark]:
    """Return the consequence of a new name."""
    which, before = kind(old), named(old).name
    if traits_of(*which).runs_once:
        text = f"a new run, started beside {before}, which stays until it is pruned"
        return "new run", ChangeRemark("effect", text)
    if which == CLAIM:
        remark_text = f"a new, empty volume; what is on {before} is lost when that is pruned"
        return "data lost", ChangeRemark("data", remark_text, alarm=True)
    if _runs(old) or _runs(new):
        remark_text = (
            f"recreated: {before} stays until it is pruned, and both hold their requests until then"
        )
        return "recreated", ChangeRemark("effect", remark_text, alarm=True)
    return "in place", ChangeRemark("effect", f"recreated; {before} stays until it is pruned")


def retargeted(old: SideObject, new: SideObject) -> ChangeRemark:
    """Return the consequence of another kind."""
    before, after = named(old).kind, named(new).kind
    if before == after:
        before, after = (
            f"{kind_name} of {kind(obj)[0] or 'core'}"
            for kind_name, obj in ((before, old), (after, new))
        )
    text = (
        f"runs as {an(after)}, no longer as {an(before)}: recreated, and both hold their "
        f"requests until {named(old)} is pruned"
    )
    return ChangeRemark("effect", text, alarm=True)


def _runs(side_object: SideObject) -> bool:
    """Return whether its pods run. A template's pods belong to other objects, which stay
    unchanged."""
    return bool(side_object.pods) and not traits_of(*kind(side_object)).template


def _keeps(side_object: SideObject) -> str | None:
    metadata: Any = side_object.value.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if not isinstance(annotations, dict):
        return None
    for key, word in _KEEPS:
        if word in str(annotations.get(key, "")).split(","):
            return f"{key}: {word}"
    return None


def _deletes_claims(side_object: SideObject) -> bool:
    spec: Any = side_object.value.get("spec")
    policy = spec.get("persistentVolumeClaimRetentionPolicy") if isinstance(spec, dict) else None
    return isinstance(policy, dict) and policy.get("whenDeleted") == "Delete"
