"""KEDA (2.20). Sources: its CRDs, its API reference, and the scalers in pkg/scalers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.model import Kind, PodChanges, Rolls
from gpuspec.kinds.references import account, chosen, config_map, scale_target, secret
from gpuspec.kinds.scale import Scale, between
from gpuspec.manifests.values import mapping

if TYPE_CHECKING:
    from gpuspec.manifests import Path

GROUP = "keda.sh"
MOST = 100
"""The default of `maxReplicaCount`."""
TRIGGERS = (
    *("activemq", "apache-kafka", "arangodb", "artemis-queue", "aws-cloudwatch"),
    *("aws-dynamodb", "aws-dynamodb-streams", "aws-kinesis-stream", "aws-sqs-queue"),
    *("azure-app-insights", "azure-blob", "azure-data-explorer", "azure-eventhub"),
    *("azure-log-analytics", "azure-monitor", "azure-pipelines", "azure-queue"),
    *("azure-servicebus", "beanstalkd", "cassandra", "clickhouse", "couchdb", "cpu"),
    *("cron", "datadog", "dynatrace", "elastic-forecast", "elasticsearch", "etcd"),
    *("external", "external-mock", "external-push", "forgejo-runner", "gcp-cloudtasks"),
    *("gcp-pubsub", "gcp-spanner", "gcp-stackdriver", "gcp-storage", "github-runner"),
    *("graphite", "huawei-cloudeye", "ibmmq", "influxdb", "kafka", "kubernetes-resource"),
    *("kubernetes-workload", "liiklus", "loki", "memory", "metrics-api", "mongodb"),
    *("mssql", "mysql", "nats-jetstream", "new-relic", "nsq", "opensearch"),
    *("openstack-metric", "openstack-swift", "postgresql", "predictkube", "prometheus"),
    *("pulsar", "rabbitmq", "redis", "redis-cluster", "redis-cluster-streams"),
    *("redis-sentinel", "redis-sentinel-streams", "redis-streams", "selenium-grid"),
    *("solace-direct-messaging", "solace-event-queue", "solarwinds", "solr", "splunk"),
    *("splunk-observability", "stan", "sumologic", "temporal"),
)
"""The types of triggers of every release from 2.10 on (pkg/scaling/scalers_builder.go)."""
_TRIGGERS = chosen("spec.triggers.*.authenticationRef", GROUP, "TriggerAuthentication", "")


def _own_groups(value: dict[str, Any], inside: Path) -> Scale:
    spec = mapping(value.get("spec"))
    most = spec.get("maxReplicaCount", MOST)
    return between(spec.get("minReplicaCount", 0), most, "KEDA")


_AUTHENTICATION = (
    secret("spec.secretTargetRef.*", "name", "key"),
    config_map("spec.configMapTargetRef.*", "name", "key"),
    account("spec.boundServiceAccountToken.*"),
    account("spec.hashiCorpVault.credential"),
    *(
        secret(f"spec.{field}.valueFrom.secretKeyRef", "name", "key")
        for field in (
            *(
                f"awsSecretManager.credentials.access{part}"
                for part in ("Key", "SecretKey", "Token")
            ),
            *(f"{part}.credentials.clientSecret" for part in ("azureKeyVault", "gcpSecretManager")),
            "oauth2.clientSecret",
        )
    ),
)

KINDS = (
    Kind(
        GROUP,
        "ClusterTriggerAuthentication",
        "scaling",
        namespaced=False,
        refers=_AUTHENTICATION,
    ),
    Kind(GROUP, "TriggerAuthentication", "scaling", refers=_AUTHENTICATION),
    Kind(
        GROUP,
        "ScaledObject",
        "scaling",
        refers=(scale_target(group="apps", kind="Deployment"), _TRIGGERS),
    ),
    Kind(
        GROUP,
        "ScaledJob",
        "scaling",
        templates=("spec.jobTargetRef.template",),
        changes=PodChanges(),  # pkg/scaling/executor/scale_jobs.go
        life="finite",
        own_groups=_own_groups,
        refers=(_TRIGGERS,),
        rolls=Rolls("restart", "terminates running Jobs, unless `rollout.strategy` is `gradual`"),
    ),
)
