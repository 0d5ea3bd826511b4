"""Notes are few lines, however many files they are about."""

from gpuspec.loading.notes import LoadingNote
from gpuspec.report.lint.notes import notes_text


def test_a_few_files_are_named() -> None:
    notes = [
        LoadingNote("a.yaml", "skipped"),
        LoadingNote("", "no kind"),
        LoadingNote("b.yaml", "skipped"),
    ]
    assert notes_text(notes) == "note: a.yaml: skipped\nnote: b.yaml: skipped\nnote: no kind\n"


def test_many_are_counted_below_their_folder() -> None:
    notes = [LoadingNote(f"charts/x/templates/{n}.yaml", "skipped") for n in range(80)]
    assert notes_text(notes) == "note: 80 files below charts/x/templates: skipped\n"


def test_many_that_share_no_folder() -> None:
    notes = [
        LoadingNote(name, "skipped") for name in ("a/1.yaml", "b/2.yaml", "c.yaml", "/d/e.yaml")
    ]
    assert notes_text(notes) == "note: 4 files: skipped\n"
