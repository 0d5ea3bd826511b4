"""What bjw-s' app-template makes of its values; where each of these is written."""

from typing import Any

import yaml

from gpuspec.charts.chart_object import ChartObject
from gpuspec.charts.objects import objects_of
from gpuspec.charts.release import releases
from gpuspec.objects.objects import Object
from tests.charts.written import release

VALUES = """\
defaultPodOptions:
  runtimeClassName: nvidia
  securityContext: {runAsUser: 1000}
  labels: {team: video}
controllers:
  encoder:
    type: statefulset
    replicas: 2
    pod:
      securityContext: {fsGroup: 2000}
      hostNetwork: true
    initContainers:
      warm: {image: {repository: ghcr.io/example/warm, tag: v1}}
    containers:
      app:
        image: {repository: ghcr.io/example/encoder, tag: v2}
        args: --serve
        env:
          LIMIT: 50000000
          DEBUG: true
          NODE: {valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}
          NAME: "{{ .Release.Name }}"
          TOKEN: {secretKeyRef: {name: token, key: token}}
        envFrom: [{secret: encoder}, {configMapRef: {name: shared}}]
        probes:
          liveness: {enabled: true}
          readiness: {enabled: false}
          startup: {enabled: true, custom: true, spec: {exec: {command: [ready]}}}
        resources: {limits: {nvidia.com/gpu: 1}}
  nightly:
    type: cronjob
    cronjob: {schedule: "@daily", backoffLimit: 2}
    containers:
      app: {image: {repository: ghcr.io/example/encoder, tag: v2}}
  gone:
    enabled: false
    containers:
      app: {image: {repository: ghcr.io/example/encoder, tag: v2}}
persistence:
  cache: {type: emptyDir, medium: Memory, sizeLimit: 2Gi}
  media:
    existingClaim: films
    advancedMounts: {encoder: {app: [{path: /films, readOnly: true}]}}
service:
  app:
    controller: encoder
    ports: {http: {port: 8080}}
"""


def made(values: str = VALUES, **more: str) -> dict[str, ChartObject]:
    """The objects of a release, by kind."""
    (one,) = releases(Object(yaml.safe_load(release(values, **more))))
    return {each.value["kind"]: each for each in objects_of(one)}


def pod() -> Any:
    return made()["StatefulSet"].value["spec"]["template"]["spec"]


def test_each_controller_that_is_on_is_an_object() -> None:
    objects = made()
    assert objects.keys() == {"StatefulSet", "CronJob", "Service"}
    stateful = objects["StatefulSet"].value
    assert stateful["metadata"] == {"name": "studio-encoder", "namespace": "media"}
    assert stateful["spec"]["replicas"] == 2
    nightly = objects["CronJob"].value["spec"]
    assert nightly["schedule"] == "@daily"
    assert nightly["jobTemplate"]["spec"]["backoffLimit"] == 2
    assert nightly["jobTemplate"]["spec"]["template"]["spec"]["restartPolicy"] == "Never"


def test_a_pods_own_options_take_the_place_of_those_of_all() -> None:
    assert pod()["runtimeClassName"] == "nvidia"
    assert pod()["securityContext"] == {"fsGroup": 2000}
    assert pod()["dnsPolicy"] == "ClusterFirstWithHostNet"


def test_options_are_merged_where_the_chart_is_told_so() -> None:
    merged = made("defaultPodOptionsStrategy: merge\n" + VALUES)["StatefulSet"]
    path = ("spec", "template", "spec", "securityContext")
    context = merged.value["spec"]["template"]["spec"]["securityContext"]
    assert context == {"runAsUser": 1000, "fsGroup": 2000}
    shared = ("defaultPodOptions", "securityContext", "runAsUser")
    assert merged.origin((*path, "runAsUser")) == shared


def test_environment_has_four_forms_and_numbers_become_text_as_go_prints_them() -> None:
    container = pod()["containers"][0]
    assert container["env"] == [
        {"name": "LIMIT", "value": "5e+07"},
        {"name": "DEBUG", "value": "true"},
        {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
        {"name": "NAME", "value": "studio"},
        {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "token", "key": "token"}}},
    ]
    assert container["envFrom"] == [
        {"secretRef": {"name": "encoder"}},
        {"configMapRef": {"name": "shared"}},
    ]
    assert container["args"] == ["--serve"]


def test_a_probe_asks_the_port_of_the_service_unless_it_is_a_custom_one() -> None:
    container = pod()["containers"][0]
    assert container["livenessProbe"]["tcpSocket"] == {"port": 8080}
    assert container["livenessProbe"]["failureThreshold"] == 3
    assert container["startupProbe"] == {"exec": {"command": ["ready"]}}
    assert "readinessProbe" not in container


def test_volumes_are_mounted_everywhere_or_where_they_say() -> None:
    init, app = pod()["initContainers"][0], pod()["containers"][0]
    cache = {"name": "cache", "mountPath": "/cache"}
    films = {"name": "media", "mountPath": "/films", "readOnly": True}
    assert init["volumeMounts"] == [cache]
    assert app["volumeMounts"] == [cache, films]
    assert pod()["volumes"] == [
        {"name": "cache", "emptyDir": {"medium": "Memory", "sizeLimit": "2Gi"}},
        {"name": "media", "persistentVolumeClaim": {"claimName": "films"}},
    ]


def test_the_service_selects_the_pods_of_its_controller() -> None:
    objects = made()
    template = objects["StatefulSet"].value["spec"]["template"]
    selector = objects["Service"].value["spec"]["selector"]
    assert selector.items() <= template["metadata"]["labels"].items()
    assert template["metadata"]["labels"]["team"] == "video"


def test_each_field_knows_its_value() -> None:
    stateful = made()["StatefulSet"]
    spec = ("spec", "template", "spec")
    app = ("controllers", "encoder", "containers", "app")
    container = (*spec, "containers", 0)
    for field, value in {
        ("image",): ("image", "tag"),
        ("env", 1, "value"): ("env", "DEBUG"),
        ("resources", "limits", "nvidia.com/gpu"): ("resources", "limits", "nvidia.com/gpu"),
        ("livenessProbe", "periodSeconds"): ("probes", "liveness", "periodSeconds"),
        ("readinessProbe",): ("readinessProbe",),
    }.items():
        assert stateful.origin((*container, *field)) == (*app, *value)
    assert stateful.origin((*spec, "runtimeClassName")) == ("defaultPodOptions", "runtimeClassName")
    assert stateful.origin((*spec, "volumes", 0, "emptyDir", "sizeLimit")) == (
        "persistence",
        "cache",
        "sizeLimit",
    )


def test_old_releases_and_values_from_elsewhere_leave_it_open_what_else_there_is() -> None:
    old = "chart: {spec: {chart: app-template, version: 2.6.0}}"
    from_secret = "valuesFrom: [{kind: Secret, name: more}]\n  chartRef: {kind: HelmChart, name: x}"
    assert made()["StatefulSet"].whole
    assert not made(chart=old)["StatefulSet"].whole
    assert not made(chart=from_secret)["StatefulSet"].whole
