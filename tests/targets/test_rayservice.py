"""Servers that a RayService carries: what Serve is told, how the cluster scales and changes, what is refused."""

import pytest
import yaml

from tests.targets.conftest import Run, Values

HERE: Values = {
    "installed": {"kuberay": "1.6", "kueue": "0.19"},
    "targets": {"service": "rayservice"},
}
APPLICATION: Values = {"name": "rank", "import_path": "ranker.app:build"}
SERVING: Values = {
    "runtime": "ray",
    "image": "rayproject/ray:2.54.0-py312-cu128",
    "gpu": {"count": 2},
    "replicas": 2,
    "serve": {"applications": [APPLICATION]},
}
MODEL: Values = {"id": "org/model", "size": "16Gi", "source": {"pvc": "weights"}}


def made(run: Run, spec: Values, **more: object) -> dict[str, list[Values]]:
    found: dict[str, list[Values]] = {}
    for one in run.objects("Inference", spec, **HERE | more):
        found.setdefault(one["kind"], []).append(one)
    return found


def service(run: Run, spec: Values = {}, **more: object) -> Values:  # noqa: B006
    fields = {key: value for key, value in (SERVING | spec).items() if value is not None}
    (one,) = made(run, fields, **more)["RayService"]
    found: Values = one["spec"]
    return found


def model(run: Run, **more: object) -> Values:
    """The application that is made of a model."""
    spec: Values = {"serve": None, "model": MODEL}
    told = yaml.safe_load(service(run, spec | more)["serveConfigV2"])
    (application,) = told["applications"]
    assert application["import_path"] == "ray.serve.llm:build_openai_app"
    (found,) = application["args"]["llm_configs"]
    assert isinstance(found, dict)
    return found


def group(found: Values) -> Values:
    (one,) = found["rayClusterConfig"]["workerGroupSpecs"]
    assert isinstance(one, dict)
    return one


def test_the_configuration_is_the_specs_own(run: Run) -> None:
    application = APPLICATION | {"args": {"path": "s3://models", "top": 0.5}, "deployments": [
        {"name": "Rank", "num_replicas": 4, "ray_actor_options": {"num_gpus": 1}}]}  # fmt: skip
    serve = {"applications": [application], "logging_config": {"encoding": "JSON"}}
    assert yaml.safe_load(service(run, {"serve": serve})["serveConfigV2"]) == serve


def test_proxies_are_told_the_port_that_probes_and_service_ask(run: Run) -> None:
    found = service(run, {"expose": {"containerPort": 9000, "port": 80}})
    assert yaml.safe_load(found["serveConfigV2"])["http_options"] == {"port": 9000}
    assert found["serveService"]["spec"]["ports"] == [
        {"name": "serve", "protocol": "TCP", "port": 80, "targetPort": 9000}
    ]
    cluster = found["rayClusterConfig"]
    (head,) = cluster["headGroupSpec"]["template"]["spec"]["containers"]
    assert {"name": "serve", "containerPort": 9000} in head["ports"]
    (worker,) = group(found)["template"]["spec"]["containers"]
    assert {"name": "http", "containerPort": 9000} in worker["ports"]


def test_a_model_is_served_by_ray_serve_llm_on_each_worker(run: Run) -> None:
    found = model(run, context=8192)
    assert found["model_loading_config"] == {"model_id": "org/model", "model_source": "/models"}
    assert found["engine_kwargs"] == {"tensor_parallel_size": 2, "max_model_len": 8192}
    assert found["deployment_config"] == {"num_replicas": 2, "graceful_shutdown_timeout_s": 120}


def test_a_model_of_a_hub_is_told_by_its_name_and_revision(run: Run) -> None:
    hub = {"id": "org/model", "revision": "abc", "source": {"hub": {"tokenSecret": "hf"}}}
    found = model(run, model=hub)
    assert found["model_loading_config"]["model_source"] == "org/model"
    assert found["engine_kwargs"]["revision"] == "abc"


def test_bounds_are_those_of_replicas_and_of_workers(run: Run) -> None:
    """Serve asks for replicas, and Ray's autoscaler for the workers that they lie on."""
    found = model(run, replicas={"min": 1, "max": 4, "target": 8})
    assert found["deployment_config"]["autoscaling_config"] == {
        **{"min_replicas": 1, "max_replicas": 4, "target_ongoing_requests": 8},
    }
    scaled = service(run, {"replicas": {"min": 1, "max": 4}})
    workers = group(scaled)
    assert (workers["minReplicas"], workers["maxReplicas"]) == (1, 4)
    assert "replicas" not in workers
    assert scaled["rayClusterConfig"]["enableInTreeAutoscaling"] is True


def test_no_autoscaler_stands_beside_it(run: Run) -> None:
    spec = SERVING | {"replicas": {"min": 1, "max": 4}}
    assert "HorizontalPodAutoscaler" not in made(run, spec, metrics={"source": "custom-metrics"})


