"""Compare the permissions of a pod and its containers.

The controls are those of the Pod Security Standards, and two more: a read-only root file system,
and no API token.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.diff.model import ChangeRemark

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gpuspec.diff.model import PodUse, SideObject

_HOST = ("hostNetwork", "hostPID", "hostIPC")
_LEVELS = ("restricted", "baseline", "privileged")
_ENFORCE = "pod-security.kubernetes.io/enforce"


def remarks(head: str, old: PodUse, new: PodUse) -> Iterator[ChangeRemark]:
    """Yield weakened and tightened controls."""
    before, after = _risks(old), _risks(new)
    had = {control for control, _ in before}
    were = {_name(container) for _, container in old.containers} | {""}
    stay = {_name(container) for _, container in new.containers} | {""}
    # A container under a new name weakens nothing by what one could do before.
    weaker = [
        text
        for (control, name), text in after.items()
        if (control, name) not in before and (name in were or control not in had)
    ]
    tighter = [
        text
        for (control, name), text in before.items()
        if (control, name) not in after and name in stay
    ]
    if weaker:
        yield ChangeRemark("security", f"{head}security weakened: {'; '.join(weaker)}", alarm=True)
    if tighter:
        yield ChangeRemark("security", f"{head}security tightened: no longer: {'; '.join(tighter)}")


def namespace(old: SideObject, new: SideObject) -> Iterator[ChangeRemark]:
    """Yield the change of the level that a namespace enforces."""
    before, after = (_level(obj) for obj in (old, new))
    if before != after:
        weaker = _LEVELS.index(after) > _LEVELS.index(before)
        word = "weakened" if weaker else "tightened"
        yield ChangeRemark(
            "security", f"security {word}: enforces {before} → {after}", alarm=weaker
        )


def _level(side_object: SideObject) -> str:
    metadata = side_object.value.get("metadata")
    labels = metadata.get("labels") if isinstance(metadata, dict) else None
    label = labels.get(_ENFORCE) if isinstance(labels, dict) else None
    return label if label in _LEVELS else "privileged"


def _risks(pod: PodUse) -> dict[tuple[str, str], str]:
    """Return the permissions by control and container, each in words."""
    risks: dict[tuple[str, str], str] = {}
    for name in _HOST:
        if pod.spec.get(name) is True:
            risks[name, ""] = f"the node's {name.removeprefix('host').lower()} (`{name}`)"
    if pod.spec.get("automountServiceAccountToken") is not False:
        risks["token", ""] = "a service account token is mounted"
    volumes = pod.spec.get("volumes")
    for volume in volumes if isinstance(volumes, list) else ():
        path = volume.get("hostPath") if isinstance(volume, dict) else None
        if isinstance(path, dict):
            risks[f"hostPath {path.get('path')}", ""] = f"the node's folder {path.get('path')}"
    whole = _mapping(pod.spec.get("securityContext"))
    for stage, container in pod.containers:
        if stage != "ephemeral":
            name = _name(container)
            for key, text in _of(whole, _mapping(container.get("securityContext"))):
                risks[key, name] = f"{name} {text}"
    return risks


def _of(whole: dict[str, Any], container_context: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the permissions of one container; its own fields take precedence over those of its
    pod."""
    effective = whole | {
        key: value for key, value in container_context.items() if value is not None
    }
    if effective.get("privileged") is True:
        yield "privileged", "is privileged"
    if container_context.get("allowPrivilegeEscalation") is not False:
        yield "escalation", "may gain privileges"
    if effective.get("runAsUser") == 0:
        yield "root", "runs as root (user 0)"
    elif effective.get("runAsNonRoot") is not True:
        yield "root", "may run as root"
    if container_context.get("readOnlyRootFilesystem") is not True:
        yield "writable", "may write to its root file system"
    profile = _mapping(effective.get("seccompProfile")).get("type")
    if profile not in ("RuntimeDefault", "Localhost"):
        yield "seccomp", "runs without a seccomp profile"
    capabilities = _mapping(container_context.get("capabilities"))
    dropped = _texts(capabilities.get("drop"))
    if "ALL" not in dropped:
        yield "capabilities", "keeps default capabilities"
    for text in _texts(capabilities.get("add")):
        yield f"capability {text}", f"has the capability {text}"
    if container_context.get("procMount") == "Unmasked":
        yield "proc", "sees an unmasked /proc"


def _name(container: dict[str, Any]) -> str:
    return str(container.get("name") or "container")


def _texts(value: Any) -> Iterable[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
