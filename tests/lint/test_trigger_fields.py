"""GPU803 of what KEDA's scalers accept as the fields of a trigger, and of its authentication."""

import pytest

from tests.lint.pages import raised

KEDA = """apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: chat, namespace: ml}
spec: {scaleTargetRef: {name: chat}, minReplicaCount: 1, triggers: [{type: %s}]}
"""
JOB = """apiVersion: keda.sh/v1alpha1
kind: ScaledJob
metadata: {name: train, namespace: ml}
spec:
  jobTargetRef:
    template:
      spec:
        restartPolicy: Never
        containers: [{name: main, image: "a/b:1", env: [{name: HOST, value: amqp://a}]}]
  triggers: [{type: %s}]
"""
AUTHENTICATION = """---
apiVersion: keda.sh/v1alpha1
kind: %s
metadata: {name: prom%s}
spec: %s
"""
PROMETHEUS = "prometheus, metadata: {serverAddress: a, query: b, threshold: '1', %s}, %s"
NAMED = "authenticationRef: {name: prom}"


def said(text: str) -> list[tuple[str, str]]:
    return [
        (one.finding().severity, one.finding().message)
        for one in raised(text)
        if one.rule.code == "GPU803"
    ]


@pytest.mark.parametrize(
    ("trigger", "part"),
    [
        ("redis, metadata: {address: 'r:6379'}", "the trigger `redis` has no `listName`"),
        ("redis, metadata: {address: 'r:6379', listName: q}", ""),
        (
            "dynatrace, metadata: {host: a, threshold: '1'}",
            "the trigger `dynatrace` has no `token`",
        ),
        ("dynatrace, metadata: {host: a, threshold: '1'}, authenticationRef: {name: a}", ""),
        (
            "kafka, metadata: {bootstrapServers: a, consumerGroup: g, sasl: scram512}",
            "`sasl` must be `none`",
        ),
        (
            "kafka, metadata: {bootstrapServers: a, consumerGroup: g, sasl: '$SASL'}",
            "",
        ),
        (
            "kafka, metadata: {bootstrapServers: a, consumerGroup: g, lagThreshold: '0'}",
            "`lagThreshold` must be above 0",
        ),
        (
            "kafka, metadata: {bootstrapServers: a, consumerGroup: g, lagThreshold: 5m}",
            "`lagThreshold` must be a whole number, not `5m`",
        ),
        (
            "cron, metadata: {timezone: UTC, start: 0 8 * * *, end: 0 8 * * *, desiredReplicas: '2'}",
            "`start` and `end` are both",
        ),
        (
            "cron, metadata: {timezone: CEST, start: 0 8 * * *, end: 0 9 * * *, desiredReplicas: '2'}",
            "`CEST` is not a time zone",
        ),
        (
            "cron, metadata: {timezone: Local, start: 0 8 * * *, end: 0 9 * * *, desiredReplicas: '2'}",
            "",
        ),
        (PROMETHEUS % ("authModes: bearer", ""), "needs `bearerToken`, but the trigger has no"),
        (PROMETHEUS % ("authModes: token", NAMED), "`authModes` must be `apiKey`"),
        (PROMETHEUS % ("authModes: 'basic,bearer'", NAMED), "`basic` and `bearer`, which exclude"),
        (PROMETHEUS % ("authModes: bearer", NAMED), ""),
        (PROMETHEUS % ("threshold: 1e3", ""), ""),
    ],
)
def test_a_trigger_alone(trigger: str, part: str) -> None:
    found = said(KEDA % trigger.replace("threshold: '1', threshold", "threshold"))
    assert [severity for severity, _ in found] == (["error"] if part else [])
    assert all(part in message for _, message in found)


@pytest.mark.parametrize(
    ("mode", "parameters", "part"),
    [
        ("bearer", ["bearerToken"], ""),
        (
            "bearer",
            ["password"],
            "needs `bearerToken`, but its authentication has no `bearerToken`",
        ),
        ("tls", ["ca"], "has no `cert` and `key`"),
        ("basic", ["username", "password"], ""),
    ],
)
def test_the_parameters_of_an_authentication(mode: str, parameters: list[str], part: str) -> None:
    keys = ", ".join(f"{{parameter: {name}, name: s, key: {name}}}" for name in parameters)
    spec = f"{{secretTargetRef: [{keys}]}}"
    text = KEDA % (PROMETHEUS % (f"authModes: {mode}", NAMED))
    found = said(text + AUTHENTICATION % ("TriggerAuthentication", ", namespace: ml", spec))
    assert [severity for severity, _ in found] == (["warning"] if part else [])
    assert all(part in message for _, message in found)


def test_an_identity_may_be_enough() -> None:
    text = KEDA % (PROMETHEUS % ("authModes: bearer", NAMED))
    spec = "{podIdentity: {provider: gcp}}"
    assert not said(text + AUTHENTICATION % ("TriggerAuthentication", ", namespace: ml", spec))


def test_a_reference_to_the_cluster_s_needs_a_kind() -> None:
    text = KEDA % (PROMETHEUS % ("authModes: bearer", NAMED))
    spec = "{secretTargetRef: [{parameter: bearerToken, name: s, key: t}]}"
    ((severity, message),) = said(
        text + AUTHENTICATION % ("ClusterTriggerAuthentication", "", spec)
    )
    assert severity == "warning" and "`prom` is a ClusterTriggerAuthentication" in message
    kind = NAMED.replace("prom", "prom, kind: ClusterTriggerAuthentication")
    text = KEDA % (PROMETHEUS % ("authModes: bearer", kind))
    assert not said(text + AUTHENTICATION % ("ClusterTriggerAuthentication", "", spec))


@pytest.mark.parametrize(("variable", "found"), [("HOST", 0), ("RABBIT", 1)])
def test_a_variable_of_a_scaled_job(variable: str, found: int) -> None:
    trigger = "rabbitmq, metadata: {hostFromEnv: %s, queueName: q, mode: QueueLength, value: '1'}"
    faults = said(JOB % (trigger % variable))
    assert len(faults) == found
    assert all("KEDA starts no Job" in message for _, message in faults)
