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


KINDS = (
    *_wide("apiextensions.k8s.io", "definition", "CustomResourceDefinition"),
    Kind(
        "scheduling.k8s.io",
        "PriorityClass",
        "cluster",
        namespaced=False,
        kept=Kept(("value", "preemptionPolicy")),
    ),
    *_spaced("scheduling.k8s.io", "queue", "Workload", "PodGroup"),
    Kind("node.k8s.io", "RuntimeClass", "cluster", namespaced=False, kept=Kept(("handler",))),
    Kind(
        "storage.k8s.io",
        "CSIDriver",
        "cluster",
        namespaced=False,
        kept=Kept(("spec.attachRequired", "spec.volumeLifecycleModes")),
    ),
    Kind(
        "storage.k8s.io",
        "StorageClass",
        "cluster",
        namespaced=False,
        kept=Kept(("provisioner", "parameters", "reclaimPolicy", "volumeBindingMode")),
    ),
    Kind(
        "storage.k8s.io",
        "VolumeAttributesClass",
        "cluster",
        namespaced=False,
        kept=Kept(("driverName", "parameters")),
    ),
    *_wide("resource.k8s.io", "cluster", "DeviceClass", "ResourceSlice"),
    Kind(
        "resource.k8s.io",
        "ResourceClaimTemplate",
        "data",
        kept=Kept(("spec",)),
        refers=device_requests("spec.spec"),
    ),
    Kind(
        "resource.k8s.io",
        "ResourceClaim",
        "data",
        kept=Kept(("spec",)),
        refers=device_requests("spec"),
    ),
    Kind(
        "networking.k8s.io",
        "IngressClass",
        "cluster",
        namespaced=False,
        kept=Kept(("spec.controller",)),
    ),
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
    Kind(
        _RBAC,
        "ClusterRoleBinding",
        "permission",
        namespaced=False,
        naming=_ANY,
        kept=Kept(("roleRef",)),
        refers=_ROLE,
    ),
    Kind(_RBAC, "Role", "permission", naming=_ANY),
    Kind(
        _RBAC,
        "RoleBinding",
        "permission",
        naming=_ANY,
        kept=Kept(("roleRef",)),
        refers=_ROLE,
    ),
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