def test_the_service_is_kuberays_under_the_workloads_name(run: Run) -> None:
    found = made(run, SERVING)
    assert "Service" not in found
    assert found["RayService"][0]["spec"]["serveService"]["metadata"]["name"] == "work"
    named = service(run, {"expose": {"name": "rank-api"}})
    assert named["serveService"]["metadata"]["name"] == "rank-api"


@pytest.mark.parametrize(
    ("spec", "spare", "kind"),
    [
        ({}, 0, "None"),
        ({}, 1, "None"),
        ({}, 2, "NewCluster"),
        ({"rollout": {"surge": 2}}, 0, "NewCluster"),
        ({"rollout": {"surge": 0}}, 2, "None"),
        ({"queue": "research"}, 2, "None"),
        ({"replicas": {"min": 1, "max": 3}}, 2, "None"),
    ],
)
def test_a_second_cluster_takes_room_for_all_of_it(
    run: Run, spec: Values, spare: int, kind: str
) -> None:
    pool = {"name": "a100", "gpu": {"model": "A100-80GB", "count": 8}, "nodes": 4, "spare": spare}
    assert service(run, spec, pools=[pool])["upgradeStrategy"] == {"type": kind}


def test_what_a_change_waits_for_is_said(run: Run) -> None:
    _, _, said = run("render", "Inference", SERVING, profile=HERE)
    assert "a change of the pods waits until its RayCluster is deleted" in " ".join(said.split())
    assert "kubectl delete rayclusters -l ray.io/originated-from-cr-name=work" in said


def test_the_old_cluster_stays_for_its_longest_request(run: Run) -> None:
    assert service(run, {"longestRequest": "10m"})["rayClusterDeletionDelaySeconds"] > 600


def test_where_all_is_closed_the_head_is_too(run: Run) -> None:
    """Callers reach the proxies of workers; the head, which runs whatever it is told, the operator alone."""
    network = {"ingress": [{"namespace": "gateway"}], "egress": [{"fqdn": "hub.example.com"}]}
    installed = HERE["installed"] | {"cilium": "1.18"}
    policies = made(run, SERVING, network=network, installed=installed)["NetworkPolicy"]
    workers, head = (each["spec"] for each in policies)
    callers, mates = workers["ingress"]
    assert callers["ports"] == [{"port": "http", "protocol": "TCP"}]
    together = [{"podSelector": {"matchLabels": {"ray.io/originated-from-cr-name": "work"}}}]
    assert mates == {"from": together}
    assert head["podSelector"]["matchLabels"]["ray.io/node-type"] == "head"
    assert head["ingress"][0] == {"from": together}
    (operator,) = head["ingress"][1]["from"]
    assert operator["podSelector"]["matchLabels"] == {
        "app.kubernetes.io/component": "kuberay-operator"
    }
    assert len(head["ingress"]) == 2
    # Cilium opens DNS for the workers, by a policy that does not select the head.
    assert head["egress"][0]["ports"][0]["port"] == 53
    assert not any("ports" in each for each in workers["egress"])


GPUS = {"name": "Rank", "ray_actor_options": {"num_gpus": 1}}


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"serve": None}, "Ray Serve has nothing to deploy: neither `serve` nor a `model`"),
        ({"serve": None, "model": MODEL, "command": ["serve"]}, "KubeRay sets the command"),
        (
            {"gpu": {"models": ["Gaudi3"], "count": 8}},
            "Ray does not count habana.ai/gaudi as a GPU",
        ),
        ({"rollout": {"surge": 1}}, "a second cluster has all 2 workers, but `surge` allows 1"),
        ({"rollout": {"deadline": "30m"}}, "KubeRay has no deadline for a change"),
        ({"expose": {"ports": {"more": 9100}}}, "without further `expose.ports`"),
        (
            {"replicas": {"min": 1, "max": 2}, "queue": "research"},
            "Kueue does not admit a RayService with an autoscaled cluster",
        ),
        ({"replicas": {"min": 1, "max": 2, "signal": "cache"}}, "and reads no metric"),
        (
            {"replicas": {"min": 1, "max": 2, "target": 5, "metricFrom": {"query": "sum(asked)"}}},
            "and reads no metric",
        ),
        (
            {"replicas": {"min": 0, "max": 2, "target": 5, "metricFrom": {"query": "sum(asked)"}}},
            "target rayservice does not support 0 replicas",
        ),
    ],
)
def test_what_it_cannot_carry_is_refused(run: Run, spec: Values, said: str) -> None:
    fields = {key: value for key, value in (SERVING | spec).items() if value is not None}
    code, out, err = run("render", "Inference", fields, profile=HERE)
    assert (code, out) == (1, "")
    assert said in " ".join(err.split())


def test_a_server_of_several_nodes_is_no_ray(run: Run) -> None:
    code, out, err = run("render", "Inference", SERVING | {"nodes": 2}, profile=HERE)
    assert (code, out) == (2, "")
    assert "runtime ray does not support several nodes" in " ".join(err.split())


def test_a_name_that_is_too_long_is_refused(run: Run) -> None:
    code, _, err = run("render", "Inference", SERVING, profile=HERE, name="a" * 48)
    assert code == 1
    assert "the name of the RayService has 48 characters, 1 too many" in err


