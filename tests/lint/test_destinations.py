"""Where Argo CD and Flux send paths to clusters, what goes to one is apart from what goes to another."""

from pathlib import Path

import pytest

import gpuspec
from gpuspec.report.table import table_text
from tests.lint.test_alternatives import AUTOSCALER, FIXED, SERVICE
from tests.lint.test_apart import Files, lay, other, pods

# A server here, its autoscaler there: no object in common, so that only the destinations tell.
WORKLOADS = {
    "workloads/eu/chat.yaml": f"{FIXED}---\n{SERVICE}",
    "workloads/us/scale.yaml": AUTOSCALER,
    "workloads/us/chat.yaml": other(FIXED),
}
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}, namespace: argocd}}
spec:
  project: default
  source: {{repoURL: https://git.example.com/platform.git, path: {path}, targetRevision: main}}
  destination: {{{destination}, namespace: serving}}
"""
SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: workloads, namespace: argocd}}
spec:
  generators:
{generators}
  template:
    metadata: {{name: 'workloads-{name}'}}
    spec:
      project: default
      source: {{repoURL: https://git.example.com/platform.git, path: '{path}', targetRevision: main}}
      destination: {{{destination}, namespace: serving}}
"""
KUSTOMIZATION = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {{name: {name}, namespace: flux-system}}
spec:
  interval: 10m
  path: ./{path}
  prune: true
  sourceRef: {{kind: GitRepository, name: flux-system}}
{more}"""
REMOTE = "  kubeConfig: {{secretRef: {{name: {name}-kubeconfig}}}}\n"


PATCHED = """\
{kustomization}  patches:
    - target: {{kind: HelmRelease}}
      patch: |
        - op: add
          path: /spec/kubeConfig
          value: {{secretRef: {{name: {name}-kubeconfig}}}}
"""


def application(name: str, path: str, destination: str) -> str:
    return APPLICATION.format(name=name, path=path, destination=destination)


def kustomization(name: str, path: str, remote: str = "") -> str:
    more = REMOTE.format(name=remote) if remote else ""
    return KUSTOMIZATION.format(name=name, path=path, more=more)


def both(file: str, eu: str, us: str) -> Files:
    return {f"{file}-eu.yaml": eu, f"{file}-us.yaml": us}


LIST = """\
    - list:
        elements:
          - {cluster: eu, url: 'https://10.0.0.1'}
          - {cluster: us, url: 'https://10.0.0.2'}"""
DIRECTORIES = "    - git: {repoURL: x, directories: [{path: 'workloads/*'}, {path: workloads/old, exclude: true}]}"
PER_FILE = "    - git: {repoURL: x, files: [{path: 'clusters/*/config.json'}]}"
MATRIX = f"""\
    - matrix:
        generators:
          - git: {{repoURL: x, directories: [{{path: 'work*'}}]}}
      {LIST.strip().replace(chr(10), chr(10) + "      ").replace("- list", "    - list")}"""
CONFIG = '{{"cluster": {{"name": "{name}", "address": "https://{name}.example.com"}}}}'

HOSTS: dict[str, Files] = {
    "applications by name": both(
        "apps/workloads",
        application("eu", "workloads/eu", "name: eu"),
        application("us", "workloads/us", "name: us"),
    ),
    "applications by server": both(
        "apps/workloads",
        application("eu", "./workloads/eu/", "server: 'https://10.0.0.1:6443'"),
        application("us", "workloads/us", "server: 'https://kubernetes.default.svc'"),
    ),
    "an app of apps": {
        "root.yaml": application("root", "apps", "name: in-cluster"),
        **both(
            "apps/workloads",
            application("eu", "workloads/eu", "name: eu"),
            application("us", "workloads/us", "name: us"),
        ),
    },
    "a list": {
        "set.yaml": SET.format(
            generators=LIST,
            name="{{cluster}}",
            path="workloads/{{cluster}}",
            destination="server: '{{url}}'",
        )
    },
    "folders of Git": {
        "set.yaml": SET.format(
            generators=DIRECTORIES,
            name="{{.path.basename}}",
            path="{{.path.path}}",
            destination="name: '{{.path.basename}}'",
        )
    },
    "segments of a folder's path": {
        "set.yaml": SET.format(
            generators=DIRECTORIES,
            name="x",
            path="{{ .path.path }}",
            destination="name: '{{ index .path.segments 1 }}'",
        )
    },
    "files of Git": {
        "set.yaml": SET.format(
            generators=PER_FILE,
            name="{{cluster.name}}",
            path="workloads/{{cluster.name}}",
            destination="server: '{{cluster.address}}'",
        ),
        "clusters/eu/config.json": CONFIG.format(name="eu"),
        "clusters/us/config.json": CONFIG.format(name="us"),
    },
    "the clusters of Argo CD": {
        "set.yaml": SET.format(
            generators="    - clusters: {selector: {matchLabels: {gpu: 'true'}}}",
            name="{{.name}}",
            path="workloads/{{.name}}",
            destination="server: '{{.server}}'",
        )
    },
    "a matrix": {
        "set.yaml": SET.format(
            generators=MATRIX,
            name="{{cluster}}",
            path="{{path}}/{{cluster}}",
            destination="name: '{{cluster}}'",
        )
    },
    "Flux with a kubeConfig each": both(
        "hub/workloads",
        kustomization("eu", "workloads/eu", "eu"),
        kustomization("us", "workloads/us", "us"),
    ),
    "Flux with one of them its own": both(
        "hub/workloads",
        kustomization("eu", "workloads/eu", "eu"),
        kustomization("us", "workloads/us"),
    ),
    "Flux with Secrets of one name": both(
        "hub/workloads",
        kustomization("a", "workloads/eu", "cluster").replace("flux-system}", "eu}", 1),
        kustomization("a", "workloads/us", "cluster").replace("flux-system}", "us}", 1),
    ),
    "Flux with patches of releases": both(
        "hub/workloads",
        PATCHED.format(kustomization=kustomization("eu", "workloads/eu"), name="eu"),
        PATCHED.format(kustomization=kustomization("us", "workloads/us"), name="us"),
    ),
    "Flux in two clusters": {
        "clusters/eu/flux-system/gotk-sync.yaml": kustomization("flux-system", "clusters/eu"),
        "clusters/eu/workloads.yaml": kustomization("workloads", "workloads/eu"),
        "clusters/us/flux-system/gotk-sync.yaml": kustomization("flux-system", "clusters/us"),
        "clusters/us/more.yaml": kustomization("more", "workloads/us"),
    },
}


@pytest.mark.parametrize("host", HOSTS.values(), ids=HOSTS)
def test_what_goes_to_two_clusters_is_apart(tmp_path: Path, host: Files) -> None:
    path = lay(tmp_path, {**WORKLOADS, **host})
    assert pods(path)["workloads/eu"] == (2, 2)
    assert gpuspec.lint(path, select=["GPU804"]).findings == ()
    assert len(gpuspec.table(path).clusters) == 2


SAME: dict[str, Files] = {
    name: {
        file: text.replace("name: us", "name: eu")
        .replace("us-kubeconfig", "eu-kubeconfig")
        .replace("https://10.0.0.2", "https://10.0.0.1")
        for file, text in HOSTS[name].items()
    }
    for name in ("applications by name", "a list", "Flux with a kubeConfig each")
}


@pytest.mark.parametrize("host", SAME.values(), ids=SAME)
def test_what_goes_to_one_cluster_is_together(tmp_path: Path, host: Files) -> None:
    path = lay(tmp_path, {**WORKLOADS, **host})
    assert pods(path)["workloads/eu"] == (1, 4)
    (found,) = gpuspec.lint(path, select=["GPU804"]).findings
    assert found.object is not None and found.object.name == "chat"
    assert gpuspec.table(path).clusters == ()


def test_a_base_that_both_build_on_is_for_both(tmp_path: Path) -> None:
    """The autoscaler in the base scales the server of each overlay; those of overlays only their own."""
    overlay = "resources: [../../base, chat.yaml]\ncomponents: [../../parts/%s]\n"
    files = {
        "base/kustomization.yaml": "resources: [scale.yaml]\n",
        "base/scale.yaml": AUTOSCALER,
        "workloads/eu/kustomization.yaml": overlay % "eu",
        "workloads/eu/chat.yaml": FIXED,
        "parts/eu/kustomization.yaml": "kind: Component\nresources: [more.yaml]\n",
        "parts/eu/more.yaml": FIXED.replace("name: chat", "name: more"),
        "workloads/us/kustomization.yaml": overlay % "us",
        "workloads/us/chat.yaml": FIXED,
        "parts/us/kustomization.yaml": "kind: Component\nresources: [more.yaml]\n",
        "parts/us/more.yaml": AUTOSCALER.replace("name: chat", "name: more"),
    }
    path = lay(tmp_path, {**files, **HOSTS["applications by name"]})
    assert pods(path) == {"workloads/eu": (1, 4), "workloads/us": (1, 4), "parts/eu": (2, 2)}
    assert {ask.file: ask.cluster for ask in gpuspec.table(path).asks} == {
        f"{path}/workloads/eu/chat.yaml": "eu",
        f"{path}/workloads/us/chat.yaml": "us",
        f"{path}/parts/eu/more.yaml": "eu",
    }


def test_what_nobody_sends_is_for_all(tmp_path: Path) -> None:
    files = {**WORKLOADS, **HOSTS["applications by name"], "shared/scale.yaml": AUTOSCALER}
    del files["workloads/us/scale.yaml"]
    assert pods(lay(tmp_path, files)) == {"workloads/eu": (1, 4), "workloads/us": (2, 2)}


def test_paths_that_are_not_here_and_the_root_say_nothing(tmp_path: Path) -> None:
    """An Application of another repository names whatever it likes."""
    others = both(
        "apps/others",
        application("a", "charts/other", "name: eu"),
        application("b", ".", "name: us"),
    )
    assert pods(lay(tmp_path, {**WORKLOADS, **others}))["workloads/eu"] == (1, 4)


def test_the_table_has_a_sum_for_each_destination(tmp_path: Path) -> None:
    path = lay(tmp_path, {**WORKLOADS, **HOSTS["applications by server"]})
    text = table_text(gpuspec.table(path))
    assert "(https://10.0.0.1:6443)" in text
    assert "Total of https://10.0.0.1:6443" in text
    assert "Total of in-cluster" in text


def test_a_release_that_goes_to_another_cluster_counts_there(tmp_path: Path) -> None:
    """The chart's pods do, whose values stand in the release."""
    release = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: {name}, namespace: serving}}
