"""What `deploy/` ships fits together, fits the chart, and passes our own checks."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

import gpuspec
from gpuspec import __version__
from gpuspec.validation import newest, validate
from tests.hosts.argocd.conftest import Argocd
from tests.hosts.containers import instructions
from tests.pod_security import restricted

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"
FILES = ["image/Containerfile", "argocd/Containerfile"]
# Volumes that the chart's repo server has without us.
CHART = {"var-files", "plugins"}


def read(name: str) -> Any:
    return yaml.safe_load((DEPLOY / "argocd" / name).read_text())


def test_plugin_is_as_argo_cd_reads_it() -> None:
    """One way to discover, no version (Applications would have to name it), commands of ours."""
    plugin = read("plugin.yaml")
    assert (plugin["apiVersion"], plugin["kind"]) == (
        "argoproj.io/v1alpha1",
        "ConfigManagementPlugin",
    )
    assert plugin["metadata"] == {"name": "gpuspec"}
    assert plugin["spec"] == {
        "discover": {"find": {"command": ["gpuspec", "argocd", "discover"]}},
        "generate": {"command": ["gpuspec", "argocd", "generate"]},
        "parameters": {"dynamic": {"command": ["gpuspec", "argocd", "parameters"]}},
    }


def test_sidecar_is_valid_restricted_and_mounts_what_there_is() -> None:
    server = read("values.yaml")["repoServer"]
    (sidecar,) = server["extraContainers"]
    volumes = [*server["volumes"], *({"name": name, "emptyDir": {}} for name in sorted(CHART))]
    mounts = {each["mountPath"]: each["name"] for each in sidecar["volumeMounts"]}
    assert set(mounts.values()) == {each["name"] for each in volumes}
    # Its own: another plugin's would show it what that unpacks.
    assert mounts["/tmp"] not in CHART
    pod = {"containers": [sidecar], "volumes": volumes}
    assert restricted({"spec": pod}) == []
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "repo-server"},
        "spec": {
            "selector": {"matchLabels": {"a": "b"}},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": pod},
        },
    }
    assert validate(deployment, newest()) == ()
    context = sidecar["securityContext"]
    assert (context["runAsUser"], context["readOnlyRootFilesystem"]) == (999, True)


def test_all_files_name_this_version() -> None:
    texts = "".join(path.read_text() for path in sorted(DEPLOY.rglob("*")) if path.is_file())
    assert set(re.findall(r"gpuspec(?:-argocd)?:(\d[\w.]*)", texts)) == {__version__}


@pytest.mark.parametrize("name", FILES)
def test_image_is_nobodys_and_is_built_from_what_the_checkout_has(name: str) -> None:
    steps = instructions(DEPLOY / name)
    copied = [rest.split()[:-1] for word, rest in steps if word == "COPY" and "--from" not in rest]
    assert all((ROOT / source).exists() for sources in copied for source in sources)
    users = [rest for word, rest in steps if word == "USER"]
    assert users == (["999:999"] if name.startswith("image") else [])


def test_linter_finds_nothing_in_them() -> None:
    assert gpuspec.lint(str(DEPLOY)).findings == ()


def test_worked_application_renders_in_the_repository_that_it_describes(
    argocd: Argocd, repo: Path
) -> None:
    source = read("application.yaml")["spec"]["source"]
    assert (source["path"], source["plugin"]["name"]) == ("apps/chat", "gpuspec")
    done = argocd(
        "generate", ARGOCD_APP_PARAMETERS=json.dumps(source["plugin"]["parameters"]), folder="."
    )
    assert (done.code, done.err) == (0, "")
    (scaler,) = (x for x in yaml.safe_load_all(done.out) if x["kind"] == "HorizontalPodAutoscaler")
    assert scaler["spec"]["maxReplicas"] == 4


def test_worked_application_ignores_what_a_queue_changes_and_nothing_else() -> None:
    """C-60: of a Job that may start smaller, `parallelism`; of any other object, nothing.

    That this is all that a queue changes of what we write, and that a sync without it is harmless, is
    shown against the real Kueue in `tests/control_plane/test_queue_reapply.py`.
    """
    if shutil.which("jq") is None:
        pytest.skip("jq is not installed: Argo CD's expressions are jq's")
    spec = read("application.yaml")["spec"]
    assert "RespectIgnoreDifferences=true" in spec["syncPolicy"]["syncOptions"]
    (rule,) = spec["ignoreDifferences"]
    (expression,) = rule["jqPathExpressions"]
    assert f"      - {expression}\n" in (ROOT / "docs" / "controllers.md").read_text()
    texts = [path.read_text() for path in sorted((ROOT / "examples/rendered").rglob("*.yaml"))]
    made = [each for text in texts for each in yaml.safe_load_all(text)]
    jobs = [x for x in made if (x["apiVersion"].split("/")[0], x["kind"]) == ("batch", "Job")]
    assert (rule["group"], rule["kind"]) == ("batch", "Job")
    assert without(jobs, expression) == jobs != []
    job = jobs[0]
    job["metadata"]["annotations"]["kueue.x-k8s.io/job-min-parallelism"] = "1"
    job["spec"]["parallelism"] = 4
    (ignored,) = without([job], expression)
    assert "parallelism" not in ignored["spec"]
    assert ignored["spec"] | {"parallelism": 4} == job["spec"]


def without(values: list[Any], expression: str) -> list[Any]:
    """What is left of objects when Argo CD has taken away what an expression names."""
    done = subprocess.run(
        ["jq", f"map(del({expression}))"],
        input=json.dumps(values),
        capture_output=True,
        text=True,
        check=True,
    )
    left: list[Any] = json.loads(done.stdout)
    return left
