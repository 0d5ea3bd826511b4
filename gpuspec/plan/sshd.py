"""Pods that a launcher reaches by ssh: their server, and the files that it and its clients need.

The server runs as the user of the pod, without a capability, on a port that anyone may open. What it
and its clients need of the image's files is mounted: their settings, and a user by the pod's number,
whom an image need not have. Host key and user's key are one, which the controller of the pods
mounts. Sources: OpenSSH, sshd_config(5), auth.c, sshd.c; that it works so is tried with 9.2.
"""

from msgspec.structs import replace

from gpuspec.plan import constraints
from gpuspec.plan.decision import Decision, PlanPart, derived
from gpuspec.plan.facets import NodeMap, Nodes, PodPlan
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.spec import volume_name
from gpuspec.spec.layout import HOME, TMP

PORT = 2222
VOLUME = "sshd"
# Settings of ssh are mounted over the image's own, whichever those are.
_FILES = {"sshd_config": "/etc/ssh/sshd_config", "ssh_config": "/etc/ssh/ssh_config"}
_PASSWD = {"passwd": "/etc/passwd"}
# The variables of a container, for what ssh starts there, which begins with none.
_ENVIRONMENT = f"{TMP}/.environment"
_SERVE = (
    f"(umask 077; export -p > {_ENVIRONMENT}); exec /usr/sbin/sshd -D -e -f /etc/ssh/sshd_config"
)
# As root it gives up rights in an empty folder that nobody else may write to; images of today have
# none, and a root file system that is read-only takes none.
_EMPTY, _EMPTIED = "/run/sshd", "chmod 755 /run/sshd; "
_EMPTY_VOLUME = "sshd-run"
# Volumes that the controller adds.
_ADDED = ("ssh-auth", "mpi-job-config")
# Seconds between two looks whether a server listens.
LOOK = 5
# What sshd cannot do without as root: it gives up rights before it talks to anyone.
CAPABILITIES = ("SETGID", "SETUID", "SYS_CHROOT")


def is_root(resolution: Resolution) -> bool:
    """Return whether the server runs as root."""
    return resolution.permit.as_root


def keys(resolution: Resolution) -> str:
    """Return the folder of the keys. Only in root's own folder do they have a mode that ssh accepts
    for root."""
    return "/root/.ssh" if is_root(resolution) else f"{HOME}/.ssh"


def refused(resolution: Resolution) -> list[RefusalReason]:
    """Return refusals for a server that root cannot start, and for volumes in the place of its
    own."""
    refusal_reasons: list[RefusalReason] = []
    if is_root(resolution) and not {*CAPABILITIES} <= {*resolution.spec.capabilities}:
        text = f"sshd as root needs the capabilities {', '.join(CAPABILITIES)}"
        hint = (
            "write them in `capabilities`, with a reason in waivers.capabilities, or "
            "delete waivers.root"
        )
        refusal_reasons.append(
            RefusalReason(text, resolution.workload.place(("spec", "waivers", "root")), hint)
        )
    constraint = constraints.held(resolution)
    if constraint is not None and constraint.assigned:
        text = "ssh needs a user with a name, and the platform assigns a user without one"
        hint = "write user: {uid: 1000}, and allow the ServiceAccount to choose its user"
        refusal_reasons.append(
            RefusalReason(text, resolution.workload.place(("spec", "target")), hint)
        )
    names = {VOLUME, _EMPTY_VOLUME, *_ADDED}
    places = {*_FILES.values(), *_PASSWD.values(), _EMPTY, keys(resolution), "/etc/mpi"}
    for index, volume in enumerate(resolution.spec.volumes):
        where = resolution.workload.place(("spec", "volumes", index))
        if volume_name(volume) in names:
            text = f"volume {volume_name(volume)} has the name of one that ssh of an MPIJob needs"
            refusal_reasons.append(RefusalReason(text, where, "name it otherwise"))
        if volume.mount.rstrip("/") in places:
            text = f"ssh of an MPIJob has its own files at {volume.mount}"
            refusal_reasons.append(RefusalReason(text, where, "mount it elsewhere"))
    return refusal_reasons