spec:
  interval: 10m
  chart: {{spec: {{chart: app-template, version: 3.7.3, sourceRef: {{kind: HelmRepository, name: bjw-s}}}}}}
  kubeConfig: {{secretRef: {{name: {cluster}-kubeconfig}}}}
  values:
    controllers:
      main:
        containers:
          main:
            image: {{repository: ghcr.io/example/server, tag: "1.4"}}
            resources: {{limits: {{nvidia.com/gpu: 1}}}}
"""
    files = {f"{one}.yaml": release.format(name=f"a-{one}", cluster=one) for one in ("eu", "us")}
    table = gpuspec.table(lay(tmp_path, files))
    assert {ask.object.name: ask.cluster for ask in table.asks} == {"a-eu": "eu", "a-us": "us"}


CHART = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}, namespace: argocd}}
spec:
  project: default
  sources:
    - chart: app-template
      repoURL: https://bjw-s-labs.github.io/helm-charts
      targetRevision: 3.7.3
      helm: {{valueFiles: [$values/values/{name}.yaml]}}
    - {{repoURL: https://git.example.com/platform.git, ref: values}}
  destination: {{name: {name}, namespace: serving}}
"""
VALUES = """\
controllers:
  main:
    containers:
      main:
        image: {repository: ghcr.io/example/server, tag: "1.4"}
        resources: {limits: {nvidia.com/gpu: 1}}
"""


