"""Security contexts, operating systems, namespaces of the node.

Source: k8s.io/kubernetes, pkg/apis/core/validation/validation.go, `ValidateSecurityContext`,
`validatePodSpecSecurityContext`, `validateLinux`, `validateWindows`, `validateHostUsers`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpuspec.validation.apiserver.core_volumes import LISTS
from gpuspec.validation.apiserver.reading import inner, maps, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_NOT_ON_WINDOWS = {
    "pod": (
        *("appArmorProfile", "seLinuxOptions", "seccompProfile", "fsGroup", "fsGroupChangePolicy"),
        *("runAsUser", "runAsGroup", "supplementalGroups", "supplementalGroupsPolicy"),
        *("seLinuxChangePolicy", "sysctls"),
    ),
    "container": (
        *("appArmorProfile", "seLinuxOptions", "seccompProfile", "capabilities"),
        *("readOnlyRootFilesystem", "privileged", "allowPrivilegeEscalation", "procMount"),
        *("runAsUser", "runAsGroup"),
    ),
}
_OF_IPC = frozenset(
    f"kernel.{name}" for name in ["sem", "shm", "shmall", "shmmax", "shmmni", "shm_rmid_forced"]
) | {f"kernel.{name}" for name in ["msg", "msgmax", "msgmnb", "msgmni"]}
_LONGEST_DOMAIN = 255
_LONGEST_USER = 104
_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_DOMAIN = rf'[^\\/:*?"<>|.][^\\/:*?"<>|]{{0,14}}|{_LABEL}(?:\.{_LABEL})*'
_NO_USER = r'[. ]*|.*["/\\:;|=,+*?<>@\[\]].*'


def container(context: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that privileged containers may escalate."""
    if context.get("allowPrivilegeEscalation") is not False:
        return
    if context.get("privileged") is True:
        yield refused((), "`privileged: true` needs `allowPrivilegeEscalation`, which is false")
    if "CAP_SYS_ADMIN" in (inner(context, "capabilities").get("add") or ()):
        yield refused((), "`CAP_SYS_ADMIN` needs `allowPrivilegeEscalation`, which is false")


