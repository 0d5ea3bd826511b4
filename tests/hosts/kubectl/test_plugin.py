"""`kubectl gpuspec` with the real kubectl: its help, its completion, the cluster of its context."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

import gpuspec
from tests.conftest import Tool
from tests.hosts.kubectl.server import serving
from tests.hosts.programs import ROOT

pytestmark = pytest.mark.binaries
NODES = ROOT / "tests/cluster/nodes/bare-metal.json"
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ml}
spec:
  tolerations: [{operator: Exists}]
  containers:
    - name: main
      image: example.com/app:1
      resources: {limits: {nvidia.com/gpu: COUNT}}
"""
Done = subprocess.CompletedProcess[str]
Kubectl = Callable[..., Done]
Cluster = Callable[..., AbstractContextManager[Path]]


@pytest.fixture
def kubectl(tool: Tool, tmp_path: Path) -> Kubectl:
    """Runs the real kubectl in a folder, with what pip installs on the path."""
    program = tool("kubectl")
    path = [str(Path(sys.executable).parent), str(program.parent), os.environ["PATH"]]
    (tmp_path / "pod.yaml").write_text(POD.replace("COUNT", "1"))
    (tmp_path / "huge.yaml").write_text(POD.replace("COUNT", "64"))

    def run(*words: str, stdin: str = "", kubeconfig: Path = tmp_path / "none") -> Done:
        env = {"PATH": os.pathsep.join(path), "HOME": str(tmp_path), "KUBECONFIG": str(kubeconfig)}
        return subprocess.run(
            [program, *words],
            cwd=tmp_path,
            env=env,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    """A cluster of real nodes without pods, to be entered; what is entered is its kubeconfig."""
    nodes = json.loads(NODES.read_text())["items"]
    return lambda **options: serving(nodes, tmp_path, **options)


def test_kubectl_lists_it(kubectl: Kubectl) -> None:
    listed = kubectl("plugin", "list")
    assert str(Path(sys.executable).with_name("kubectl-gpuspec")) in listed.stdout
    assert "kubectl_complete" not in listed.stdout
    assert kubectl("gpuspec", "--version").stdout == f"gpuspec {gpuspec.__version__}\n"


def test_help_and_errors_name_what_people_type(kubectl: Kubectl) -> None:
    whole = kubectl("gpuspec", "--help").stdout
    assert whole.startswith("Usage: kubectl gpuspec COMMAND ...\n")
    assert "  kubectl gpuspec lint .  " in whole
    # Its completion is kubectl's.
    assert "completion" not in whole
    fit = kubectl("gpuspec", "fit", "--help").stdout
    assert fit.startswith("Usage: kubectl gpuspec fit [OPTIONS] PATH...\n")
    assert "-o json | kubectl gpuspec fit chat.yaml --live -\n" in fit
    wrong = kubectl("gpuspec", "lnt")
    assert wrong.returncode == 2
    assert "did you mean `kubectl gpuspec lint`?" in wrong.stderr
    alone = subprocess.run(
        [Path(sys.executable).with_name("gpuspec"), "fit", "--help"],
        capture_output=True,
        check=True,
    )
    assert b"kubectl gpuspec fit" not in alone.stdout


def test_it_lints_with_our_exit_codes(kubectl: Kubectl) -> None:
    words = ("gpuspec", "lint", "--format", "concise", "--select", "GPU102")
    assert kubectl(*words, "pod.yaml").returncode == 0
    wrong = POD.replace("limits: ", "requests: ").replace("COUNT", "1")
    done = kubectl(*words, "-", stdin=wrong)
    assert (done.returncode, done.stdout.split()[:2]) == (1, ["<stdin>:9:30:", "GPU102"])
    assert kubectl(*words, "nothing.yaml").returncode == 2


@pytest.mark.parametrize(
    ("words", "first", "directive"),
    [
        (["lin"], "lint\t", 4),
        (["lint", "--sev"], "--severity\t", 4),
        (["rule", "request-d"], "request-differs-from-limit", 4),
        (["fleet", ""], "report\t", 4),
        (["lint", ""], ":0", 0),
        (["lint", "a folder/"], ":0", 0),
    ],
)
def test_its_words_are_completed(
    kubectl: Kubectl, words: list[str], first: str, directive: int
) -> None:
    """As kubectl asks; `kubectl __complete` is what a shell's script asks kubectl."""
    program = Path(sys.executable).with_name("kubectl_complete-gpuspec")
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(first)
    assert done.stdout.endswith(f":{directive}\n")
    asked = kubectl("__complete", "gpuspec", *words)
    assert asked.stdout.splitlines() == done.stdout.splitlines()


def test_workloads_are_placed_on_the_cluster_of_the_current_context(
    kubectl: Kubectl, cluster: Cluster
) -> None:
    with cluster() as config:
        done = kubectl("gpuspec", "fit", "pod.yaml", kubeconfig=config)
        assert done.returncode == 0, done.stderr
        assert "Fleet eu-prod, before → after" in done.stdout
        assert "asking eu-prod: kubectl get nodes,pods," in done.stderr
        piped = kubectl("gpuspec", "fit", "-", kubeconfig=config, stdin=POD.replace("COUNT", "1"))
        assert (piped.returncode, piped.stdout) == (0, done.stdout)
        huge = kubectl("gpuspec", "fit", "huge.yaml", kubeconfig=config)
        assert huge.returncode == 1
        assert "Insufficient nvidia.com/gpu" in huge.stdout
        report = kubectl("gpuspec", "fleet", "report", kubeconfig=config)
        assert "eu-prod" in report.stdout
        found = kubectl("gpuspec", "cluster", "discover", "--name", "eu", kubeconfig=config)
        assert "kind: ClusterProfile" in found.stdout
        (config.parent / "eu.yaml").write_text(found.stdout)
        words = ("fleet", "drift", "-c", "eu.yaml", "--format", "json")
        assert json.loads(kubectl("gpuspec", *words, kubeconfig=config).stdout)


def test_a_profile_or_a_file_takes_the_place_of_the_context(kubectl: Kubectl) -> None:
    """No cluster is asked: there is none."""
    profile = str(ROOT / "examples/clusters/bare-metal.yaml")
    for words in (("-c", profile), ("--live", str(NODES))):
        done = kubectl("gpuspec", "fit", "pod.yaml", *words)
        assert done.returncode == 0, done.stderr
        assert "asking" not in done.stderr


def test_a_cluster_without_claims_is_asked_for_the_rest(kubectl: Kubectl, cluster: Cluster) -> None:
    with cluster(claims=False) as config:
        done = kubectl("gpuspec", "fit", "pod.yaml", kubeconfig=config)
    assert done.returncode == 0, done.stderr
    assert len([line for line in done.stderr.splitlines() if line.startswith("asking")]) == 2


def test_what_may_not_be_read_is_told_and_the_rest_counts(
    kubectl: Kubectl, cluster: Cluster
) -> None:
    with cluster(forbidden="persistentvolumes") as config:
        done = kubectl("gpuspec", "fit", "pod.yaml", kubeconfig=config)
    assert done.returncode == 0, done.stderr
    assert "persistentvolumes is forbidden" in done.stderr
    assert "Fleet eu-prod" in done.stdout


def test_a_cluster_that_does_not_answer_is_an_error_with_what_kubectl_says(
    kubectl: Kubectl, cluster: Cluster
) -> None:
    with cluster() as config:
        pass
    done = kubectl("gpuspec", "fit", "pod.yaml", kubeconfig=config)
    assert (done.returncode, done.stdout) == (2, "")
    assert "error: context eu-prod: kubectl: The connection to the server 127.0.0.1:" in done.stderr
    assert "--live FILE" in done.stderr
    assert "Traceback" not in done.stderr
    done = kubectl("gpuspec", "cluster", "discover", kubeconfig=config)
    assert done.returncode == 2
    assert "cluster discover FILE" in done.stderr
    assert "--live" not in done.stderr
