"""Kubernetes' smaller API groups (1.37): kinds for the cluster, its nodes, networks and devices."""

from gpuspec.kinds.model import ImmutableFields, Kind, Naming, Phase, Reference, Selects
from gpuspec.kinds.references import (
    SCHEDULING,
    chosen,
    device_claims,
    device_requests,
    priority,
    scale_target,
    secret,
    service,
)

_ANY = Naming("any")
_RBAC = "rbac.authorization.k8s.io"
_ADMISSION = "admissionregistration.k8s.io"
_ROLE = (
    chosen("roleRef", _RBAC, "", "apiGroup"),
    # Users and groups are no objects.
    chosen("subjects.*", "", "", "apiGroup", "namespace"),
)
_BACKENDS = ("spec.defaultBackend", "spec.rules.*.http.paths.*.backend")
_INGRESS = (
    *(service(f"{backend}.service", "name", "port.name", "port.number") for backend in _BACKENDS),
    *(chosen(f"{backend}.resource", "", "", "apiGroup") for backend in _BACKENDS),
    secret("spec.tls.*", "secretName", optional=True),
    Reference("spec", "ingressClassName", "networking.k8s.io", "IngressClass"),
)


def _wide(
    group: str, phase: Phase, *names: str, refers: tuple[Reference, ...] = ()
) -> tuple[Kind, ...]:
    return tuple(Kind(group, name, phase, namespaced=False, refers=refers) for name in names)


def _webhook(holder: str) -> Reference:
    return service(f"{holder}.service", "name", "port", namespace_at="namespace")


def _spaced(group: str, phase: Phase, *names: str) -> tuple[Kind, ...]:
    return tuple(Kind(group, name, phase) for name in names)


def _class(group: str, name: str, *fixed: str, **filled: str) -> Kind:
    """Return a kind of class object that others refer to, most of whose fields are immutable."""
    return Kind(
        group,
        name,
        "cluster",
        namespaced=False,
        kept=ImmutableFields(fixed),
        filled=tuple(filled.items()),
    )


def _claim(name: str, base: str) -> Kind:
    """Return the kind of a claim on devices, or of a claim template, whose spec is at a pattern."""
    requests = f"{base}.devices.requests.*"
    return Kind(
        "resource.k8s.io",
        name,
        "data",
        kept=ImmutableFields(("spec",)),
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
        kept=ImmutableFields(("roleRef",)),
        filled=(("roleRef.apiGroup", _RBAC),),
        refers=_ROLE,
    )


_TAKEN = "resourceClaims.*"
_GROUPS = (
    "spec.podGroupTemplates.*",
    "spec.compositePodGroupTemplates.*.podGroupTemplates.*",
)
"""The path of the pod groups of a Workload."""

KINDS = (
    *_wide(
        "apiextensions.k8s.io",
        "definition",
        "CustomResourceDefinition",
        refers=(_webhook("spec.conversion.webhook.clientConfig"),),
    ),
    _class(
        SCHEDULING,
        "PriorityClass",
        "value",
        "preemptionPolicy",
        preemptionPolicy="PreemptLowerPriority",
    ),
    Kind(
        SCHEDULING,
        "Workload",
        "queue",
        refers=(
            chosen("spec.controllerRef", "", "", "apiGroup"),
            priority("spec.compositePodGroupTemplates.*"),
            *(
                row
                for group in _GROUPS
                for row in (priority(group), *device_claims(f"{group}.{_TAKEN}"))
            ),
        ),
    ),
    Kind(
        SCHEDULING,
        "PodGroup",
        "queue",
        refers=(
            Reference("spec.workloadRef", "workloadName", SCHEDULING, "Workload"),
            Reference("spec", "parentCompositePodGroupName", SCHEDULING, "CompositePodGroup"),
            priority("spec"),
            *device_claims(f"spec.{_TAKEN}"),
        ),
    ),
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
    Kind(
        "networking.k8s.io",
        "IngressClass",
        "cluster",
        namespaced=False,
        kept=ImmutableFields(("spec.controller",)),
        refers=(chosen("spec.parameters", "", "", "apiGroup", "namespace"),),
    ),
    # Its name is the address.
    Kind("networking.k8s.io", "IPAddress", "cluster", namespaced=False, naming=_ANY),
    *(
        Kind("certificates.k8s.io", name, "cluster", namespaced=False, naming=_ANY)
        for name in ("ClusterTrustBundle", "CertificateSigningRequest")
    ),
    Kind(
        "networking.k8s.io",
        "NetworkPolicy",
        "policy",
        selects=(Selects("spec.podSelector"),),
    ),
    Kind("networking.k8s.io", "Ingress", "traffic", refers=_INGRESS),
    *_spaced("discovery.k8s.io", "service", "EndpointSlice"),
    Kind(
        "policy",
        "PodDisruptionBudget",
        "budget",
        naming=_ANY,
        selects=(Selects("spec.selector"),),
    ),
    Kind(_RBAC, "ClusterRole", "permission", namespaced=False, naming=_ANY),
    _binding("ClusterRoleBinding", namespaced=False),
    Kind(_RBAC, "Role", "permission", naming=_ANY),
    _binding("RoleBinding", namespaced=True),
    Kind(
        "autoscaling",
        "HorizontalPodAutoscaler",
        "scaling",
        refers=(
            scale_target(),
            chosen("spec.metrics.*.object.describedObject", "", "", "apiVersion"),
        ),
    ),
    Kind(
        "autoscaling.k8s.io",
        "VerticalPodAutoscaler",
        "scaling",
        refers=(scale_target("targetRef"),),
    ),
    Kind(
        "autoscaling.x-k8s.io",
        "CapacityBuffer",
        "scaling",
        refers=(
            Reference("spec.podTemplateRef", "name", "", "PodTemplate"),
            chosen("spec.scalableRef", "", "", "apiGroup"),
        ),
    ),
    Kind(
        "autoscaling.x-k8s.io",
        "ProvisioningRequest",
        "scaling",
        refers=(Reference("spec.podSets.*.podTemplateRef", "name", "", "PodTemplate"),),
    ),
    *_wide(
        "apiregistration.k8s.io",
        "admission",
        "APIService",
        refers=(service("spec.service", "name", "port", namespace_at="namespace"),),
    ),
    *_wide(_ADMISSION, "admission", "ValidatingAdmissionPolicy"),
    *_wide(
        _ADMISSION,
        "admission",
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
        refers=(_webhook("webhooks.*.clientConfig"),),
    ),
    Kind(
        _ADMISSION,
        "ValidatingAdmissionPolicyBinding",
        "admission",
        namespaced=False,
        refers=(Reference("spec", "policyName", _ADMISSION, "ValidatingAdmissionPolicy"),),
    ),
)
