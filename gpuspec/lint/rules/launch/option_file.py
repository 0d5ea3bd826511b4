"""A file of options, in a ConfigMap, that its program does not take, or does not read."""

from collections.abc import Iterator

import msgspec

from gpuspec.lint.analysis.reading.mounted import MountedFile
from gpuspec.lint.analysis.serving.command_lines import lines_of
from gpuspec.lint.analysis.serving.disaggregated_file import wrong_servers
from gpuspec.lint.analysis.serving.file_keys import FileKeyError, wrong_keys
from gpuspec.lint.analysis.serving.option_files import file_of, line_of
from gpuspec.lint.analysis.serving.program_lines import ProgramLine
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.lint.rules.launch import option_value, unknown_option
from gpuspec.loading.placeholders import placeholder
from gpuspec.manifests import Path
from gpuspec.objects.objects import Pod
from gpuspec.runtimes.options import ParsedOption

RULE = Rule(
    "GPU798",
    "option-file",
    "error",
    "A program is given an options file that it does not read",
)
_ENDINGS = (".yaml", ".yml")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Check configuration files whose keys are a program's options or fields of its classes, if
    their ConfigMap is in the set."""
    for container in pod.every:
        for line in lines_of(container):
            file = file_of(line)
            if file is None or not line.program.parsing.file_keys:
                continue
            if placeholder(file.value or "") is not None or "$" in (file.value or ""):
                continue
            unread = _unread(line, file)
            if unread is not None:
                yield unread
                continue
            inside = line_of(line, file, pod, container, context.collection)
            if inside is not None:
                yield from _refused(line.words[file.value_at].path, *inside)
        for wrong in wrong_keys(pod, container, context.collection):
            yield _found(wrong)
        for wrong in wrong_servers(pod, container, context.collection):
            yield _found(wrong)


def _found(wrong: FileKeyError) -> RawFinding:
    source = wrong.source
    return RawFinding(
        wrong.path,
        f"`{wrong.key}` in `{source.key}` of ConfigMap `{source.object.name}`: {wrong.message}",
        note=wrong.note,
        severity=wrong.severity,
        confidence=wrong.confidence,
        related=(
            RelatedPlace(source.object.number, source.object.path("data", source.key), "the file"),
        ),
    )


def _unread(line: ProgramLine, file: ParsedOption) -> RawFinding | None:
    """Return a file that is passed over, or at which the program ends, for how it is named."""
    if not line.program.parsing.file_apart:
        return None
    path, title = line.words[file.value_at].path, line.program.title
    if file.value_at == file.at:
        return RawFinding(
            path,
            f"{title} does not read `{file.value}`: it recognises only the word `{file.name}` "
            "with the file as the next word",
            note=f"write `{file.name}` and the file as two items",
            severity="warning",
            confidence="likely",
        )
    if not (file.value or "").endswith(_ENDINGS):
        return RawFinding(
            path,
            f"`{file.value}` does not end in `.yaml` or `.yml`: {title} accepts no other "
            "options file and exits at startup",
            note="rename the file so that it ends in `.yaml`",
        )
    return None


def _refused(path: Path, source: MountedFile, line: ProgramLine) -> Iterator[RawFinding]:
    """Yield options of the file that the program does not take."""
    name = f"ConfigMap `{source.object.name}`"
    for option in line.options:
        (key,) = line.words[option.at].path
        if option.problem == "missing" or placeholder(option.value or "") is not None:
            continue
        for finding in (*unknown_option.judged(line, option), *option_value.judged(line, option)):
            yield msgspec.structs.replace(
                finding,
                path=path,
                message=f"`{key}` in `{source.key}` of {name}: {finding.message}",
                related=(
                    RelatedPlace(
                        source.object.number, source.object.path("data", source.key), "the file"
                    ),
                ),
            )
