"""Stories of `gpuspec schema add`, and of linting with what it wrote."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Program

DEFINITION = (Path(__file__).parents[1] / "validation/definitions.yaml").read_text()
RUN = """\
apiVersion: example.com/v1
kind: Run
metadata: {name: a, namespace: b}
spec: {image: i, size: 10%}
"""
FILE = ".gpuspec/schemas/example.com/run_v1.json"
SCHEMAS = ("--select", "GPU01")


@pytest.fixture
def repository(folder: Path) -> Path:
    """A repository with a definition and an object of its kind."""
    (folder / ".git").mkdir()
    (folder / "crd.yaml").write_text(DEFINITION)
    (folder / "k8s").mkdir()
    (folder / "k8s/run.yaml").write_text(RUN)
    return folder


def _broken(repository: Path, old: str, new: str) -> None:
    (repository / "k8s/run.yaml").write_text(RUN.replace(old, new))


def test_a_kind_is_out_of_reach_until_its_definition_is_added(
    gpuspec: Program, repository: Path
) -> None:
    _broken(repository, "image", "imge")
    before = gpuspec("lint", "k8s", *SCHEMAS)
    assert before.code == 0
    assert "1 Run (example.com/v1); add one with `gpuspec schema add CRD.yaml`" in before.err
    added = gpuspec("schema", "add", "crd.yaml")
    assert (added.code, added.out, added.err) == (0, "", ".gpuspec/schemas/: 1 written\n")
    after = gpuspec("lint", "k8s", *SCHEMAS, "--format", "concise")
    assert after.code == 1
    assert "GPU010 error" in after.out
    assert "did you mean `image`?" in gpuspec("lint", "k8s", *SCHEMAS).out
    assert "GPU012 error" in after.out
    assert "not validated" not in after.err


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("image: i", "image: I", "GPU011"),
        ("size: 10%", "size: [a]", "an integer or a string"),
        ("size: 10%", "size: 1, least: 3", "GPU017 error `spec`: least is at most most"),
        ("size: 10%", "size: 1, most: 10", "`exclusiveMaximum` of its schema"),
        ("size: 10%", "size: 1, from: {file: f, url: u}", "`oneOf` of its schema"),
        ("size: 10%", "size: 1, inner: {apiVersion: v1, kind: Pod, spec: {conts: 1}}", "conts"),
        ("{name: a,", "{name: a, lables: {},", "lables"),
        ("name: a, ", "", "GPU004"),
    ],
)
@pytest.mark.usefixtures("repository")
def test_what_a_definition_does_not_allow_is_found(
    gpuspec: Program, repository: Path, old: str, new: str, says: str
) -> None:
    gpuspec("schema", "add", "crd.yaml")
    _broken(repository, old, new)
    done = gpuspec("lint", "k8s", "--select", "GPU0", "--format", "concise")
    assert (done.code, says in done.out) == (1, True), done.out


@pytest.mark.parametrize(
    "new",
    [
        "size: 10",
        "size: 1, start: null, tags: null",
        "size: 1, anything: {a: 1, b: 2}",
        "size: 1, step: 1",
        "size: 1, labels: {a: b}, least: 1",
        "size: 1, inner: {apiVersion: v1, kind: ConfigMap, metadata: {name: m}}",
    ],
)
def test_what_a_server_takes_is_no_finding(gpuspec: Program, repository: Path, new: str) -> None:
    gpuspec("schema", "add", "crd.yaml")
    _broken(repository, "size: 10%", new)
    done = gpuspec("lint", "k8s", *SCHEMAS)
    assert (done.code, done.out) == (0, "")


def test_folders_lists_and_standard_input_are_read(gpuspec: Program, repository: Path) -> None:
    (repository / "chart/crds").mkdir(parents=True)
    (repository / "chart/crds/run.yaml").write_text(f"---\n{DEFINITION}---\n{RUN}")
    (repository / "chart/crds/template.yaml").write_text("{{- if .Values.on }}\n")
    assert gpuspec("schema", "add", "chart").err == ".gpuspec/schemas/: 1 written\n"
    assert gpuspec("schema", "add", "chart").err == ".gpuspec/schemas/: 1 unchanged\n"
    indented = DEFINITION.replace("\n", "\n    ").rstrip()
    listed = f"apiVersion: v1\nkind: List\nitems:\n  - {indented.partition('own.')[2].strip()}\n"
    done = gpuspec("schema", "add", "-", "-o", "other", stdin=listed)
    assert done.err == "other/: 1 written\n"
    written = json.loads((repository / "other/example.com/run_v1.json").read_text())
    assert written == json.loads((repository / FILE).read_text())


def test_the_folder_is_that_of_the_repository_or_of_its_configuration(
    shell: Program, repository: Path
) -> None:
    shell("cd k8s && gpuspec schema add ../crd.yaml")
    assert (repository / FILE).is_file()
    (repository / ".gpuspec.yaml").write_text("schema-locations: [schemas, default]\n")
    _broken(repository, "image", "imge")
    missing = shell("cd k8s && gpuspec lint run.yaml --select GPU01")
    assert (missing.code, missing.err) == (
        2,
        "error: ../schemas: no such folder\n"
        "  to make it: gpuspec schema add CRD.yaml -o ../schemas\n",
    )
    done = shell("cd k8s && gpuspec schema add ../crd.yaml")
    assert done.err == "../schemas/: 1 written\n"
    assert shell("cd k8s && gpuspec lint run.yaml --select GPU01").code == 1


def test_places_are_named_as_kubeconform_names_them(gpuspec: Program, repository: Path) -> None:
    gpuspec("schema", "add", "crd.yaml", "-o", "made")
    (repository / "flat").mkdir()
    (repository / "made/example.com/run_v1.json").rename(repository / "flat/run-example-v1.json")
    _broken(repository, "image", "imge")
    place = "flat/{{ .ResourceKind }}{{ .KindSuffix }}.json"
    lint = ("lint", "k8s", *SCHEMAS)
    assert gpuspec(*lint, "--schema-location", "default", "--schema-location", place).code == 1
    assert gpuspec(*lint, "--schema-location", "default").code == 0
    for wrong, says in (
        ("https://example.com/{{.Group}}.json", "schemas are only read from files"),
        ("a/{{ .Grup }}.json", "the template has no variable `.Grup`"),
        ("flta/{{ .Group }}.json", "the folder flta does not exist"),
        ("flta", "flta: no such folder"),
        ("", "a location of schemas cannot be empty"),
    ):
        done = gpuspec(*lint, "--schema-location", wrong)
        assert (done.code, done.out, says in done.err) == (2, "", True)


def test_an_added_schema_takes_the_place_of_a_bundled_one(
    gpuspec: Program, repository: Path
) -> None:
    theirs = DEFINITION.replace("example.com", "jobset.x-k8s.io").replace(
        "name: v1\n", "name: v1alpha2\n"
    )
    (repository / "crd.yaml").write_text(theirs.replace("kind: Run", "kind: JobSet"))
    done = gpuspec("schema", "add", "crd.yaml")
    assert "the new schemas replace the bundled schemas of jobset v" in done.err
    _broken(repository, "example.com/v1\nkind: Run", "jobset.x-k8s.io/v1alpha2\nkind: JobSet")
    assert gpuspec("lint", "k8s", *SCHEMAS).code == 0
    bundled = gpuspec("lint", "k8s", *SCHEMAS, "--schema-location", "default")
    assert "`spec.image` is not a field of `JobSet`" in bundled.out


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("k8s.io/v1\n", "k8s.io/v1beta1\n", "no server since Kubernetes 1.22 accepts"),
        (
            "type: object\n          desc",
            "type: objekt\n          desc",
            "`type: objekt` is not a type of JSON",
        ),
        ("openAPIV3Schema:", "openApiV3Schema:", "did you mean `openAPIV3Schema`?"),
        ("kind: Run,", "kind: ../../Run,", "is not a valid name of a custom kind"),
        ("group: example.com", "group: ../../../etc", "is not a valid name of a custom kind"),
        ("group: example.com", "group: [a]", "expected a string"),
        ("name: v1alpha1\n      served: false", "name: v1\n      served: true", "is defined twice"),
        ("schema: {openAPIV3Schema: {type: object}}", "schema: [", "crd.yaml:"),
    ],
)
def test_a_definition_that_is_wrong_is_told_and_nothing_written(
    gpuspec: Program, repository: Path, old: str, new: str, says: str
) -> None:
    assert old in DEFINITION
    (repository / "crd.yaml").write_text(DEFINITION.replace(old, new))
    done = gpuspec("schema", "add", "crd.yaml")
    assert (done.code, done.out, says in done.err) == (2, "", True), done.err
    assert "Traceback" not in done.err
    assert not (repository / ".gpuspec").exists()


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("a/{{.Group}}", "-o a/{{.Group}}: a template of paths"),
        ("https://example.com", "-o https://example.com: a template of paths"),
        ("", "-o: the folder's name is empty"),
        ("train.yaml", "train.yaml: File exists"),
    ],
)
@pytest.mark.usefixtures("repository")
def test_a_place_that_is_no_folder_is_refused(gpuspec: Program, place: str, says: str) -> None:
    done = gpuspec("schema", "add", "crd.yaml", "-o", place)
    assert (done.code, done.out, says in done.err) == (2, "", True)


def test_nothing_is_written_outside_of_the_folder(gpuspec: Program, repository: Path) -> None:
    (repository / "elsewhere").mkdir()
    (repository / ".gpuspec/schemas").mkdir(parents=True)
    (repository / ".gpuspec/schemas/example.com").symlink_to(repository / "elsewhere")
    done = gpuspec("schema", "add", "crd.yaml")
    assert (done.code, "leads out of .gpuspec/schemas" in done.err) == (2, True)
    assert list((repository / "elsewhere").iterdir()) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"type": "objekt"}',
        '{"properties": {"spec": {"$ref": "_definitions.json#/a"}}}',
        '{"properties": {"spec": {"$ref": "#/definitions/a"}}}',
        '{"allOf": 3}',
        "[" * 100_000,
    ],
)
def test_a_file_that_is_no_schema_is_named(gpuspec: Program, repository: Path, text: str) -> None:
    (repository / FILE).parent.mkdir(parents=True)
    (repository / FILE).write_text(text)
    done = gpuspec("lint", "k8s")
    assert (done.code, done.out, FILE in done.err) == (2, "", True), done.err
    assert "Traceback" not in done.err


def test_objects_name_no_files(gpuspec: Program, repository: Path) -> None:
    (repository / ".gpuspec/schemas/example.com").mkdir(parents=True)
    (repository / "secret_v1.json").write_text("{")
    _broken(repository, "example.com/v1\nkind: Run", "example.com/v1\nkind: ../../../secret")
    assert gpuspec("lint", "k8s", *SCHEMAS).code == 0


def test_render_holds_what_it_made_to_the_cluster_s_schema(
    gpuspec: Program, repository: Path
) -> None:
    profile = (repository / "clusters/eu.yaml").read_text()
    installed = profile.replace('"1.36"\n', '"1.36"\n  installed: {jobset: "0.12"}\n')
    (repository / "clusters/eu.yaml").write_text(installed)
    render = ("render", "train.yaml", "-c", "clusters/eu.yaml", "--target", "jobset")
    assert gpuspec(*render).code == 0
    older = DEFINITION.replace("example.com", "jobset.x-k8s.io").replace(
        "kind: Run", "kind: JobSet"
    )
    (repository / "crd.yaml").write_text(older.replace("name: v1\n", "name: v1alpha2\n"))
    gpuspec("schema", "add", "crd.yaml")
    done = gpuspec(*render)
    assert (done.code, done.out) == (1, "")
    assert "`spec.replicatedJobs` is not a field of `JobSet`" in done.err
    assert gpuspec(*render, "--no-lint").code == 0
