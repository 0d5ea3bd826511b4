"""The termination of a server: endpoints are withdrawn first, then SIGTERM, then time to finish."""

from gpuspec import runtimes
from gpuspec.numbers import read_whole
from gpuspec.plan.decision import Decision, Note, Origin, derived
from gpuspec.plan.own_line import option_values, own_line
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.server import drains
from gpuspec.spec import InferenceSpec, at_least

# Seconds for the process itself to exit once its last request is answered.
EXIT = 15


def last_answer(spec: InferenceSpec) -> int:
    """Return the seconds from the end of new requests to a pod's last answer."""
    return runtimes.common().withdrawal.seconds + spec.longest_request.seconds


def grace(spec: InferenceSpec) -> Decision:
    """Return the grace period of a pod that is withdrawn, answers its longest request and exits."""
    withdrawal, longest = runtimes.common().withdrawal.seconds, spec.longest_request.seconds
    why = f"{withdrawal}s until no requests arrive + {longest}s longest request + {EXIT}s to exit"
    return derived("drain", withdrawal + longest + EXIT, why)


def stays(spec: InferenceSpec) -> Decision:
    """Return the pause of pods that a serving pod needs until its last answer."""
    seconds = last_answer(spec)
    why = "rank 0 needs it to answer its last requests"
    return derived("drain", {"preStop": {"sleep": {"seconds": seconds}}}, why)


def drain(resolution: Resolution, spec: InferenceSpec) -> tuple[Decision, Decision, list[Note]]:
    """Return the preStop pause and the grace period, which together are longer than the longest
    request.

    With a note for each pool whose nodes terminate sooner, and for an unknown release. A
    terminating pod still receives requests until its endpoints are withdrawn everywhere, so SIGTERM
    comes only after that. A server that finishes its requests then needs as long as the longest
    one; for another server the pause itself must be that long.
    """
    withdrawal, longest = runtimes.common().withdrawal.seconds, spec.longest_request.seconds
    finishes = drains(resolution, spec)
    wait = withdrawal if finishes else withdrawal + longest
    why = f"requests still arrive for {withdrawal}s after the pod gets SIGTERM"
    if not finishes:
        why += f", and {resolution.runtime.title} may drop the running ones, of up to {longest}s"
    pause = derived("drain", {"preStop": {"sleep": {"seconds": wait}}}, why)
    whole = grace(spec)
    notes = [
        Note(
            f"pool {chosen.pool.name} gives {chosen.pool.notice} of notice, but draining "
            f"takes up to {whole.value}s: an interruption cuts off running requests",
            Origin("profile", chosen.path("notice")),
            loud=True,
        )
        for chosen in resolution.pools
        if chosen.pool.capacity == "spot" and chosen.pool.notice.seconds < whole.value
    ]
    return pause, whole, [*_untold(resolution, spec, wait), *_cut_off(resolution, spec), *notes]


def _cut_off(resolution: Resolution, spec: InferenceSpec) -> list[Note]:
    """Return a loud note if the spec makes the server wait less than its longest request."""
    setting, longest = resolution.runtime.shutdown.drain, spec.longest_request.seconds
    if setting is None or not drains(resolution, spec):
        return []  # such a one is told to stop once nothing runs
    timeouts = [
        (option, value.text, value.path)
        for option, value in option_values(own_line(resolution), setting)
    ]
    timeouts += [
        (name, str(spec.env[name]), ("spec", "env", name))
        for name in setting.names
        if isinstance(spec.env.get(name), str | int)
    ]
    return [
        Note(
            f"`{name}` gives running requests {text}s after SIGTERM, but longestRequest is "
            f"{longest}s: longer ones are cut off; delete it, or write {longest}",
            Origin("spec", path),
            loud=True,
        )
        for name, text, path in timeouts
        if (seconds := read_whole(text)) is not None and seconds < longest
    ]


def _untold(resolution: Resolution, spec: InferenceSpec, wait: int) -> list[Note]:
    """Return a loud note if only an unknown release keeps pods from terminating sooner."""
    shutdown = resolution.runtime.shutdown
    since = shutdown.drain_since
    if not shutdown.drains or since is None or at_least(spec, since) is not None:
        return []
    text = (
        f"the release of {resolution.runtime.title} in the image is unknown, so each "
        f"stopping pod waits {wait}s with its GPUs; from {since} on it need not wait: "
        "write `version`"
    )
    return [Note(text, Origin("spec", ("spec", "image")), loud=True)]
