"""Finding documents: files, folders, standard input, several documents in one."""

import io
import sys
from pathlib import Path

import pytest

from gpuspec.manifests import InputError
from gpuspec.spec import load_profiles, load_workloads

SPEC = """\
apiVersion: gpuspec.dev/v1alpha1
kind: Training
metadata: {name: %s}
spec: {image: ghcr.io/example/w:1}
"""
PROFILE = """\
apiVersion: gpuspec.dev/v1alpha1
kind: ClusterProfile
metadata: {name: %s}
spec: {kubernetes: "1.36"}
"""
FOREIGN = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, text: str | bytes) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def names(*paths: str) -> list[str]:
    return [workload.name for workload in load_workloads(paths)]


def said(*paths: str, profiles: bool = False) -> list[str]:
    with pytest.raises(InputError) as caught:
        (load_profiles if profiles else load_workloads)(paths)
    return [str(problem).split("\n")[0] for problem in caught.value.problems]


def test_several_documents_in_the_order_of_paths_and_text() -> None:
    write("b.yaml", SPEC % "b1" + "---\n# nothing\n---\n" + SPEC % "b2")
    write("a.yaml", SPEC % "a")
    assert names("b.yaml", "a.yaml") == ["b1", "b2", "a"]


def test_a_folder_is_read_sorted_and_below() -> None:
    write("s/b.yml", SPEC % "b")
    write("s/sub/c.json", '{"apiVersion": "gpuspec.dev/v1alpha1", "kind": "Training", '
          '"metadata": {"name": "c"}, "spec": {"image": "a"}}')  # fmt: skip
    write("s/a.yaml", SPEC % "a")
    write("s/notes.txt", "{")
    assert names("s") == ["a", "b", "c"]


def test_a_folder_passes_over_what_is_not_ours() -> None:
    write("s/a.yaml", FOREIGN + "---\n" + SPEC % "a" + "---\n" + PROFILE % "p")
    write("s/.hidden.yaml", SPEC % "hidden")
    write("s/.git/x.yaml", SPEC % "hidden")
    write("s/list.yaml", "[1, 2]\n")
    write("s/template.yaml", "{{ if .Values.x }}\na: {{ .Values.x }\n")
    write("s/binary.yaml", b"\x00\x01\x02")
    write("s/empty.yaml", "")
    assert names("s") == ["a"]
    assert [profile.name for profile in load_profiles(["s"])] == ["p"]


def test_a_hidden_folder_that_is_named_is_read() -> None:
    write(".specs/a.yaml", SPEC % "a")
    assert names(".specs") == ["a"]


def test_a_folder_does_not_pass_over_what_was_meant_for_us() -> None:
    write("s/a.yaml", "apiVersion: gpuspec.dev/v1alpha1\nkind: Trianing\n")
    write("s/b.yaml", "apiVersion: gpuspec.dev/v1beta1\nkind: Training\n")
    write("s/c.yaml", "kind: Inference\nmetadata: {name: x}\n")
    write("s/d.yaml", "apiVersion: gpuspec.dev/v1alpha1\nkind: Training\na: [\n")
    write("s/e.yaml", "apiVersion: gpuspec/v1alpha1\nkind: Training\n")
    assert [line.partition(": ")[0] for line in said("s")] == [
        "s/d.yaml:4:1",
        "s/a.yaml:2:7",
        "s/b.yaml:1:13",
        "s/c.yaml:1:1",
        "s/e.yaml:1:13",
    ]
    # A kind that is neither's is everybody's problem.
    assert any("Trianing" in line for line in said("s", profiles=True))


def test_a_file_that_is_named_must_be_ours() -> None:
    write("a.yaml", FOREIGN)
    write("b.yaml", SPEC % "b" + "---\n" + PROFILE % "p")
    write("c.yaml", SPEC % "c")
    assert said("a.yaml", "b.yaml") == [
        'a.yaml:1:13: `apiVersion` is "v1"',
        'a.yaml:2:7: `kind` is "ConfigMap", which is not a workload',
        "b.yaml:7:7: ClusterProfile is not a workload",
    ]
    assert said("c.yaml", profiles=True) == ["c.yaml:2:7: Training is not a cluster profile"]


def test_one_bad_document_hides_no_other() -> None:
    write("a.yaml", SPEC % "A" + "---\n" + SPEC % "b" + "---\n" + SPEC % "C")
    assert [line.split(": ")[0] for line in said("a.yaml")] == ["a.yaml:3:18", "a.yaml:13:18"]


def test_the_same_workload_twice() -> None:
    write("a.yaml", SPEC % "a")
    write("b.yaml", SPEC % "a" + "---\n" + SPEC.replace("Training", "BatchInference") % "a")
    with pytest.raises(InputError) as caught:
        load_workloads(["a.yaml", "b.yaml"])
    assert str(caught.value) == (
        "b.yaml:3:18: a second Training `a` in namespace default\n  the first is at a.yaml:3:18"
    )


def test_the_same_profile_twice() -> None:
    write("a.yaml", PROFILE % "p" + "---\n" + PROFILE % "p")
    assert said("a.yaml", profiles=True) == ["a.yaml:8:18: a second profile `p`"]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((SPEC % "A").encode())))
    assert said("-")[0].startswith("<stdin>:3:18: `metadata.name`")
    monkeypatch.setattr(sys, "stdin", None)
    assert said("-") == ["-: standard input is closed"]


def test_what_cannot_be_read() -> None:
    write("dir.yaml/a.txt", "")
    Path("dangling.yaml").symlink_to("nowhere")
    assert said("", "no.yaml", "dangling.yaml", "x" * 5000, "a\0b") == [
        ": no such file or folder",
        "no.yaml: no such file or folder",
        "dangling.yaml: no such file or folder",
        f"{'x' * 5000}: File name too long",
        "'a\\x00b': embedded null byte",
    ]
    assert names("dir.yaml") == []


def test_an_endless_file_is_refused() -> None:
    if not Path("/dev/zero").exists():
        pytest.skip("there is no /dev/zero here")
    (line,) = said("/dev/zero")
    assert "larger than 64 MiB, the most that gpuspec reads" in line


def test_a_loop_of_folders_ends() -> None:
    write("s/a.yaml", SPEC % "a")
    Path("s/again").symlink_to(Path("s").resolve(), target_is_directory=True)
    assert names("s") == ["a"]


@pytest.mark.parametrize(
    ("target", "reason"),
    [("nowhere", "No such file or directory"), ("b.yaml", "Too many levels of symbolic links")],
)
def test_a_link_of_a_folder_that_leads_nowhere(target: str, reason: str) -> None:
    """What somebody put there is missing: passed over, it would be a workload less."""
    write("s/a.yaml", SPEC % "a")
    Path("s/b.yaml").symlink_to(target)
    assert said("s") == [f"s/b.yaml: a broken link ({reason})"]
    Path("s/b.yaml").rename("s/.#b.yaml")
    assert names("s") == ["a"]