def profile(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that `localhostProfile` is set with its type only."""
    kind, file = value.get("type"), value.get("localhostProfile")
    if kind == "Localhost" and file is None:
        message = "`localhostProfile` is missing, but `type: Localhost` needs it"
        yield refused(("localhostProfile",), message, lacking=True)
    elif kind in ("RuntimeDefault", "Unconfined") and file is not None:
        yield refused(("localhostProfile",), f"`type: {kind}` cannot have a `localhostProfile`")


def windows_user(options: Map, version: str) -> Iterator[SchemaViolation]:
    """Check the name of a Windows user, with or without a domain."""
    name = options.get("runAsUserName")
    if name is None:
        return
    domain, slash, user = name.rpartition("\\")
    fault = None
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in name) or "\\" in domain:
        fault = "has invalid characters"
    elif slash and (len(domain) > _LONGEST_DOMAIN or not re.fullmatch(_DOMAIN, domain)):
        fault = "has no valid domain"
    elif len(user) > _LONGEST_USER or re.fullmatch(_NO_USER, user, re.DOTALL):
        fault = "is not a user name"
    if fault:
        yield refused(("runAsUserName",), f"expected `user` or `DOMAIN\\user`; this {fault}")


def pod(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a pod's context matches its operating system and its host namespaces."""
    context = spec.get("securityContext") or {}
    system = inner(spec, "os").get("name")
    contexts: list[tuple[Path, Map]] = [
        ((field, index, "securityContext"), container["securityContext"])
        for field in LISTS
        for index, container in maps(spec, field)
        if container.get("securityContext")
    ]
    if system == "linux":
        for path, security_context in [(("securityContext",), context), *contexts]:
            if security_context.get("windowsOptions") is not None:
                yield refused((*path, "windowsOptions"), "a pod on Linux cannot have it")
    elif system == "windows":
        yield from _on_windows(spec, context, contexts)
    for path, security_context in contexts:
        if security_context.get("procMount") == "Unmasked" and spec.get("hostUsers") is not False:
            message = "`Unmasked` needs the pod's `hostUsers: false`"
            lacks_users = spec.get("hostUsers") is None
            yield refused((*path, "procMount"), message, lacking=lacks_users)
    if context.get("sysctls"):
        yield from _parameters(spec, context)
    if spec.get("shareProcessNamespace") is True and spec.get("hostPID") is True:
        yield refused(("shareProcessNamespace",), "`hostPID` already shares the node's processes")
    if spec.get("hostUsers") is False:
        yield from _own_users(spec)
    if spec.get("hostnameOverride") is not None:
        for field in ("setHostnameAsFQDN", "hostNetwork"):
            if spec.get(field) is True:
                yield refused(("hostnameOverride",), f"it cannot be set with `{field}: true`")
    yield from _host_processes(spec, context)


def _on_windows(
    spec: Map, context: Map, contexts: list[tuple[Path, Map]]
) -> Iterator[SchemaViolation]:
    paths: list[Path] = [
        ("securityContext", field)
        for field in _NOT_ON_WINDOWS["pod"]
        if context.get(field) not in ((None, []) if field == "sysctls" else (None,))
    ]
    paths += [
        (*path, field)
        for path, security_context in contexts
        for field in _NOT_ON_WINDOWS["container"]
        if security_context.get(field) is not None
    ]
    paths += [
        (field,) for field in ("hostUsers", "shareProcessNamespace") if spec.get(field) is not None
    ]
    paths += [(field,) for field in ("hostPID", "hostIPC") if spec.get(field) is True]
    for path in paths:
        yield refused(path, "a pod on Windows cannot have it")


def _parameters(spec: Map, context: Map) -> Iterator[SchemaViolation]:
    for index, sysctl in maps(context, "sysctls"):
        name = _dotted(sysctl.get("name") or "")
        path = ("securityContext", "sysctls", index, "name")
        if name.startswith("net.") and spec.get("hostNetwork") is True:
            yield refused(path, "with `hostNetwork: true` it belongs to the node")
        elif spec.get("hostIPC") is True and (name in _OF_IPC or name.startswith("fs.mqueue.")):
            yield refused(path, "with `hostIPC: true` it belongs to the node")


def _dotted(name: str) -> str:
    """Return a sysctl's name with dots between its parts, which may be written as slashes."""
    first = min((at for at in (name.find("."), name.find("/")) if at >= 0), default=-1)
    if first < 0 or name[first] == ".":
        return name
    return name.translate(str.maketrans("./", "/."))


def _own_users(spec: Map) -> Iterator[SchemaViolation]:
    for field in ("hostPID", "hostIPC"):
        if spec.get(field) is True:
            yield refused((field,), "it cannot be set with `hostUsers: false`")
    for field in LISTS:
        for index, container in maps(spec, field):
            if container.get("volumeDevices"):
                yield refused(
                    (field, index, "volumeDevices"),
                    "block devices cannot be used with `hostUsers: false`",
                )


def _host_processes(spec: Map, context: Map) -> Iterator[SchemaViolation]:
    whole = inner(context, "windowsOptions").get("hostProcess")
    every = []
    for field in LISTS:
        for index, container in maps(spec, field):
            host_process = inner(container, "securityContext", "windowsOptions").get("hostProcess")
            every.append(whole if host_process is None else host_process)
            if None not in (whole, host_process) and whole != host_process:
                path = (field, index, "securityContext", "windowsOptions", "hostProcess")
                yield refused(path, "it differs from the pod's")
    if any(every):
        if not all(every):
            message = "all containers must be host processes (`hostProcess`), or none"
            yield refused((), message, lacking=True)
        if spec.get("hostNetwork") is not True:
            message = "host processes need `hostNetwork: true`"
            yield refused(("hostNetwork",), message, lacking=True)


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "core.v1.AppArmorProfile": (profile,),
    "core.v1.PodSpec": (pod,),
    "core.v1.SeccompProfile": (profile,),
    "core.v1.SecurityContext": (container,),
    "core.v1.WindowsSecurityContextOptions": (windows_user,),
}
