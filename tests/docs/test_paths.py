"""Files of the project that pages and sources name in backquotes are there."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
READ = ("*.md", "docs/*.md", "docs/*.py", "gpuspec/**/*.py", "tests/**/*.py")
# `gpuspec/kinds/<project>.py` stands for any of them.
NAMED = re.compile(r"`([\w.][\w<>*./-]*/[\w<>*-]+\.(?:py|md))(?:::\w+)?`")


def test_files_that_are_named_exist() -> None:
    named = [
        (file.relative_to(ROOT), path)
        for pattern in READ
        for file in ROOT.glob(pattern)
        for path in NAMED.findall(file.read_text(encoding="utf-8"))
    ]
    assert len(named) > 100
    gone = {
        (str(file), path)
        for file, path in named
        if not any(
            any(start.glob(re.sub(r"<\w+>", "*", path))) for start in (ROOT, ROOT / file.parent)
        )
    }
    assert sorted(gone) == []
