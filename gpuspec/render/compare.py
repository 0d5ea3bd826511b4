"""Whether a folder holds what a run would write into it; nothing is written."""

from collections.abc import Iterable

import msgspec

from gpuspec.render.folder import Output
from gpuspec.render.record import read_record, run_inputs


class Differences(msgspec.Struct, frozen=True):
    """What a run would do to a folder: file names, sorted."""

    missing: tuple[str, ...]
    different: tuple[str, ...]
    left: tuple[str, ...]
    """Files of an earlier run of the same inputs that are no longer made, and still there."""

    def __bool__(self) -> bool:
        return bool(self.missing or self.different or self.left)


def compare_folders(outputs: Iterable[Output]) -> list[Differences]:
    """What differs in each folder. Raises `InputError` for a record that cannot be read."""
    return [_compare(output) for output in outputs]


def _compare(output: Output) -> Differences:
    folder = output.folder
    record = read_record(folder)
    mine = record.runs.get(run_inputs(folder, output.inputs), {})
    there = {name for name in {**mine, **output.files} if (folder / name).is_file()}
    return Differences(
        missing=tuple(sorted(set(output.files) - there)),
        different=tuple(
            name
            for name, text in sorted(output.files.items())
            if name in there and (folder / name).read_bytes() != text.encode()
        ),
        left=tuple(sorted(there - set(output.files))),
    )
