"""Whether a pod is admitted by a SecurityContextConstraints of OpenShift, apart from the code under test.

The constraints are written down by their fields, as openshift/cluster-kube-apiserver-operator has them at
c813e820b (bindata/bootkube/scc-manifests), and judged as openshift/apiserver-library-go does at a8019f39f
(pkg/securitycontextconstraints/sccmatching/provider.go): what a pod leaves out is filled in, what it says
is checked.
"""

from __future__ import annotations

from typing import Any

FIRST_UID = 1_000_680_000
_VOLUMES = {
    *("configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image"),
    *("persistentVolumeClaim", "projected", "secret"),
}
# runAsUser, fsGroup, seccompProfiles, allowedCapabilities, allowPrivilegeEscalation, further volumes.
CONSTRAINTS: dict[str, tuple[str, str, set[str], set[str], bool, set[str]]] = {
    "restricted-v2": (
        "MustRunAsRange",
        "MustRunAs",
        {"RuntimeDefault"},
        {"NET_BIND_SERVICE"},
        False,
        set(),
    ),
    "nonroot-v2": (
        "MustRunAsNonRoot",
        "RunAsAny",
        {"RuntimeDefault"},
        {"NET_BIND_SERVICE"},
        False,
        set(),
    ),
    "anyuid": ("RunAsAny", "RunAsAny", set(), set(), True, set()),
    "hostmount-anyuid": ("RunAsAny", "RunAsAny", set(), set(), True, {"hostPath", "nfs"}),
}


def refusals(template: dict[str, Any]) -> list[str]:
    """Why the constraint that a pod requires does not admit it; none where it does."""
    name = template["metadata"]["annotations"]["openshift.io/required-scc"]
    users, groups, seccomp, capabilities, escalation, volumes = CONSTRAINTS[name]
    spec = template["spec"]
    pod = spec["securityContext"]
    found: list[str] = []
    group = pod.get("fsGroup")
    if groups == "MustRunAs" and group not in (None, FIRST_UID):
        found.append(f"fsGroup {group}")
    profile = pod.get("seccompProfile", {}).get("type")
    if profile is not None and profile not in seccomp:
        found.append(f"seccomp {profile}")
    kinds = {kind for volume in spec["volumes"] for kind in volume if kind != "name"}
    found += [f"volume {kind}" for kind in kinds - _VOLUMES - volumes]
    for one in (*spec.get("initContainers", []), *spec["containers"]):
        own = one.get("securityContext", {})
        user = own.get("runAsUser", pod.get("runAsUser"))
        if users == "MustRunAsRange" and user not in (None, FIRST_UID):
            found.append(f"{one['name']}: runAsUser {user}")
        if users == "MustRunAsNonRoot" and user == 0:
            found.append(f"{one['name']}: root")
        if beyond := set(own.get("capabilities", {}).get("add", [])) - capabilities:
            found.append(f"{one['name']}: {beyond}")
        if own.get("allowPrivilegeEscalation", escalation) and not escalation:
            found.append(f"{one['name']}: allowPrivilegeEscalation")
        if own.get("privileged"):
            found.append(f"{one['name']}: privileged")
    return found
