"""GPU764: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

POD = """
          containers:
            - name: pytorch
              image: a/b:1
              command: [python, train.py]
              env: [{name: MASTER_ADDR, value: HOST}]
              resources: {limits: {nvidia.com/gpu: 1, memory: 64Gi}}
"""
HEAD = "metadata: {name: run, namespace: ml}\nspec:\n"
JOBSET = f"""apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
{HEAD}  network: {{NETWORK}}
  replicatedJobs:
    - name: workers
      template:
        spec:
          template:
            spec:{POD.replace(chr(10), chr(10) + " " * 4)}
"""
VOLCANO = f"""apiVersion: batch.volcano.sh/v1alpha1
kind: Job
{HEAD}  plugins: {{NETWORK}}
  tasks:
    - name: worker
      replicas: 2
      template:
        spec:{POD}
"""
PYTORCH = f"""apiVersion: kubeflow.org/v1
kind: PyTorchJob
{HEAD}  pytorchReplicaSpecs:
    Worker:
      template:
        spec:{POD}
"""
GROUP = f"""apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
{HEAD}  leaderWorkerTemplate:
    size: 2
    workerTemplate:
        spec:{POD}
"""
DEPLOYMENT = f"""apiVersion: apps/v1
kind: Deployment
{HEAD}  template:
        metadata: {{labels: {{app: run}}}}
        spec:{POD}
"""
SERVICE = "---\napiVersion: v1\nkind: Service\nmetadata: {name: run-0, namespace: ml}\n"


def said(text: str, host: str, network: str = "") -> list[str]:
    text = text.replace("HOST", host).replace("NETWORK", network)
    return [one.found.message for one in raised(text) if one.rule.code == "GPU764"]


@pytest.mark.parametrize(
    ("text", "host", "network", "words"),
    [
        (JOBSET, "run-workers-0-0", "", "without a domain"),
        (JOBSET, "run-workers-0-0.ranks", "", "below `run`"),
        (JOBSET, "run-workers-0-0.run", "subdomain: ranks", "below `ranks`"),
        (JOBSET, "run-workers-0-0.run", "enableDNSHostnames: false", "enableDNSHostnames"),
        (JOBSET, "run-0.run", "", "no pod"),
        (VOLCANO, "run-worker-0.run", "env: []", "`svc`"),
        (VOLCANO, "run-master-0.run", "svc: []", "no pod"),
        (PYTORCH, "run-master-0", "", "no pod"),
        (GROUP, "run-leader-0.run", "", "no pod"),
        (DEPLOYMENT, "run-0.run", "", "a Deployment's pods have changing names"),
    ],
)
def test_names_that_no_pod_has(text: str, host: str, network: str, words: str) -> None:
    (message,) = said(text, host, network)
    assert words in message


@pytest.mark.parametrize(
    ("text", "host", "network"),
    [
        (JOBSET, "run-workers-0-0.run", ""),
        (JOBSET, "run-workers-0-0.run.ml.svc.cluster.local", ""),
        (JOBSET, "run-workers-0-0.ranks", "subdomain: ranks"),
        (JOBSET, "rendezvous", ""),
        (JOBSET, "run-rendezvous", ""),
        (JOBSET, "$(FIRST)", ""),
        (VOLCANO, "run-worker-0.run", "pytorch: [--master=worker]"),
        (PYTORCH, "run-worker-0", ""),
        (GROUP, "run-0.run.ml", ""),
        (GROUP, "run-0-1.run", ""),
        (DEPLOYMENT + SERVICE, "run-0", ""),
    ],
)
def test_names_that_pods_have_or_others_may(text: str, host: str, network: str) -> None:
    assert not said(text, host, network)


def test_a_pod_that_is_called_so_and_has_no_name_in_dns() -> None:
    (message,) = said(VOLCANO, "run-worker-0.run")
    assert message.startswith("`run-worker-0` resolves to no pod of this Job (no `svc` plugin")


def test_a_name_in_a_variable_is_spoken_of_where_it_stands() -> None:
    text = JOBSET.replace("train.py]", "--master_addr=$(MASTER_ADDR), train.py]")
    text = text.replace("command: [python,", "command: [torchrun,")
    text = text.replace("HOST", "run-workers-0-0.ranks").replace("NETWORK", "")
    (path,) = (one.found.path for one in raised(text) if one.rule.code == "GPU764")
    assert path[-3:] == ("env", 0, "value")
