"""Specs come and go; the folder that Git keeps follows."""

from tests.stories.conftest import Desk, MakeSpec

PROFILE = """\
apiVersion: gpuspec.dev/v1alpha1
kind: ClusterProfile
metadata: {{name: {name}}}
spec: {{kubernetes: "{version}"}}
"""


def test_a_workload_leaves_the_set(desk: Desk, spec: MakeSpec) -> None:
    desk.write("specs/a.yaml", spec("a", "  run: one\n"))
    desk.write("specs/b.yaml", spec("b", "  run: one\n"))
    assert desk.run("render specs -o out").code == 0
    assert list(desk.files("out")) == ["ml.job.a-one.yaml", "ml.job.b-one.yaml"]
    desk.write("out/README.md", "by hand\n")
    (desk.folder / "specs" / "b.yaml").unlink()
    assert desk.run("render ./specs/ -o out/").code == 0
    assert list(desk.files("out")) == ["README.md", "ml.job.a-one.yaml"]


def test_a_run_gets_a_new_file_and_takes_the_old_one_along(desk: Desk, spec: MakeSpec) -> None:
    desk.write("a.yaml", spec("a", "  run: one\n"))
    desk.run("render a.yaml -o out")
    desk.write("a.yaml", spec("a", "  run: two\n"))
    desk.run("render a.yaml -o out")
    assert list(desk.files("out")) == ["ml.job.a-two.yaml"]


def test_one_set_of_specs_for_many_clusters(desk: Desk, spec: MakeSpec) -> None:
    desk.write("specs/a.yaml", spec("a", "  run: one\n"))
    desk.write("clusters/eu.yaml", PROFILE.format(name="eu", version="1.35"))
    desk.write("clusters/us.yaml", PROFILE.format(name="us", version="1.37"))
    assert desk.run("render specs/ -c clusters/ -o out/{profile}/").code == 0
    assert list(desk.files("out")) == ["eu/ml.job.a-one.yaml", "us/ml.job.a-one.yaml"]
    one, two = desk.files("out").values()
    assert one.splitlines()[1:3] == two.splitlines()[1:3] and one != two


def test_one_cluster_that_cannot_be_written_stops_all(desk: Desk, spec: MakeSpec) -> None:
    desk.write("a.yaml", spec("a", "  run: one\n"))
    desk.write("clusters/eu.yaml", PROFILE.format(name="eu", version="1.35"))
    desk.write("clusters/us.yaml", PROFILE.format(name="us", version="1.37"))
    desk.write("out/us", "a file in the way\n")
    done = desk.run("render a.yaml -c clusters -o out/{profile}")
    assert (done.code, done.out) == (2, "")
    assert "out/us is not a folder" in done.said
    assert desk.files("out") == {"us": "a file in the way\n"}


def test_yaml_gives_way_to_json(desk: Desk, spec: MakeSpec) -> None:
    desk.write("a.yaml", spec("a", "  run: one\n"))
    desk.run("render a.yaml -o out")
    desk.run("render a.yaml -o out --format json")
    assert list(desk.files("out")) == ["ml.job.a-one.json"]


def test_two_workloads_that_become_one_job_are_refused(desk: Desk, spec: MakeSpec) -> None:
    desk.write("a.yaml", spec("a-one", "  run: x\n"))
    desk.write("b.yaml", spec("a", "  run: one-x\n"))
    for output in ("", "-o out"):
        done = desk.run(f"render a.yaml b.yaml {output}")
        assert (done.code, done.out) == (2, "")
        assert "two objects have the same name: Job ml/a-one-x" in done.said
        assert not (desk.folder / "out").exists()
