"""GPU890 to GPU892: beyond what their pages show."""

import pytest

from tests.lint.pages import raised

DEMAND = """apiVersion: ray.io/v1
kind: RayService
metadata: {name: llm, namespace: ml}
spec:
  serveConfigV2: |
    applications:
      - name: llm
        import_path: app:deployment
        route_prefix: /
        deployments:
          - name: LLM
            num_replicas: 1
            ray_actor_options: {num_gpus: 1}
  rayClusterConfig:
    rayVersion: "2.46.0"
    headGroupSpec:
      rayStartParams: {num-gpus: "0"}
      template:
        spec:
          containers:
            - name: ray-head
              image: rayproject/ray:2.46.0-py311-gpu
              resources:
                limits: {cpu: "4", memory: 16Gi}
                requests: {cpu: "4", memory: 16Gi}
    workerGroupSpecs:
      - groupName: gpu
        replicas: 2
        minReplicas: 2
        maxReplicas: 2
        rayStartParams: {}
        template:
          spec:
            tolerations:
              - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
            containers:
              - name: ray-worker
                image: rayproject/ray:2.46.0-py311-gpu
                resources:
                  limits: {cpu: "8", memory: 64Gi, nvidia.com/gpu: 1}
                  requests: {cpu: "8", memory: 64Gi}
"""
REFUSED = DEMAND.replace(
    "num_replicas: 1",
    "num_replicas: auto\n            autoscaling_config: {min_replicas: 1, max_replicas: 2}",
)
RELEASES = """apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: shared, namespace: ml}
spec:
  rayVersion: "2.46.0"
  headGroupSpec:
    rayStartParams: {num-gpus: "0"}
    template:
      spec:
        containers:
          - name: ray-head
            image: rayproject/ray:2.46.0-py311-gpu
            resources:
              limits: {cpu: "4", memory: 16Gi}
              requests: {cpu: "4", memory: 16Gi}
  workerGroupSpecs:
    - groupName: gpu
      replicas: 2
      minReplicas: 2
      maxReplicas: 2
      rayStartParams: {}
      template:
        spec:
          tolerations:
            - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
          containers:
            - name: ray-worker
              image: rayproject/ray:2.46.0-py311-gpu
              resources:
                limits: {cpu: "8", memory: 64Gi, nvidia.com/gpu: 1}
                requests: {cpu: "8", memory: 64Gi}
"""
ACTOR = "ray_actor_options: {num_gpus: 1}"
JOB = DEMAND.replace("kind: RayService", "kind: RayJob").replace(
    "rayClusterConfig", "rayClusterSpec"
)


def said(code: str, text: str) -> list[str]:
    """Return what a rule says of a manifest."""
    return [one.finding().message for one in raised(text) if one.rule.code == code]


def job(field: str) -> str:
    """Return a RayJob with a field in place of the configuration of Ray Serve."""
    before, after = JOB.split("  serveConfigV2: |\n")
    return f"{before}  {field}\n  rayClusterSpec:" + after.split("  rayClusterSpec:")[1]


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ("ray_actor_options: {num_gpus: 2}", "no pod has more than 1"),
        ("placement_group_bundles: [{GPU: 1}, {GPU: 1}, {GPU: 1}]", "has at most 2"),
        ("placement_group_bundles: [{GPU: 1}, {GPU: 1}]\n            placement_group_strategy: STRICT_PACK", "with 2 GPUs"),
        ("num_replicas: 3\n            ray_actor_options: {num_gpus: 1}", "of all applications"),
    ],
)  # fmt: skip
def test_a_deployment_that_no_cluster_can_place(options: str, word: str) -> None:
    text = DEMAND.replace(ACTOR, options)
    if "num_replicas: 3" in options:
        text = text.replace("num_replicas: 1\n", "max_ongoing_requests: 5\n")
    (message,) = said("GPU890", text)
    assert word in message


def test_what_the_autoscaler_adds_counts() -> None:
    text = DEMAND.replace(ACTOR, "placement_group_bundles: [{GPU: 1}, {GPU: 1}, {GPU: 1}]")
    grown = text.replace("maxReplicas: 2", "maxReplicas: 8").replace(
        'rayVersion: "2.46.0"', 'rayVersion: "2.46.0"\n    enableInTreeAutoscaling: true'
    )
    assert said("GPU890", text)
    assert not said("GPU890", grown)
    assert not said("GPU890", DEMAND.replace("replicas: 1", "replicas: 2"))


