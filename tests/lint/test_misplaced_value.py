"""GPU789: where charts look for values, beyond what its page shows."""

import pytest

from gpuspec.lint.model import Finding
from tests.charts.written import release
from tests.lint.pages import raised

VALUES = """\
controllers:
  studio:
    pod: {runtimeClassName: nvidia}
    containers:
      app:
        image: {repository: ghcr.io/example/studio, tag: v1.2.0}
        env: {MODE: fast}
persistence:
  cache:
    existingClaim: studio
    advancedMounts: {studio: {app: [{path: /cache}]}}
service:
  app: {controller: studio, ports: {http: {port: 80}}}
"""
OLLAMA = "chart: {spec: {chart: ollama, version: 1.5.0}}"


def said(values: str, *chart: str) -> list[Finding]:
    text = release(values, *chart)
    return [found for one in raised(text) if (found := one.finding()).rule == "GPU789"]


def test_a_good_release_is_not_spoken_of() -> None:
    assert not said(VALUES)


@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        ("pod: {", "pod: {example.com/zone: a, ", "`example.com/zone` is no option of a pod"),
        ("tag: v1.2.0}", "tag: v1.2.0, MODE: x}", "`MODE` is no part of an image"),
        ("pod: {", "podd: {", "`podd` is no field of a controller"),
        ("controllers:", "pod: {}\ncontrollers:", "`pod` is no part of the chart"),
        ("{studio: {app:", "{main: {app:", "no controller `main`: `cache` is not mounted"),
        ("{studio: {app:", "{studio: {main:", "no container `main`"),
        ("controller: studio", "controller: main", "Helm refuses the release"),
    ],
)
def test_what_stands_at_the_wrong_place_or_names_nothing(right: str, wrong: str, says: str) -> None:
    (found,) = said(VALUES.replace(right, wrong, 1))
    assert says in found.message
    assert found.severity == "warning"


def test_one_mapping_is_spoken_of_once() -> None:
    (found,) = said(VALUES.replace("tag: v1.2.0}", "tag: v1.2.0, MODE: x, LEVEL: y}"))
    assert "`MODE`, `LEVEL` are no part of an image" in found.message


ROUTED = (
    VALUES
    + """\
  other: {controller: studio, ports: {http: {port: 81}}}
route:
  app: {rules: [{backendRefs: [{identifier: app}]}]}
"""
)
NEWEST = "chart: {spec: {chart: app-template, version: 4.1.1}}"


def test_a_route_names_a_service_or_its_identifier() -> None:
    assert not said(ROUTED, NEWEST)
    (found,) = said(ROUTED.replace("identifier: app", "identifier: main"), NEWEST)
    assert "no service `main`: Helm refuses" in found.message
    by_name = ROUTED.replace("identifier: app", "name: app")
    (found,) = said(by_name, NEWEST)
    assert "no Service has the name `app`" in found.message
    assert not said(ROUTED.replace("identifier: app", "name: studio-app"), NEWEST)
    assert not said(by_name, NEWEST.replace("4.1.1", "3.7.3"))


@pytest.mark.parametrize(
    ("kind", "right", "wrong", "says"),
    [
        ("route", "port: 80", "port: http", "a route's port must be a number"),
        ("route", "port: 80", "port: 8080", "service `app` has no port 8080"),
        ("ingress", "port: http", "port: web", "no port `web`: the ingress leads nowhere"),
        ("ingress", "identifier: app", "identifier: main", "no service `main`: Helm refuses"),
        ("ingress", "identifier: app", "name: app", "no Service has the name `app`"),
        ("monitor", "port: http", "port: metrics", "no port `metrics`: nothing is scraped"),
        ("monitor", "identifier: app", "identifier: main", "no service `main`: Helm refuses"),
    ],
)
def test_what_is_sent_to_a_service_finds_its_port(
    kind: str, right: str, wrong: str, says: str
) -> None:
    more = {
        "route": "route: {a: {rules: [{backendRefs: [{identifier: app, port: 80}]}]}}\n",
        "ingress": "ingress:\n  a: {hosts: [{host: a.b, paths: [{path: /, service: {identifier: app, "
        "port: http}}]}]}\n",
        "monitor": "serviceMonitor: {a: {service: {identifier: app}, endpoints: [{port: http}]}}\n",
    }[kind]
    other = "  other: {controller: studio, ports: {http: {port: 81}}}\n"
    assert not said(VALUES + other + more, NEWEST)
    (found,) = said(VALUES + other + more.replace(right, wrong), NEWEST)
    assert says in found.message


def test_a_routes_port_has_a_name_in_later_releases() -> None:
    text = VALUES + "route: {a: {rules: [{backendRefs: [{identifier: app, port: http}]}]}}\n"
    assert said(text, NEWEST)
    assert not said(text, NEWEST.replace("4.1.1", "5.0.0"))
    assert not said(text)


def test_of_several_controllers_a_service_names_one() -> None:
    second = "  second: {containers: {app: {image: {repository: a, tag: b}}}}\n"
    two = VALUES.replace("persistence:", second + "persistence:")
    assert not said(two, NEWEST)
    (found,) = said(two.replace("{controller: studio, ports", "{ports"), NEWEST)
    assert "the service names none of them: Helm refuses" in found.message


def test_variables_come_from_a_configmap_of_the_chart() -> None:
    taken = VALUES.replace(
        "env: {", "envFrom: [{configMapRef: {identifier: conf}}]\n        env: {"
    )
    (found,) = said(taken, NEWEST)
    assert "no configMap `conf`: Helm refuses" in found.message
    assert not said(taken + "configMaps: {conf: {data: {a: b}}}\n", NEWEST)


def test_a_volume_of_the_charts_own_data_names_it() -> None:
    mounted = VALUES.replace("existingClaim: studio", "type: configMap\n    identifier: conf")
    (found,) = said(mounted)
    assert "no configMap `conf`: Helm refuses" in found.message
    assert not said(mounted + "configMaps: {conf: {data: {a: b}}}\n")


def test_other_releases_may_have_keys_of_which_nothing_is_known() -> None:
    assert not said(VALUES.replace("pod: {", "pod: {schedulingGroup: {}, "))
    assert not said("_anchors: {}\n" + VALUES)


def test_names_may_be_in_values_from_elsewhere() -> None:
    chart = "valuesFrom: [{kind: ConfigMap, name: more}]\n  chartRef: {kind: HelmChart, name: a}"
    assert not said(VALUES.replace("{studio: {app:", "{main: {app:"), chart)


def test_models_of_ollama_are_a_map() -> None:
    (found,) = said("ollama: {models: [llama3.2]}", OLLAMA)
    assert "`ollama.models` must be a map in chart ollama" in found.message
    assert not said("ollama: {models: {pull: [llama3.2]}}", OLLAMA)
    assert not said("ollama: {models: []}", OLLAMA)
