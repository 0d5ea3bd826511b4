"""Objects with whole objects inside, which a controller applies here or in other clusters. Sources:
apis of crossplane-contrib/provider-kubernetes (1.2), `spec.forProvider.manifest`, which takes
the Object's name; work of
open-cluster-management-io/api (1.3), `workload.manifests`; KubeVela's definition of `k8s-objects`
(vela-templates/definitions/internal/component), `properties.objects`;
pkg/appfile of KubeVela, which gives them the application's namespace."""

from gpuspec.kinds.model import Kind

_WORK = "work.open-cluster-management.io"

KINDS = (
    # The first version of the API has no namespace, the second one has.
    Kind(
        "kubernetes.crossplane.io",
        "Object",
        "workload",
        namespaced=False,
        objects=("spec.forProvider.manifest",),
        names_objects=True,
    ),
    Kind(
        "kubernetes.m.crossplane.io",
        "Object",
        "workload",
        objects=("spec.forProvider.manifest",),
        names_objects=True,
    ),
    Kind(_WORK, "ManifestWork", "workload", objects=("spec.workload.manifests.*",)),
    Kind(
        _WORK,
        "ManifestWorkReplicaSet",
        "workload",
        objects=("spec.manifestWorkTemplate.workload.manifests.*",),
    ),
    Kind(
        "core.oam.dev",
        "Application",
        "workload",
        objects=("spec.components.*.properties.objects.*",),
        names_objects=True,
    ),
)