@pytest.mark.parametrize(
    ("runtime", "target", "said", "hint"),
    [
        (
            "ray",
            "deployment",
            "runtime ray needs a Ray cluster, which target deployment does not create",
            "targets that create one: raycluster, rayservice",
        ),
        (
            "vllm",
            "rayservice",
            "target rayservice starts only runtime ray, not vllm",
            "write runtime: ray, or another target",
        ),
    ],
)
def test_a_cluster_is_for_what_runs_in_one(
    run: Run, runtime: str, target: str, said: str, hint: str
) -> None:
    spec = SERVING | {"runtime": runtime, "target": target, "model": MODEL}
    if runtime != "ray":
        del spec["serve"]
    refused = run.refused("Inference", spec, **HERE)
    assert said in refused
    assert hint in refused


@pytest.mark.parametrize(
    ("serve", "said"),
    [
        ({}, "`serve` has no `applications`"),
        ({"applications": [{}]}, "an application has no `import_path`"),
        ({"applications": [APPLICATION, APPLICATION]}, 'two applications have the name "rank"'),
        (
            {"applications": [APPLICATION, {**APPLICATION, "name": "b"}]},
            'two applications have the route_prefix "/"',
        ),
        ({"applications": [APPLICATION | {"import-path": "a:b"}]}, "Serve has no `import-path`"),
        ({"applications": [APPLICATION | {"port": 9000}]}, "Serve rejects `port` of an application"),
        ({"applications": [APPLICATION], "http_options": {"port": 1}}, "`http_options.port`"),
        (
            {"applications": [APPLICATION | {"deployments": [{"num_replicas": 2}]}]},
            "a deployment without a `name`",
        ),
        (
            {"applications": [APPLICATION | {"deployments": [
                GPUS | {"num_replicas": 2, "autoscaling_config": {"max_replicas": 3}}]}]},
            "Serve rejects a number of replicas together with `autoscaling_config`",
        ),
        (
            {"applications": [APPLICATION | {"deployments": [
                {"name": "Rank", "ray_actor_options": {"num_gpus": 4}}]}]},
            "4 GPUs for one worker, but each has 2",
        ),
        (
            {"applications": [APPLICATION | {"deployments": [
                {"name": "Rank", "placement_group_bundles": [{"GPU": 2}, {"GPU": 3, "CPU": 1}]}]}]},
            "3 GPUs for one worker, but each has 2",
        ),
        (
            {"applications": [APPLICATION | {"deployments": [GPUS | {"num_replicas": 5}]}]},
            "the deployments need at least 5 GPUs, but 2 workers have 4",
        ),
        (
            {"applications": [APPLICATION | {"deployments": [
                GPUS | {"autoscaling_config": {"min_replicas": 5, "max_replicas": 9}}]}]},
            "the deployments need at least 5 GPUs, but 2 workers have 4",
        ),
    ],
)  # fmt: skip
def test_what_serve_refuses_or_never_places_is_wrong(run: Run, serve: Values, said: str) -> None:
    code, out, err = run("render", "Inference", SERVING | {"serve": serve}, profile=HERE)
    assert (code, out) == (2, "")
    assert said in " ".join(err.split())


@pytest.mark.parametrize(
    "application",
    [
        # A bundle of its own worker each: four GPUs on two workers of two.
        {"deployments": [{"name": "A", "placement_group_bundles": [{"GPU": 2}, {"GPU": 2}],
                          "num_replicas": 1}]},
        {"deployments": [GPUS | {"num_replicas": "auto", "autoscaling_config": {"max_replicas": 9}}]},
        {"deployments": [{"name": "A", "num_replicas": 8, "ray_actor_options": {"num_gpus": 0.5}}]},
        {"deployments": [{"name": "A", "num_replicas": 30}]},
        {"route_prefix": None, "something_newer": True},
    ],
)  # fmt: skip
def test_what_may_be_placed_is_not_spoken_of(run: Run, application: Values) -> None:
    serve = {"applications": [APPLICATION | application]}
    assert yaml.safe_load(service(run, {"serve": serve})["serveConfigV2"]) == serve


@pytest.mark.parametrize(
    "more",
    [
        {"context": 8192},
        {"parallelism": {"tensor": 2}},
        {"model": MODEL | {"quantization": "fp8"}},
        {"chatTemplate": {"configMap": "chat"}},
        {"args": ["--more"]},
    ],
)
def test_what_an_application_is_not_told_is_wrong_beside_it(run: Run, more: Values) -> None:
    code, out, _ = run("render", "Inference", SERVING | more, profile=HERE)
    assert (code, out) == (2, "")


def test_serve_is_rays_alone(run: Run) -> None:
    spec = SERVING | {"runtime": "vllm", "model": MODEL, "target": "deployment"}
    code, _, err = run("render", "Inference", spec, profile=HERE)
    assert code == 2
    assert "`serve` needs runtime ray, but the runtime is vllm" in err
