"""A target is two files: the page shows them whole, and all that is chosen follows from there."""

import re

import pytest
import yaml
from msgspec.structs import fields

import gpuspec
from gpuspec.plan.target import Target
from gpuspec.targets import names, target_of
from tests.growing.conftest import ROOT, Checkout

PAGE = (ROOT / "docs/targets.md").read_text(encoding="utf-8")
SHOWN = re.compile(r"^<!-- file: (\S+/\S+) -->\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ON = ("-c", "examples/clusters/bare-metal.yaml")
SERVED = ("examples/chat-70b.yaml", *ON, "--target", "statefulset")
# Records that say less than what they carry needs: pods that meet, and one of them that leads.
LESS = {
    "unranked": ('intents=("service",)', 'intents=("service", "gang")'),
    "leaderless": (
        "    fields=_fields,\n",
        '    fields=_fields,\n    ranks=Ranks("RANK", "", "", lambda name: name, ""),\n',
    ),
}


@pytest.fixture(scope="module")
def grown(checkout: Checkout) -> Checkout:
    """The checkout with the files that the page shows, and two targets that lack something."""
    for name, text in SHOWN.findall(PAGE):
        assert not (checkout.folder / name).exists()
        checkout.write(name, text)
    whole = checkout.read("gpuspec/targets/statefulset.py")
    for name, change in LESS.items():
        text = whole.replace('name="statefulset"', f'name="{name}"').replace(*change)
        text = text.replace("import Target, TargetInput", "import Ranks, Target, TargetInput")
        checkout.write(f"gpuspec/targets/{name}.py", text)
    return checkout


def test_two_files_are_a_target(grown: Checkout) -> None:
    assert len(SHOWN.findall(PAGE)) == 2
    done = grown.run("render", *SERVED)
    assert done.returncode == 0, done.stderr
    made = {one["kind"]: one for one in yaml.safe_load_all(done.stdout)}
    assert "Deployment" not in made
    assert made["StatefulSet"]["spec"]["replicas"] == 2
    grown.write("made.yaml", done.stdout)
    found = grown.run("lint", "made.yaml", *ON)
    assert (found.returncode, found.stdout) == (0, "")
    assert "podManagementPolicy = Parallel" in grown.run("explain", *SERVED).stdout


def test_it_is_found_by_whoever_chooses_wrongly(grown: Checkout) -> None:
    wrong = grown.run("render", *SERVED[:-1], "statefulsets")
    assert "did you mean `statefulset`?" in wrong.stderr
    other = grown.run("render", *SERVED[:-1], "job")
    serving = {name for name in names() if "service" in target_of(name).intents}
    able = ", ".join(sorted({*serving, *LESS, "statefulset"}))
    assert f"targets that support services: {able}" in other.stderr


def test_a_queue_that_it_does_not_know_is_refused(grown: Checkout) -> None:
    done = grown.run("render", *SERVED, "--set", "chat-70b:queue=research")
    assert (done.returncode, done.stdout) == (1, "")
    assert "pods of target statefulset are not queued" in done.stderr


@pytest.mark.parametrize(
    ("spec", "target", "whole"),
    [
        ("pretrain", "unranked", "the workers must find each other"),
        ("gpu-smoke-test", "unranked", "the workers must find each other"),
        ("chat-405b", "unranked", "`nodes: 2` makes one replica of 2 pods"),
        ("chat-405b", "leaderless", "`nodes: 2` makes one replica of 2 pods"),
    ],
)
def test_pods_that_must_be_one_are_refused_where_its_record_makes_them_none(
    grown: Checkout, spec: str, target: str, whole: str
) -> None:
    done = grown.run("render", f"examples/{spec}.yaml", *ON, "--target", target)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"target {target} runs each pod by itself, but {whole}" in done.stderr
    groups = [name for name in names() if target_of(name).ranks and target_of(name).roles[1:]]
    gangs = [name for name in names() if "gang" in target_of(name).intents]
    serving = [name for name in groups if "service" in target_of(name).intents]
    able = ", ".join(serving if spec == "chat-405b" else gangs)
    assert f"targets that support groups of pods: {able}\n" in done.stderr


def test_others_are_rendered_as_before(grown: Checkout) -> None:
    spec, profile = "examples/pretrain.yaml", "examples/clusters/operators.yaml"
    (workload,), (here,) = (
        gpuspec.load(str(ROOT / spec)),
        gpuspec.load_profiles(str(ROOT / profile)),
    )
    made = gpuspec.dump(gpuspec.render(workload, here).objects)
    assert grown.run("render", spec, "-c", profile).stdout == made


def test_the_page_has_every_field_of_the_record() -> None:
    table = PAGE.rpartition("The record")[2].partition("What its webhook")[0]
    named = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (.*?) \|", table, re.MULTILINE))))
    assert named == {field.name for field in fields(Target)}