def test_a_model_of_the_llm_application() -> None:
    models = "args: {llm_configs: [{engine_kwargs: {tensor_parallel_size: %s}}]}"
    deployments = DEMAND[DEMAND.index("deployments:") : DEMAND.index("  rayClusterConfig")]
    wrong = DEMAND.replace(deployments, models % 4 + "\n")
    assert "requests 4 GPUs" in said("GPU890", wrong)[0]
    assert not said("GPU890", DEMAND.replace(deployments, models % 2 + "\n"))


@pytest.mark.parametrize(
    ("entrypoint", "word"),
    [
        ("python3 -m verl.trainer.main_ppo trainer.nnodes=2 trainer.n_gpus_per_node=8", "no pod has more than 1"),
        ("python3 -m verl.trainer.main_ppo trainer.nnodes=4 trainer.n_gpus_per_node=1", "at most 2"),
        ("python3 -m verl.trainer.main_ppo trainer.nnodes=2 trainer.n_gpus_per_node=1", ""),
        ("python3 -m verl.trainer.main_ppo trainer.nnodes=$N trainer.n_gpus_per_node=8", ""),
        ("python -m openrlhf.cli.train_ppo_ray --actor_num_nodes 1 --actor_num_gpus_per_node 2 --vllm_num_engines 1 --vllm_tensor_parallel_size 2", "at most 2"),
        ("python -m openrlhf.cli.train_ppo_ray --colocate_all_models --actor_num_nodes 1 --actor_num_gpus_per_node 2 --vllm_num_engines 1 --vllm_tensor_parallel_size 2", ""),
    ],
)  # fmt: skip
def test_a_program_that_asks_ray_for_its_gpus(entrypoint: str, word: str) -> None:
    messages = said("GPU890", job(f"entrypoint: {entrypoint}"))
    assert [message for message in messages if word in message] if word else not messages


@pytest.mark.parametrize(
    ("right", "wrong", "word"),
    [
        ("ray_actor_options: {num_gpus: 1}", "ray_actor_options: {num_gpu: 1}", "`num_gpu`"),
        ("route_prefix: /", "route_prefix: llm", "begin with"),
        ("route_prefix: /", "route_prefix: /llm/", "ends with"),
        ("import_path: app:deployment", "import_path: app", "without an application"),
        ("import_path: app:deployment", "import_path: 'app:'", "module:application"),
        ("import_path: app:deployment", "import_path: a:b\n        runtime_env: {working_dir: /src}", "local folder"),
        ("max_replicas: 2", "max_replicas: 0", "is more than"),
    ],
)  # fmt: skip
def test_a_configuration_that_ray_serve_rejects(right: str, wrong: str, word: str) -> None:
    text = REFUSED.replace(right, wrong)
    messages = said("GPU891", text)
    assert text != REFUSED
    assert [message for message in messages if word in message], messages


def test_a_key_of_another_release_is_no_finding() -> None:
    assert not said("GPU891", REFUSED.replace("name: LLM", "name: LLM\n            shiny_new: 1"))
    assert not said(
        "GPU891", REFUSED.replace("name: LLM", "name: LLM\n            max_concurrent_queries: 1")
    )


def test_a_runtime_environment() -> None:
    assert said("GPU891", job("runtimeEnvYAML: 'env_var: {A: b}'"))
    assert said("GPU891", job("runtimeEnvYAML: '{pip: [torch], conda: env}'"))
    assert said("GPU891", job("runtimeEnvYAML: 'pip: [torch'"))
    assert not said("GPU891", job("runtimeEnvYAML: '{pip: [torch], env_vars: {A: b}}'"))


def test_releases_of_ray_and_python() -> None:
    head = "image: rayproject/ray:2.46.0-py311-gpu"
    first, second, third = RELEASES.split(head)
    assert (
        "Python 3.12"
        in said("GPU892", f"{first}{head}{second}{head.replace('311', '312')}{third}")[0]
    )
    assert not said("GPU892", f"{first}{head}{second}{head.replace('-py311', '')}{third}")
    assert not said("GPU892", f"{first}{head}{second}image: example.com/ours:1{third}")
    assert "prepares" in said("GPU892", RELEASES.replace('"2.46.0"', '"2.9.0"'))[0]
    assert not said("GPU892", RELEASES.replace('"2.46.0"', '"2.46.1"'))
