"""Notes are few lines, however many files they are about."""

from gpuspec.loading.notes import LoadingNote
from gpuspec.report.lint.notes import notes_text


def test_a_few_files_are_named() -> None:
    notes = [
        LoadingNote("a.yaml", "passed over"),
        LoadingNote("", "no kind"),
        LoadingNote("b.yaml", "passed over"),
    ]
    assert (
        notes_text(notes) == "note: a.yaml: passed over\nnote: b.yaml: passed over\nnote: no kind\n"
    )


def test_many_are_counted_below_their_folder() -> None:
    notes = [LoadingNote(f"charts/x/templates/{n}.yaml", "passed over") for n in range(80)]
    assert notes_text(notes) == "note: 80 files below charts/x/templates: passed over\n"


def test_many_that_share_no_folder() -> None:
    notes = [
        LoadingNote(name, "passed over") for name in ("a/1.yaml", "b/2.yaml", "c.yaml", "/d/e.yaml")
    ]
    assert notes_text(notes) == "note: 4 files: passed over\n"
