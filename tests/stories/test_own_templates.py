"""An organisation has templates of its own."""

from pathlib import Path

import gpuspec
from tests.stories.conftest import Desk, MakeSpec

OURS = Path(gpuspec.__file__).parents[1] / "templates"


def test_one_shadowed_part_changes_every_pod(desk: Desk, spec: MakeSpec) -> None:
    desk.write("a.yaml", spec("a", "  run: one\n"))
    pod = (OURS / "parts/pod.yaml.j2").read_text()
    desk.write("mine/parts/pod.yaml.j2", pod.replace("\nspec:\n", "\nspec:\n  hostUsers: false\n"))
    before = desk.run("render a.yaml").out
    done = desk.run("render a.yaml --templates mine")
    assert done.code == 0, done.said
    new = [line for line in done.out.splitlines() if line not in before.splitlines()]
    assert new == ["      hostUsers: false"]


def test_full_provenance_tells_whose_templates_they_were(desk: Desk, spec: MakeSpec) -> None:
    desk.write("a.yaml", spec("a", "  run: one\n"))
    desk.write(
        "eu.yaml",
        "apiVersion: gpuspec.dev/v1alpha1\nkind: ClusterProfile\nmetadata: {name: eu}\n"
        'spec: {kubernetes: "1.36", extends: generic, provenance: full}\n',
    )
    pod = (OURS / "parts/pod.yaml.j2").read_text()
    desk.write("mine/parts/pod.yaml.j2", pod.replace("\nspec:\n", "\nspec:\n  hostUsers: false\n"))
    before = desk.run("render a.yaml -c eu.yaml").out
    done = desk.run("render a.yaml -c eu.yaml --templates mine")
    new = [line for line in done.out.splitlines() if line not in before.splitlines()]
    assert len(new) == 2
    assert new[0].startswith("    gpuspec.dev/templates-digest: sha256:")


def test_a_wrong_template_stops_everything(desk: Desk, spec: MakeSpec) -> None:
    desk.write("a.yaml", spec("a", "  run: one\n"))
    for text, said in {
        "spec: {{ plan.nothing }}": "`plan` has no `nothing`",
        "spec: {}\n{% endif %}": "pod.yaml.j2:2:1: ",
        "spec: {a: b": "where it renders",
        "spec: {hostname: 7, containers: []}": "expected a string",
        "spec: {{ ''.__class__ }}": "__class__",
    }.items():
        desk.write("mine/parts/pod.yaml.j2", text)
        for output in ("", "-o out"):
            done = desk.run(f"render a.yaml --templates mine {output}")
            assert (done.code, done.out) == (2, ""), text
            assert said in done.said
            assert "Traceback" not in done.said and "internal error" not in done.said
        assert not (desk.folder / "out").exists()
