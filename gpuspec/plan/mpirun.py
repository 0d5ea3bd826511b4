"""`mpirun`: the launcher's program that starts a process in each slot of the workers, by ssh."""

from collections.abc import Iterator

from gpuspec.enumeration import counted
from gpuspec.numbers import read_whole
from gpuspec.plan.decision import Decision, Note, Origin, derived, from_spec
from gpuspec.plan.facets import LaunchPlan
from gpuspec.plan.launch import PORT
from gpuspec.plan.processes import driven, processes
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.spec import TrainingFields

_PROGRAMS = ("mpirun", "mpiexec", "mpiexec.hydra", "orterun", "prterun", "horovodrun")
_NUMBER = ("-np", "--np")
# Programs have a `-n` of their own: it is mpirun's where it stands right behind it.
_EARLY_NUMBER, _EARLY = "-n", 6
# Options by which it takes more processes than slots, or places them otherwise than by slots; a
# colon divides programs that have numbers of their own.
_OTHERWISE = (
    *("--oversubscribe", "-oversubscribe", "--map-by", "-map-by", "--rankfile", "-npernode"),
    *("--npernode", "-N", "-ppn", "-perhost", ":"),
)
# Cores are the node's to give: pods on one node that each bind to the first ones would share them.
_OPTIONS = {
    "openmpi": ("--bind-to", "none", "--map-by", "slot"),
    "intel": (),
    "mpich": (),
}


def launch(resolution: Resolution, spec: TrainingFields, first: Decision) -> LaunchPlan:
    """Return the launcher's command: the spec's, or `mpirun` with the spec's command. `first`: the
    first worker."""
    reason = "as the spec says"
    command, args = (
        from_spec(("spec", field), list(words) or None, reason)
        for field, words in (("command", spec.command), ("args", spec.args))
    )
    notes = list(_idle(resolution, spec))
    if _is_put_before(spec):
        number = str(slots(resolution) * spec.workers)
        words = ["mpirun", "-np", number, *_OPTIONS[mpi(spec)], *spec.command]
        why = (
            f"a process in each of {counted(spec.workers, 'worker')} × {counted(slots(resolution), 'slot')}, "
            f"one for each {driven(resolution)}"
        )
        command = from_spec(("spec", "command"), words, why)
    return LaunchPlan(command, args, _environment(spec, first), tuple(notes))


def slots(resolution: Resolution) -> int:
    """Return the number of processes of one worker."""
    return processes(resolution)


def mpi(spec: TrainingFields) -> str:
    """Return the MPI implementation of the image."""
    return spec.mpi or "openmpi"


def refused(resolution: Resolution, spec: TrainingFields) -> list[RefusalReason]:
    """Return refusals for a launcher inside `mpirun`, and for more processes than slots."""
    refusal_reasons: list[RefusalReason] = []
    if spec.launcher not in (None, "none"):
        text = f"`launcher: {spec.launcher}` starts a process for each GPU, and so does mpirun"
        hint = "delete `launcher`, or choose another target"
        refusal_reasons.append(
            RefusalReason(text, resolution.workload.place(("spec", "launcher")), hint)
        )
    wanted_ranks, room = _wanted(spec), slots(resolution) * spec.workers
    if wanted_ranks is not None and wanted_ranks[1] > room and mpi(spec) == "openmpi":
        field, number = wanted_ranks
        text = (
            f"mpirun has to start {number} processes, but {counted(spec.workers, 'worker')} × "
            f"{counted(slots(resolution), 'slot')} are {room}: it ends at once"
        )
        refusal_reasons.append(RefusalReason(text, resolution.workload.place(("spec", field))))
    return refusal_reasons


def _is_put_before(spec: TrainingFields) -> bool:
    """Return whether gpuspec adds `mpirun`, because the spec's own command does not start it."""
    if spec.launcher == "none" or not spec.command:
        return False
    words = " ".join((*spec.command, *spec.args)).split()
    return not any(_is_mpi(word) for word in words)


def _is_mpi(word: str) -> bool:
    return word.strip("'\"`();&|").rpartition("/")[2] in _PROGRAMS


def _wanted(spec: TrainingFields) -> tuple[str, int] | None:
    """Return the number of processes of the spec's own `mpirun`, and the field that sets it."""
    line = [(field, part) for field in ("command", "args") for word in getattr(spec, field)
            for part in word.split()]  # fmt: skip
    start = next((index for index, (_, word) in enumerate(line) if _is_mpi(word)), None)
    if start is None or any(word in _OTHERWISE for _, word in line[start:]):
        return None
    for index in range(start + 1, len(line) - 1):
        is_early = line[index][1] == _EARLY_NUMBER and index - start < _EARLY
        if line[index][1] in _NUMBER or is_early:
            field, text = line[index + 1]
            number = read_whole(text)
            return None if number is None else (field, number)
    return None


def _idle(resolution: Resolution, spec: TrainingFields) -> Iterator[Note]:
    """Yield a loud note if a slot gets no process."""
    wanted_ranks, room = _wanted(spec), slots(resolution) * spec.workers
    if wanted_ranks is None or wanted_ranks[1] == room:
        return
    field, number = wanted_ranks
    text = (
        f"mpirun starts {counted(number, 'process')}, but {counted(spec.workers, 'worker')} "
        f"× {counted(slots(resolution), 'slot')} are {room}: it fills the first workers "
        "first"
    )
    yield Note(text, Origin("spec", ("spec", field)), loud=True)


def _environment(spec: TrainingFields, first: Decision) -> tuple[Decision, ...]:
    """Return the address of the first worker, for programs that take only their rank from MPI."""
    if spec.workers == 1:
        return ()
    port = {"name": "MASTER_PORT", "value": str(PORT)}
    return (
        Decision({"name": "MASTER_ADDR", "value": first.value}, first.reason, first.origin),
        derived("rendezvous", port, "rank 0 listens here"),
    )
