"""Kubernetes' core kinds (1.37). Sources: the API reference; `pkg/apis/core/validation`."""

from gpuspec.kinds.model import Kept, Kind, Naming, Rolls

KINDS = (
    Kind("", "List", "list", objects=("items.*",)),
    Kind("", "Namespace", "namespace", namespaced=False, naming=Naming("label")),
    Kind(
        "",
        "PersistentVolume",
        "cluster",
        namespaced=False,
        kept=Kept(
            tuple(
                f"spec.{source}"
                for source in (
                    *("csi", "nfs", "hostPath", "local", "iscsi", "fc", "rbd", "cephfs"),
                    *("awsElasticBlockStore", "azureDisk", "azureFile", "gcePersistentDisk"),
                    "volumeMode",
                )
            )
        ),
    ),
    Kind("", "Node", "cluster", namespaced=False),
    Kind("", "ServiceAccount", "account"),
    Kind("", "ResourceQuota", "limit", kept=Kept(("spec.scopes",))),
    Kind("", "LimitRange", "limit"),
    Kind("", "Secret", "data", kept=Kept(("type",))),
    Kind("", "ConfigMap", "data"),
    Kind(
        "",
        "PersistentVolumeClaim",
        "data",
        kept=Kept(
            ("spec",),
            but=("spec.resources.requests", "spec.volumeAttributesClassName"),
            way="make another claim and copy its data",
        ),
    ),
    Kind(
        "",
        "Service",
        "service",
        kept=Kept(("spec.clusterIP", "spec.clusterIPs", "spec.loadBalancerClass")),
    ),
    Kind("", "Endpoints", "service"),
    Kind("", "PodTemplate", "runtime", templates=("template",), template=True, completed=True),
    Kind(
        "",
        "Pod",
        "workload",
        templates=("",),
        as_written=True,
        kept=Kept(
            ("spec",),
            but=(
                *("spec.containers.*.image", "spec.initContainers.*.image"),
                "spec.activeDeadlineSeconds",
            ),
        ),
        rolls=Rolls(
            "restart",
            "restarts the containers whose image is another",
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
    ),
)
