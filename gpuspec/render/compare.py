"""Comparison of a folder with the files that a run would write; nothing is written."""

from collections.abc import Iterable

import msgspec

from gpuspec.manifests import InputError, Problem
from gpuspec.render.contents import digest, digest_of
from gpuspec.render.folder import FolderOutput
from gpuspec.render.lock import watched
from gpuspec.render.record import RecordedRun, read_record, run_inputs


class Differences(msgspec.Struct, frozen=True):
    """The changes that a run would make to a folder: file names, sorted."""

    missing: tuple[str, ...]
    different: tuple[str, ...]
    left: tuple[str, ...]
    """Files of an earlier run with the same inputs that would be removed."""
    begun: bool
    """Whether a run was interrupted there, and its changes are neither finished nor undone."""

    def __bool__(self) -> bool:
        return bool(self.missing or self.different or self.left or self.begun)


def compare_folders(outputs: Iterable[FolderOutput]) -> list[Differences]:
    """Return the differences of each folder. Raises `InputError` for unreadable files."""
    all_differences: list[Differences] = []
    for output in outputs:
        with watched(output.folder):
            try:
                all_differences.append(_compare(output))
            except OSError as error:
                message = f"{output.folder} cannot be read: {error.strerror}"
                raise InputError([Problem(message)]) from None
    return all_differences


def _compare(output: FolderOutput) -> Differences:
    folder = output.folder
    record = read_record(folder)
    mine = record.runs.get(run_inputs(folder, output.inputs), RecordedRun({}))
    present = {
        name: file_digest
        for name in sorted({*mine.files, *output.files})
        if (file_digest := digest(str(folder / name))) is not None
    }
    return Differences(
        missing=tuple(sorted(set(output.files) - set(present))),
        different=tuple(
            name
            for name, value in present.items()
            if name in output.files and value != digest_of(output.files[name].encode())
        ),
        left=tuple(
            name for name in present if name not in output.files and not output.stays(name, mine)
        ),
        begun=record.begun is not None,
    )