def files(resolution: Resolution, pod: PodPlan) -> NodeMap:
    """Return the files by name. `pod`: a worker's."""
    at = keys(resolution)
    server = [
        f"Port {PORT}",
        f"HostKey {at}/id_rsa",
        f"AuthorizedKeysFile {at}/authorized_keys",
        "AuthenticationMethods publickey",
        "StrictModes no",
        "PidFile none",
        "LogLevel ERROR",
        f'ForceCommand . {_ENVIRONMENT}; exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"',
    ]
    client = [
        "Host *",
        f"  Port {PORT}",
        f"  IdentityFile {at}/id_rsa",
        "  BatchMode yes",
        "  StrictHostKeyChecking no",
        "  UserKnownHostsFile /dev/null",
        "  LogLevel ERROR",
    ]
    configuration_files: dict[str, PlanPart] = {
        "sshd_config": _lines(server, "an unprivileged server whose processes get its variables"),
        "ssh_config": _lines(client, "keys and hosts belong to this run only, so ssh asks nothing"),
    }
    if not is_root(resolution):
        assert isinstance(pod.security, Decision)
        user, group = (pod.security.value[field] for field in ("runAsUser", "runAsGroup"))
        if resolution.spec.user.main_uid is not None:
            user = resolution.spec.user.main_uid
        lines = [
            "root:x:0:0:root:/root:/bin/sh",
            f"app:x:{user}:{group}::{HOME}:/bin/sh",
        ]
        configuration_files["passwd"] = _lines(
            lines, "ssh needs a user with a name, a home and a shell"
        )
    return configuration_files


def serving(resolution: Resolution, pod: PodPlan, name: Decision) -> PodPlan:
    """Return a worker whose main container runs sshd and waits for commands."""
    (main,) = pod.containers
    root = is_root(resolution)
    script = f"{_EMPTIED if root else ''}{_SERVE}"
    port = {"name": "ssh", "containerPort": PORT, "protocol": "TCP"}
    look = {"tcpSocket": {"port": "ssh"}, "periodSeconds": LOOK}
    served = replace(
        main,
        command=derived("sshd", ["/bin/sh", "-c", script], "waits for the launcher"),
        args=None,
        ports=(derived("sshd", port, "it needs no privilege to open"),),
        readiness_probe=derived("sshd", look, "ready when ssh can connect"),
        mounts=(*main.mounts, *mounts(resolution), *(_empty(mount=True) if root else ())),
    )
    return without_group(
        resolution,
        replace(
            pod,
            restart_policy=None,
            containers=(served,),
            volumes=(*pod.volumes, volume(name), *(_empty(mount=False) if root else ())),
        ),
    )


def _empty(*, mount: bool) -> Nodes:
    """Return the empty folder that sshd needs as root: its mount, or its volume."""
    value = (
        {"name": _EMPTY_VOLUME, "mountPath": _EMPTY}
        if mount
        else {"name": _EMPTY_VOLUME, "emptyDir": {"sizeLimit": "1Mi"}}
    )
    return (derived("sshd", value, "where sshd drops its privileges; it stays empty"),)


def _lines(lines: list[str], why: str) -> Decision:
    return derived("sshd", "\n".join(lines) + "\n", why)


def volume(name: Decision) -> Decision:
    """Return the volume of the files. `name`: of the run."""
    value = {"name": VOLUME, "configMap": {"name": f"{name.value}-{VOLUME}"}}
    return derived("sshd", value, "settings of ssh")


def mounts(resolution: Resolution) -> Nodes:
    """Return the mounts of the files in each of the pods."""
    file_names = _FILES if is_root(resolution) else _FILES | _PASSWD
    return tuple(
        derived(
            "sshd",
            {"name": VOLUME, "mountPath": at, "subPath": name, "readOnly": True},
            "replaces the image's own",
        )
        for name, at in file_names.items()
    )


def without_group(resolution: Resolution, pod: PodPlan) -> PodPlan:
    """Remove the group of volumes from a pod that runs as root: it could read the keys, and ssh
    accepts no keys that others can read."""
    if not is_root(resolution):
        return pod
    assert isinstance(pod.security, Decision)
    value = {key: value for key, value in pod.security.value.items() if not key.startswith("fsG")}
    why = (
        "as root, see the waiver; volumes keep their group, because a pod group could "
        "read the keys of ssh"
    )
    return replace(pod, security=Decision(value, why, pod.security.origin))
