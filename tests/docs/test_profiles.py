"""The table of `docs/profiles.md` is the one that the code has."""

from pathlib import Path

import gpuspec
from gpuspec import hardware
from gpuspec.hardware import Preset
from gpuspec.manifests import format_duration

PAGE = Path(__file__).parent.parent.parent / "docs" / "profiles.md"
CUSTOM, WEAK = " ¹", " ²"


def rows() -> list[list[str]]:
    text = PAGE.read_text()
    table = text[text.index("| profile |") :].split("\n\n")[0]
    lines = table.splitlines()[2:]
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in lines]


def row(preset: Preset) -> list[str]:
    known = preset.provider
    spot = ""
    if known.spot:
        label = f"`{'='.join(known.spot.label)}`" if known.spot.label else "no label"
        spot = f"{label}, {format_duration(known.spot.notice)}"
    adds = known.tolerations
    return [
        f"`{preset.name}`",
        f"`{hardware.labellers()[known.labels.labeller].product}`",
        ", ".join(
            f"`{taint}`{'' if taint.automatic else CUSTOM}{WEAK if taint.weak else ''}"
            for taint in known.taints
        ),
        f"{adds.by.rpartition(' ')[2]}{WEAK if adds.weak else ''}" if adds else "",
        spot,
        ", ".join(f"`{each.resource}`{WEAK if each.weak else ''}" for each in known.rdma),
        ", ".join(f"`{each.name}`{WEAK if each.weak else ''}" for each in known.storage),
    ]


def test_the_table_of_built_in_profiles_is_that_of_the_data() -> None:
    """C-08: provider presets."""
    found = {cells[0]: cells for cells in rows()}
    assert found == {
        cells[0]: cells for preset in hardware.presets().values() for cells in [row(preset)]
    }
    assert len(found) == len(rows()) == len(gpuspec.profile_names())
