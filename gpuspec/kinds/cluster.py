"""Kubernetes' smaller API groups (1.37): what is about the cluster, its nodes, networks and devices."""

from gpuspec.kinds.model import Kept, Kind, Naming, Phase, Reference
from gpuspec.kinds.references import chosen, device_requests, scale_target, secret

_ANY = Naming("any")
_RBAC = "rbac.authorization.k8s.io"
_ADMISSION = "admissionregistration.k8s.io"
_ROLE = (
    chosen("roleRef", _RBAC, "", "apiGroup"),
    # Users and groups are no objects.
    chosen("subjects.*", "", "", "apiGroup", "namespace"),
)
_INGRESS = (
    *(
        Reference(f"{each}.service", "name", "", "Service")
        for each in ("spec.defaultBackend", "spec.rules.*.http.paths.*.backend")
    ),
    secret("spec.tls.*", "secretName", optional=True),
    Reference("spec", "ingressClassName", "networking.k8s.io", "IngressClass"),
)


def _wide(group: str, phase: Phase, *names: str) -> tuple[Kind, ...]:
    return tuple(Kind(group, name, phase, namespaced=False) for name in names)


def _spaced(group: str, phase: Phase, *names: str) -> tuple[Kind, ...]:
    return tuple(Kind(group, name, phase) for name in names)


def _class(group: str, name: str, *fixed: str, **filled: str) -> Kind:
    """A kind of setting that others name, most of which stays as it was made."""
    return Kind(
        group,
        name,
        "cluster",
        namespaced=False,
        kept=Kept(fixed),
        filled=tuple(filled.items()),
    )


def _claim(name: str, base: str) -> Kind:
    """A claim on devices, or the template of one, whose spec lies at a pattern."""
    requests = f"{base}.devices.requests.*"
    return Kind(
        "resource.k8s.io",
        name,
        "data",
        kept=Kept(("spec",)),
        refers=device_requests(base),
        filled=tuple(
            (f"{request}.{field}", value)
            for request in (requests, f"{requests}.exactly")
            for field, value in (("allocationMode", "ExactCount"), ("count", 1))
        ),
    )


def _binding(name: str, *, namespaced: bool) -> Kind:
    return Kind(
        _RBAC,
        name,
        "permission",
        namespaced=namespaced,
        naming=_ANY,
        kept=Kept(("roleRef",)),
        filled=(("roleRef.apiGroup", _RBAC),),
        refers=_ROLE,
    )


KINDS = (
    *_wide("apiextensions.k8s.io", "definition", "CustomResourceDefinition"),
    _class(
        "scheduling.k8s.io",
        "PriorityClass",
        "value",
        "preemptionPolicy",
        preemptionPolicy="PreemptLowerPriority",
    ),
    *_spaced("scheduling.k8s.io", "queue", "Workload", "PodGroup"),
    _class("node.k8s.io", "RuntimeClass", "handler"),
    _class("storage.k8s.io", "CSIDriver", "spec.attachRequired", "spec.volumeLifecycleModes"),
    _class(
        "storage.k8s.io",
        "StorageClass",
        *("provisioner", "parameters", "reclaimPolicy", "volumeBindingMode"),
        reclaimPolicy="Delete",
        volumeBindingMode="Immediate",
    ),
    _class("storage.k8s.io", "VolumeAttributesClass", "driverName", "parameters"),
    *_wide("resource.k8s.io", "cluster", "DeviceClass", "ResourceSlice"),
    _claim("ResourceClaimTemplate", "spec.spec"),
    _claim("ResourceClaim", "spec"),
    _class("networking.k8s.io", "IngressClass", "spec.controller"),
    # Its name is the address.
    Kind("networking.k8s.io", "IPAddress", "cluster", namespaced=False, naming=_ANY),
    *(
        Kind("certificates.k8s.io", name, "cluster", namespaced=False, naming=_ANY)
        for name in ("ClusterTrustBundle", "CertificateSigningRequest")
    ),
    *_spaced("networking.k8s.io", "policy", "NetworkPolicy"),
    Kind("networking.k8s.io", "Ingress", "traffic", refers=_INGRESS),
    *_spaced("discovery.k8s.io", "service", "EndpointSlice"),
    Kind("policy", "PodDisruptionBudget", "budget", naming=_ANY),
    Kind(_RBAC, "ClusterRole", "permission", namespaced=False, naming=_ANY),
    _binding("ClusterRoleBinding", namespaced=False),
    Kind(_RBAC, "Role", "permission", naming=_ANY),
    _binding("RoleBinding", namespaced=True),
    Kind("autoscaling", "HorizontalPodAutoscaler", "scaling", refers=(scale_target(),)),
    *_spaced("autoscaling.k8s.io", "scaling", "VerticalPodAutoscaler"),
    *_spaced("autoscaling.x-k8s.io", "scaling", "CapacityBuffer"),
    *_wide("apiregistration.k8s.io", "admission", "APIService"),
    *_wide(
        _ADMISSION,
        "admission",
        "ValidatingAdmissionPolicy",
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
    ),
    Kind(
        _ADMISSION,
        "ValidatingAdmissionPolicyBinding",
        "admission",
        namespaced=False,
        refers=(Reference("spec", "policyName", _ADMISSION, "ValidatingAdmissionPolicy"),),
    ),
)