def test_values_of_one_chart_go_where_the_application_goes_that_names_them(tmp_path: Path) -> None:
    files = {f"apps/{one}.yaml": CHART.format(name=one) for one in ("eu", "us")}
    files |= {f"values/{one}.yaml": VALUES for one in ("eu", "us")}
    table = gpuspec.table(lay(tmp_path, files))
    assert {ask.object.name: ask.cluster for ask in table.asks} == {"eu": "eu", "us": "us"}


def test_a_profile_of_the_destinations_name_is_asked_about_that_cluster(tmp_path: Path) -> None:
    profile = tmp_path / "eu.profile"
    profile.write_text(
        'apiVersion: gpuspec.dev/v1alpha1\nkind: ClusterProfile\nmetadata: {name: eu}\nspec:\n  kubernetes: "1.36"\n  extends: gke\n'
        "  pools: [{name: l4, gpu: {model: L4, count: 8}}]\n"
    )
    (eu,) = gpuspec.load_profiles(str(profile))
    path = lay(tmp_path / "tree", {**WORKLOADS, **HOSTS["applications by name"]})
    table = gpuspec.table(path, profile=eu)
    assert {ask.cluster for ask in table.asks} == {"eu"}
    assert "left out: 2 files that are for us" in table.notes


def test_what_was_rendered_for_a_profile_tells_the_name_of_its_destination(tmp_path: Path) -> None:
    """Beside the folder of the record, another folder goes to the same server."""
    from tests.lint.test_apart import rendered

    rendered(tmp_path / "out", eu=FIXED, us=other(FIXED))
    apps = {
        "apps/eu.yaml": application("eu", "out/eu", "server: 'https://10.0.0.1'"),
        "apps/more.yaml": application("more", "by-hand", "server: 'https://10.0.0.1'"),
        "apps/us.yaml": application("us", "out/us", "server: 'https://10.0.0.2'"),
        "by-hand/scale.yaml": AUTOSCALER,
    }
    path = lay(tmp_path, apps)
    assert pods(path) == {"out/eu": (1, 4), "out/us": (2, 2)}
    assert gpuspec.table(path).clusters == ("eu", "us")
