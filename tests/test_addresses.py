"""No file of the project leads to an address under a name that the project does not own."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent
# `gpuspec.dev/v1alpha1` is the name of an API group, and `git.example.com/gpuspec` an example's.
UNOWNED = re.compile(rb"https?://(?:[\w.-]*\.)?gpuspec\.\w+|https?://github\.com/gpuspec\b")


def test_nothing_leads_to_an_address_that_nobody_owns() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout
    files = [ROOT / name.decode() for name in listed.split(b"\0") if name]
    assert len(files) > 1000
    assert [str(f) for f in files if f.is_file() and UNOWNED.search(f.read_bytes())] == []
