"""Same input, same bytes: in another process, locale, time zone and working directory."""

import locale
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]

# Renders all that it is told to, as YAML, as JSON and into folders; prints what it made.
PROGRAM = """
import io, os, sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from gpuspec.startup.process import main

def program(*arguments):
    sys.argv = ["gpuspec", "render", *arguments]
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with redirect_stdout(out), redirect_stderr(io.StringIO()) as said:
        code = main()
    out.flush()
    assert code == 0, said.getvalue()
    return out.buffer.getvalue()

results = Path(sys.argv[1])
for number, job in enumerate(sys.argv[2].split(";")):
    profile, *specs = job.split(",")
    for format in ("yaml", "json"):
        made = program(*specs, "-c", profile, "--format", format)
        (results / f"{number}.{format}").write_bytes(made)
    program(*specs, "-c", profile, "-o", str(results / str(number)))
"""


def other_locale() -> str:
    """A locale whose rules differ from C's, where the machine has one."""
    before = locale.setlocale(locale.LC_ALL)
    try:
        for name in ("tr_TR.UTF-8", "de_DE.UTF-8"):
            try:
                return locale.setlocale(locale.LC_ALL, name)
            except locale.Error:
                continue
    finally:
        locale.setlocale(locale.LC_ALL, before)
    return "C"


def run(
    place: Path, jobs: list[list[str]], here: Path, environment: dict[str, str]
) -> dict[str, bytes]:
    """The files that one process makes, by name."""
    results = place / "results"
    results.mkdir(parents=True)
    relative = [
        [item if item == "generic" else os.path.relpath(item, here) for item in job] for job in jobs
    ]
    subprocess.run(
        [sys.executable, "-c", PROGRAM, str(results), ";".join(map(",".join, relative))],
        cwd=here,
        env={**os.environ, **environment},
        check=True,
        timeout=300,
    )
    made = {
        path.relative_to(results).as_posix(): path.read_bytes()
        for path in sorted(results.rglob("*"))
        if path.is_file()
    }
    shutil.rmtree(place)
    return made


def test_two_processes_make_the_same_bytes(goldens: ModuleType, tmp_path: Path) -> None:
    """C-60: rendered state is reviewed and synced, so it changes only when its inputs do."""
    jobs = [
        [
            profile if path == "generic" else str(ROOT / path),
            *(
                str(ROOT / "examples" / f"{example}.yaml")
                for example in goldens.EXAMPLES
                if f"{profile}/{example}.yaml" in goldens.kept(example, profile)
            ),
        ]
        for profile, path in goldens.PROFILES.items()
    ]
    place = tmp_path / "place"
    one = run(place, jobs, ROOT, {"PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC"})
    two = run(
        place,
        jobs,
        tmp_path,
        {
            "PYTHONHASHSEED": "2",
            "PYTHONUTF8": "0",
            "PYTHONCOERCECLOCALE": "0",
            "LC_ALL": other_locale(),
            "TZ": "Pacific/Kiritimati",
        },
    )
    assert len(one) > 3 * len(jobs)
    assert one == two
