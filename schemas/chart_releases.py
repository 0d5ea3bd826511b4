"""The releases of a chart in a clone of its repository, each with its files."""

from __future__ import annotations

import io
import re
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from gpuspec.numbers import read_version

MOST_RELEASES = 30


def releases(clone: Path, row: dict[str, Any]) -> Iterator[tuple[str, dict[str, bytes]]]:
    """Yield the releases of a chart, oldest first: the version, and the files of its folder."""
    commits: dict[str, str] = {}
    pattern = re.compile(row.get("tags", r"v?(\d+\.\d+\.\d+)"))
    for tag in git(clone, "tag").decode().split() if row.get("tags") != "none" else ():
        if match := pattern.fullmatch(tag):
            commits.setdefault(match.group(1), tag)
    if not commits:
        commits = _of_history(clone, row["folder"])
    if row.get("named") == "chart":
        by_chart = {_version(clone, tag, row["folder"]): tag for tag in commits.values()}
        commits = {version: tag for version, tag in by_chart.items() if version}
    last = ""
    ordered = sorted(commits, key=read_version)
    for version in ordered[-row.get("most", MOST_RELEASES) :]:
        folder = next(
            filter(None, (_tree(clone, commits[version], each) for each in _folders(row))), ""
        )
        if folder and (folder != last or version == ordered[-1]):
            yield version, _files(clone, folder)
        last = folder or last


def _version(clone: Path, commit: str, folder: str) -> str:
    """Return the version in a Chart.yaml; empty for none that is a release's."""
    try:
        chart = yaml.safe_load(git(clone, "show", f"{commit}:{folder}/Chart.yaml"))
    except subprocess.CalledProcessError:
        return ""
    version = str(chart.get("version", "")).removeprefix("v")
    return version if re.fullmatch(r"\d+\.\d+\.\d+", version) else ""


def _folders(row: dict[str, Any]) -> list[str]:
    return [row["folder"], *row.get("formerly", ())]


def _of_history(clone: Path, folder: str) -> dict[str, str]:
    """Return the first commit of each version in a chart's own history."""
    commits: dict[str, str] = {}
    log = git(clone, "log", "--reverse", "--format=%H", "--", f"{folder}/Chart.yaml")
    for commit in log.decode().split():
        if version := _version(clone, commit, folder):
            commits.setdefault(version, commit)
    return commits


def _tree(clone: Path, commit: str, folder: str) -> str:
    try:
        return git(clone, "rev-parse", "--verify", "-q", f"{commit}:{folder}").decode().strip()
    except subprocess.CalledProcessError:
        return ""


def _files(clone: Path, tree: str) -> dict[str, bytes]:
    files = {}
    content = io.BytesIO(git(clone, "archive", "--format=tar", tree))
    with tarfile.open(fileobj=content) as archive:
        for member in archive.getmembers():
            file = archive.extractfile(member) if member.isfile() else None
            if file is not None:
                files[member.name] = file.read()
    return files


def git(clone: Path, *words: str) -> bytes:
    """Return what git prints."""
    command = ["git", "-C", str(clone), *words]
    return subprocess.run(command, check=True, capture_output=True).stdout
