"""Write the page of limits: `python docs/make_limits.py`, from the tested rows of `tests/cli/limits.py`."""

import runpy
from pathlib import Path
from typing import Any

from gpuspec.manifests import limits

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "limits.md"
ROWS = ROOT / "tests" / "cli" / "limits.py"

HEAD = """# Limits

<!-- Made by docs/make_limits.py from tests/cli/limits.py. Do not edit. -->

This page lists the sizes at which gpuspec stops reading. Each limit is far above real manifests and far below what a
machine can process, so every input is read in bounded time and memory. The constants are in
`gpuspec/manifests/limits.py` and cannot be configured. A file beyond a limit is no
manifest. A folder beyond a limit has to be split.

| what is limited | limit | where | message beyond it | exit code | test |
|---|---|---|---|---|---|
"""

REST = """
## Limits without a number

| input or event | result | test |
|---|---|---|
| a named pipe, a device, a socket, a folder or a circular link as a template | an error at once, without waiting | `tests/render/test_template_bounds.py` |
| a named pipe or a device in a folder | skipped | `tests/cli/test_limits.py` |
| a template with calls, computation or inheritance; loops nested deeper than Python allows | an error with file and line | `tests/render/test_template_bounds.py` |
| a revision in a partial clone | an error: no fetch, no password prompt, no hook | `tests/diff/test_odd_revisions.py` |
| trees that git itself never writes; a repository of another user | an error | `tests/diff/test_odd_revisions.py` |
| links in a revision | followed within the repository, as on disk; a note for a link that leads outside | `tests/diff/test_odd_revisions.py` |
| a broken or circular link in a folder | an error: its target would be missing | `tests/spec/test_load.py` |
| links of an Argo CD Application that lead outside its repository | an error, as with Argo CD itself | `tests/hosts/argocd/test_links.py` |
| SIGTERM, SIGHUP and SIGINT | temporary folders are deleted, then the process ends by the signal (SIGINT: 130) | `tests/cli/test_ended.py` |
| less memory than an input needs | an error, exit code 2 | `tests/cli/test_limits.py` |

gpuspec waits for a slow pipe. It has no timeout of its own, but its callers do: Argo CD kills a plugin after 60 seconds,
and CI a job after hours.
"""


def text() -> str:
    """The page."""
    rows = runpy.run_path(str(ROWS))
    lines = [_line(row, rows["shown"]) for row in rows["ROWS"]]
    return HEAD + "\n".join(lines) + "\n" + REST


def _line(row: Any, shown: Any) -> str:
    limit = shown(row.limit, getattr(limits, row.limit))
    test = f"`tests/cli/test_limits.py::test_beyond_a_limit[{row.limit}]`"
    said = row.said.format(limit)
    return f"| {row.what} | {limit} | {row.where} | {said} | {row.code} | {test} |"


if __name__ == "__main__":
    PAGE.write_text(text())
