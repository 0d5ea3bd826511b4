"""Notes are few lines, however many files they are about."""

from gpuspec.loading.notes import Note
from gpuspec.report.lint.notes import notes_text


def test_a_few_files_are_named() -> None:
    notes = [Note("a.yaml", "passed over"), Note("", "no kind"), Note("b.yaml", "passed over")]
    assert (
        notes_text(notes) == "note: a.yaml: passed over\nnote: b.yaml: passed over\nnote: no kind\n"
    )


def test_many_are_counted_below_their_folder() -> None:
    notes = [Note(f"charts/x/templates/{n}.yaml", "passed over") for n in range(80)]
    assert notes_text(notes) == "note: 80 files below charts/x/templates: passed over\n"


def test_many_that_share_no_folder() -> None:
    notes = [Note(name, "passed over") for name in ("a/1.yaml", "b/2.yaml", "c.yaml", "/d/e.yaml")]
    assert notes_text(notes) == "note: 4 files: passed over\n"
