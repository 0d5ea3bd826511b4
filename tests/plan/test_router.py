"""What is before prefill and decode: the router's pod, how long it waits, and who leads to it."""

from types import ModuleType
from typing import Any

from tests.plan.conftest import Made, Make, Values, cluster, pool
from tests.plan.sides import after, containers, labels, selected


def router_pod(made: Made) -> Values:
    found: Values = made.one("Deployment", "work-router")["spec"]["template"]
    return found


def test_the_router_is_restricted_and_has_no_gpu(make: Make, pod_security: ModuleType) -> None:
    made = make("Inference", cluster(pool()), prefill={})
    template = router_pod(made)
    assert pod_security.restricted(template) == []
    pod = template["spec"]
    assert pod["automountServiceAccountToken"] is False
    assert "tolerations" not in pod
    (main,) = pod["containers"]
    assert main["resources"]["requests"] == {
        "cpu": "1",
        "memory": "2Gi",
        "ephemeral-storage": "1Gi",
    }


def test_the_router_waits_for_the_slower_side(make: Make) -> None:
    made = make("Inference", prefill={}, startup={"budget": "20m"}, longestRequest="50m")
    main = containers(made)["work-router"]
    probe = main["startupProbe"]
    assert probe["periodSeconds"] * probe["failureThreshold"] == 20 * 60 + 300
    assert after(main["args"], "--worker-startup-timeout-secs") == ["1500"]
    assert after(main["args"], "--request-timeout-secs") == ["3000"]
    assert main["readinessProbe"]["httpGet"]["path"] == "/readiness"
    pod = router_pod(made)["spec"]
    assert pod["terminationGracePeriodSeconds"] >= 50 * 60


def test_the_routers_own_arguments_take_the_place_of_ours(make: Make) -> None:
    asked: dict[str, Any] = {
        "image": "eu.example.com/router:1",
        "replicas": 1,
        "args": ["--policy", "random", "--request-timeout-secs=60"],
        "resources": {"cpu": 2, "memory": "4Gi"},
    }
    made = make("Inference", prefill={}, router=asked)
    main = containers(made)["work-router"]
    assert main["image"] == "eu.example.com/router:1"
    assert after(main["args"], "--policy") == ["random"]
    assert "--request-timeout-secs" not in main["args"]
    assert main["resources"]["limits"]["memory"] == "4Gi"
    pod = router_pod(made)["spec"]
    assert "topologySpreadConstraints" not in pod


def test_a_route_leads_to_the_router(make: Make) -> None:
    profile = cluster(
        gateway={"name": "public", "namespace": "gateway"}, installed={"gateway-api": "1.4"}
    )
    made = make("Inference", profile, prefill={}, route={"hosts": ["chat.example.com"]})
    (route,) = (one for one in made.objects if one["kind"] == "HTTPRoute")
    assert route["metadata"]["name"] == "work"
    ((backend),) = route["spec"]["rules"][0]["backendRefs"]
    front = made.one("Service", backend["name"])["spec"]
    assert selected(front["selector"], labels(made)) == ["work-router"]
