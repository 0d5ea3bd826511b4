"""The examples as they are rendered on each profile, kept under examples/rendered/.

To write them again after a change, and then review the difference by eye:

    python tests/render/goldens.py --write

`<profile>/<example>.yaml` is what `gpuspec render` prints, `.notes.txt` what it says beside it on
stderr, `.refusal.txt` what it says instead where the profile cannot carry the example.
"""

import io
import os
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.yaml"))
PROFILES = {
    "generic": "generic",
    **{
        path.stem: f"examples/clusters/{path.name}"
        for path in sorted((ROOT / "examples/clusters").glob("*.yaml"))
    },
}
GOLDENS = ROOT / "examples/rendered"
OK, REFUSED = 0, 1


def program(*arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of the program, run at the root of the checkout."""
    from gpuspec.startup.process import main

    before = sys.argv
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    said = io.StringIO()
    sys.argv = ["gpuspec", *arguments]
    try:
        with chdir(ROOT), redirect_stdout(out), redirect_stderr(said):
            code = main()
    finally:
        sys.argv = before
    out.flush()
    return code, out.buffer.getvalue().decode(), said.getvalue()


def outputs(example: str, profile: str) -> dict[str, str]:
    """File name to text, of one example on one profile."""
    code, out, said = program("render", f"examples/{example}.yaml", "-c", PROFILES[profile])
    if code == REFUSED:
        assert not out
        return {f"{profile}/{example}.refusal.txt": said}
    assert code == OK, f"{example} on {profile} ended with {code}: {said}"
    notes = {f"{profile}/{example}.notes.txt": said} if said else {}
    return {f"{profile}/{example}.yaml": out, **notes}


def kept(example: str, profile: str) -> dict[str, str]:
    """The golden files of one example on one profile."""
    endings = (".yaml", ".notes.txt", ".refusal.txt")
    paths = [GOLDENS / profile / f"{example}{ending}" for ending in endings]
    return {
        path.relative_to(GOLDENS).as_posix(): path.read_text(encoding="utf-8")
        for path in paths
        if path.exists()
    }


def write() -> None:
    """Write all goldens that differ, and remove what is no more."""
    made: set[str] = set()
    for profile in PROFILES:
        for example in EXAMPLES:
            files = outputs(example, profile)
            made |= files.keys()
            old = kept(example, profile)
            for name, text in files.items():
                if old.get(name) != text:
                    path = GOLDENS / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text, encoding="utf-8", newline="\n")
                    print(f"wrote {path.relative_to(ROOT)}")
    for path in sorted(GOLDENS.glob("*/*")):
        if path.relative_to(GOLDENS).as_posix() not in made:
            path.unlink()
            print(f"removed {path.relative_to(ROOT)}")


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    os.environ.pop("GPUSPEC_DEBUG", None)
    write()
