"""Kubernetes' core kinds (1.37). Sources: the API reference; `pkg/apis/core/validation`."""

from gpuspec.kinds.apps import ALWAYS
from gpuspec.kinds.model import ImmutableFields, Kind, Naming, Reference, Rolls, Selects
from gpuspec.kinds.owned import REPLICAS
from gpuspec.kinds.references import claim_spec, secret, volume_spec

KINDS = (
    Kind("", "List", "list", objects=("items.*",)),
    Kind("", "Namespace", "namespace", namespaced=False, naming=Naming("label")),
    Kind(
        "",
        "PersistentVolume",
        "cluster",
        namespaced=False,
        kept=ImmutableFields(
            tuple(
                f"spec.{source}"
                for source in (
                    *("csi", "nfs", "hostPath", "local", "iscsi", "fc", "rbd", "cephfs"),
                    *("awsElasticBlockStore", "azureDisk", "azureFile", "gcePersistentDisk"),
                    "volumeMode",
                )
            )
        ),
        filled=(("spec.volumeMode", "Filesystem"),),
        refers=volume_spec("spec"),
    ),
    Kind("", "Node", "cluster", namespaced=False),
    Kind(
        "",
        "ServiceAccount",
        "account",
        refers=(
            secret("secrets.*", optional=True),
            secret("imagePullSecrets.*", optional=True),
        ),
    ),
    Kind("", "ResourceQuota", "limit", kept=ImmutableFields(("spec.scopes",))),
    Kind("", "LimitRange", "limit"),
    Kind(
        "",
        "Secret",
        "data",
        kept=ImmutableFields(("type",)),
        # Of the sort that holds a ServiceAccount's token.
        refers=(
            Reference(
                "metadata.annotations", "kubernetes.io/service-account.name", "", "ServiceAccount"
            ),
        ),
    ),
    Kind("", "ConfigMap", "data"),
    Kind(
        "",
        "PersistentVolumeClaim",
        "data",
        refers=claim_spec("spec"),
        kept=ImmutableFields(
            ("spec",),
            but=("spec.resources.requests", "spec.volumeAttributesClassName"),
            way="create another claim and copy the data",
        ),
        filled=(("spec.volumeMode", "Filesystem"),),
    ),
    Kind(
        "",
        "Service",
        "service",
        selects=(Selects("spec.selector"),),
        kept=ImmutableFields(("spec.clusterIP", "spec.clusterIPs", "spec.loadBalancerClass")),
    ),
    Kind("", "Endpoints", "service"),
    Kind("", "PodTemplate", "runtime", templates=("template",), template=True, completed=True),
    Kind(
        "",
        "Pod",
        "workload",
        templates=("",),
        as_written=True,
        kept=ImmutableFields(
            ("spec",),
            but=(
                *("spec.containers.*.image", "spec.initContainers.*.image"),
                "spec.activeDeadlineSeconds",
            ),
        ),
        filled=(("spec.restartPolicy", "Always"),),
        rolls=Rolls(
            "restart",
            "restarts the containers whose image changed",
            but=("spec.tolerations", "spec.activeDeadlineSeconds"),
        ),
    ),
    Kind(
        "",
        "ReplicationController",
        "workload",
        templates=("spec.template",),
        life="service",
        as_written=True,
        scaled=REPLICAS,
        filled=ALWAYS,
    ),
    Kind("", "Event", "monitoring", naming=Naming("any")),
)
