"""Several fixes in one text; rounds of them; patches; files."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from gpuspec.lint.fixing import diff, fixed, save, settled, text_fix
from gpuspec.lint.model import Change, Drop, Finding, Fix, Put, Rename, TextFix
from gpuspec.manifests import InputError, read

TEXT = "a: 1\nb:\n  c: 1\n  # why\n  d: 2\ne: 3\n"


def fix(text: str, change: Change, *, safe: bool = True) -> TextFix:
    made = text_fix(read(text, "a.yaml")[0], Fix("mend it", (change,), safe=safe))
    assert made is not None
    return made


def test_fixes_in_different_places_go_together() -> None:
    fixes = [fix(TEXT, Put(("e",), 4)), fix(TEXT, Put(("a",), 2)), fix(TEXT, Rename(("b",), "f"))]
    assert fixed(TEXT, fixes) == "a: 2\nf:\n  c: 1\n  # why\n  d: 2\ne: 4\n"


def test_equal_fixes_are_one() -> None:
    assert fixed(TEXT, [fix(TEXT, Put(("e",), 4))] * 2) == TEXT.replace("3", "4")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Put(("a",), 2), Put(("a",), 3)),
        (Drop(("b",)), Put(("b", "c"), 2)),
        (Put(("b", "x", "y"), 1), Put(("b", "x", "z"), 1)),
        # Together they would leave nothing of the mapping, each by itself does not.
        (Drop(("b", "c")), Drop(("b", "d"))),
    ],
)
def test_of_fixes_that_meet_the_first_is_made(one: Change, other: Change) -> None:
    alone = fixed(TEXT, [fix(TEXT, one)])
    assert fixed(TEXT, [fix(TEXT, one), fix(TEXT, other)]) == alone != TEXT


def test_fixes_that_only_break_together_are_not_made_together() -> None:
    one, other = fix(TEXT, Rename(("a",), "x")), fix(TEXT, Put(("x",), 1))
    assert fixed(TEXT, [one, other]) == TEXT.replace("a:", "x:")


def test_a_document_that_cannot_be_read_does_not_keep_others_from_being_mended() -> None:
    text = f"{TEXT}---\na: [\n"
    document = read(TEXT, "a.yaml")[0]
    made = text_fix(document, Fix("mend it", (Put(("e",), 4),)))
    assert made is not None
    assert fixed(text, [made]) == text.replace("3", "4")


def test_a_place_that_the_text_does_not_have_is_an_error() -> None:
    made = fix(TEXT, Put(("e",), 4))
    with pytest.raises(ValueError, match="line"):
        fixed("a: 1\n", [made])


def finding(file: str, mend: TextFix | None) -> Finding:
    return Finding("GPU102", "x", "error", "certain", "", file, 1, 1, 1, 1, path="", fix=mend)


def look(texts: Mapping[str, str]) -> list[Finding]:
    """Every mapping entry that is 1 is to be 2 (safe); whatever is 3 is to go (not safe)."""
    found = []
    for name, text in texts.items():
        value = read(text, name)[0].value
        assert isinstance(value, dict)
        for key, item in value.items():
            if item == 1:
                found.append(finding(name, fix(text, Put((key,), 2))))
            elif item == 3:
                found.append(finding(name, fix(text, Drop((key,)), safe=False)))
    return [*found, finding("elsewhere.yaml", None)]


def test_rounds_go_on_until_nothing_is_left() -> None:
    texts = {"a.yaml": "{x: 1, y: 1, z: 3, w: 0}\n", "b.yaml": "x: 1\n"}
    assert settled(texts, look) == {"a.yaml": "{x: 2, y: 2, z: 3, w: 0}\n", "b.yaml": "x: 2\n"}
    assert settled(texts, look, unsafe=True)["a.yaml"] == "{x: 2, y: 2, w: 0}\n"
    assert texts["b.yaml"] == "x: 1\n"


def test_neighbours_are_mended_round_by_round() -> None:
    texts = {"a.yaml": "x: 3\ny: 3\nz: 0\n"}
    assert settled(texts, look, unsafe=True) == {"a.yaml": "z: 0\n"}


def test_fixes_that_undo_each_other_come_to_an_end() -> None:
    rounds = []

    def flip(texts: Mapping[str, str]) -> list[Finding]:
        rounds.append(texts)
        text = texts["a.yaml"]
        return [finding("a.yaml", fix(text, Put(("a",), 1 if "2" in text else 2)))]

    settled({"a.yaml": "a: 1\n"}, flip)
    assert len(rounds) == 10


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a: 1\nb: 2\n", "a: 1\nb: 3\n"),
        ("a: 1\r\nb: 2\r\n", "a: 1\r\nb: 3\r\nc: 1\r\n"),
        ("a: 1\nb: 2", "a: 1\nb: 3"),
        ("a: 1", "a: 1\n"),
        ("\ufeffa: 1\x85\u2028\n", "\ufeffa: 2\x85\u2028\n"),
    ],
)
def test_a_patch_can_be_applied(before: str, after: str, tmp_path: Path) -> None:
    (tmp_path / "k8s").mkdir()
    file = tmp_path / "k8s" / "a.yaml"
    file.write_bytes(before.encode())
    patch = diff("k8s/a.yaml", before, after).encode()
    done = subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=patch, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert file.read_bytes() == after.encode()


def test_what_is_the_same_has_no_patch() -> None:
    assert diff("a.yaml", TEXT, TEXT) == ""
    assert diff("<stdin>", "a\n", "b\n").startswith("--- <stdin>\n+++ <stdin>\n")


@pytest.mark.parametrize("text", ["\ufeffa: é\r\n", "a: 1"])
def test_a_file_is_written_byte_for_byte_with_its_permissions(text: str, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(text.encode())
    file.chmod(0o640)
    link = tmp_path / "link.yaml"
    link.symlink_to(file)
    save(link, text, f"{text}# new\r\n")
    assert file.read_bytes() == f"{text}# new\r\n".encode()
    assert file.stat().st_mode & 0o7777 == 0o640
    assert link.is_symlink()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.yaml", "link.yaml"]


def test_a_file_that_has_changed_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("somebody's\n")
    with pytest.raises(InputError, match="changed since it was read"):
        save(file, "a: 1\n", "a: 2\n")
    assert file.read_text() == "somebody's\n"


def test_what_cannot_be_written_is_left_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("a: 1\n")

    def full(_: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        save(file, "a: 1\n", "a: 2\n")
    assert file.read_text() == "a: 1\n"
    assert [each.name for each in tmp_path.iterdir()] == ["a.yaml"]
