"""The settings of a model server: its arguments, variables and ports, from the runtime's table."""

import shlex

import msgspec

from gpuspec import runtimes
from gpuspec.enumeration import counted
from gpuspec.manifests import Path
from gpuspec.plan import adapters
from gpuspec.plan.decision import (
    Decision,
    Note,
    Origin,
    PlanPart,
    derived,
    from_profile,
    from_spec,
    from_table,
)
from gpuspec.plan.hub import told_model
from gpuspec.plan.own_line import NamedModel, named_model, own_line
from gpuspec.plan.processes import driven, processes
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.sharing import told_fraction
from gpuspec.plan.shell import Script, script_of
from gpuspec.runtimes import ServerSetting
from gpuspec.spec import InferenceSpec, at_least, degrees
from gpuspec.spec.inference import connector_of
from gpuspec.spec.runtimes import ServingRuntime


class ServerPlan(msgspec.Struct, frozen=True):
    """Command, arguments, variables and ports of a model server."""

    command: PlanPart
    args: PlanPart
    followers: PlanPart
    """The arguments of ranks other than 0, if there are any."""
    settings: dict[str, Decision]
    ports: dict[str, int]
    """Container ports by name; `http` serves requests."""
    port_decisions: tuple[Decision, ...]
    service_port: Decision
    notes: tuple[Note, ...]


class _ServerSettings(msgspec.Struct):
    """Collects settings while they are decided."""

    args: list[str]
    env: dict[str, Decision]
    reasons: list[str]
    own: tuple[str, ...]
    runtime: str
    joined: list[ServerSetting]

    def tell(self, setting: ServerSetting | None, why: str, **values: str | int | float) -> None:
        """Add a setting, unless the spec's own arguments have it: these take precedence."""
        if setting is None:
            return
        arguments, environment = setting.fill(**values)
        if setting.flags & {runtimes.flag(word) for word in self.own}:
            return
        self.args += arguments
        if arguments:
            self.reasons.append(why)
        self.joined += [setting] if setting.joins else []
        for name, value in environment.items():
            if setting.joins and name in self.env:
                value = f"{self.env[name].value} {value}"
            self.env[name] = from_table(f"runtimes/{self.runtime} settings", value, why)


def server(
    resolution: Resolution,
    spec: InferenceSpec,
    weights_path: str | None,
    budget: int,
    meet: dict[str, str | int],
    starter: ServingRuntime | None = None,
) -> ServerPlan:
    """Return arguments and ports. `weights_path`: mounted weights; `budget`: start-up seconds.

    `meet`: for a replica on several nodes, the settings of its rank and of rank 0's address.
    `starter`: the platform's runtime that starts the server and sets its model and address.
    """
    runtime = resolution.runtime
    words = tuple(word.text for word in own_line(resolution))
    script = script_of(resolution)
    arguments = script.words if script is not None else words or spec.args
    server_settings = _ServerSettings([], {}, [], arguments, runtime.name, [])
    model = named_model(resolution)
    if starter is None:
        _tell_model(resolution, spec, server_settings, weights_path, model)
    _tell_beside(resolution, spec, server_settings)
    if spec.context is not None:
        why = f"at most {spec.context} tokens"
        server_settings.tell(runtime.settings.max_length, why, max_length=spec.context)
    if spec.model is not None and (method := spec.model.quantization):
        server_settings.tell(
            runtime.settings.quantization, f"weights in memory as {method}", quantization=method
        )
    tensor, pipeline = degrees(spec)
    if spec.parallelism.tensor is None:
        tensor = tensor * processes(resolution) // resolution.gpus
    if tensor > 1:
        why = f"tensor parallel over {tensor} {driven(resolution)}s"
        server_settings.tell(runtime.settings.tensor, why, tensor=tensor)
    if pipeline > 1:
        server_settings.tell(
            runtime.settings.pipeline, f"{pipeline} pipeline stages", pipeline=pipeline
        )
    _tell_side(resolution, spec, server_settings)
    if spec.nodes > 1:
        server_settings.tell(runtime.nodes, f"one of {spec.nodes} nodes", nodes=spec.nodes, **meet)
    _tell_share(resolution, server_settings)
    if starter is None:
        server_settings.tell(runtime.settings.host, "listens on every address")
        ports, decisions = _ports(resolution, spec, server_settings)
    else:
        ports, decisions = {"http": starter.port}, [_started(resolution, starter)]
    server_settings.tell(runtime.settings.metrics, "metrics are off otherwise")
    server_settings.tell(runtime.settings.offload, "the whole model on the GPU")
    server_settings.tell(
        runtime.startup.timeout, "as long as the startup probe waits", seconds=budget
    )
    if runtime.prompts and known(spec, None, runtime.prompts.disable_until):
        server_settings.tell(runtime.prompts.disable, "prompts are not logged")
    shared, reasons = [*server_settings.args], [*server_settings.reasons]
    if drains(resolution, spec):
        seconds = spec.longest_request.seconds
        server_settings.tell(runtime.shutdown.drain, "finishes running requests", seconds=seconds)
    # The first word of a line is the model: what we say stands behind it.
    first = 1 if model and model.option is None and model.path[1] == "args" else 0

    def line(told_words: list[str]) -> list[str]:
        if script is not None:
            return script.line(told_words)
        return [*spec.args[:first], *told_words, *spec.args[first:]]

    args = line(server_settings.args)
    launch = None if starter else runtime.launch
    command: PlanPart = None
    if spec.command:
        command = from_spec(("spec", "command"), list(spec.command), "as the spec says")
    elif launch and launch.command:
        row = f"runtimes/{runtime.name} launch"
        command = from_table(row, list(launch.command), "starts the server for any entrypoint")
    leading = list(launch.leading) if launch and not spec.command else []
    argument_words = ["then the spec's own arguments"] if spec.args else []
    why = "; ".join([*server_settings.reasons, *argument_words])
    args_decision = (
        from_table(f"runtimes/{runtime.name} settings", [*leading, *args], why)
        if (server_settings.args and args != list(spec.args)) or leading
        else from_spec(("spec", "args"), list(spec.args) or None, "as the spec says")
    )
    followers: PlanPart = None
    if spec.nodes > 1 and runtime.nodes is not None:
        follower = [*shared, *runtime.nodes.follower]
        besides = ", and that it is a follower" if runtime.nodes.follower else ""
        why = f"the arguments of rank 0{besides}: only rank 0 answers clients"
        followers = from_table(
            f"runtimes/{runtime.name} nodes",
            [*leading, *line(follower)],
            "; ".join([why, *reasons, *argument_words]),
        )
    return ServerPlan(
        command,
        args_decision,
        followers,
        server_settings.env,
        ports,
        tuple(decisions),
        _service_port(resolution, spec, ports["http"]),
        (
            *_uneven(spec, tensor),
            *_unheard(resolution, script, server_settings.args),
            *_replaced(
                spec, server_settings.env, {setting.names[0] for setting in server_settings.joined}
            ),
        ),
    )


def _replaced(
    spec: InferenceSpec, decisions: dict[str, Decision], joined: set[str]
) -> tuple[Note, ...]:
    """Return a loud note if a variable of the spec replaces gpuspec's value with other words."""
    return tuple(
        Note(
            f"env {name} replaces `{decisions[name].value}`: write that there too",
            Origin("spec", ("spec", "env", name)),
            loud=True,
        )
        for name in sorted(joined & spec.env.keys())
        if str(decisions[name].value) not in str(spec.env[name])
    )


def _unheard(resolution: Resolution, script: Script | None, args: list[str]) -> tuple[Note, ...]:
    """Return a loud note if a shell script does not pass the arguments on to the server."""
    if script is None or script.hands_on or not args:
        return ()
    text = (
        f"`{script.shell} -c` passes no arguments on, so {resolution.runtime.title} "
        f'does not get `{shlex.join(args)}`: write `"$@"` at the end of the line that '
        "starts it, or write the arguments there, or delete `command`"
    )
    return (Note(text, Origin("spec", script.path), loud=True),)


def _uneven(spec: InferenceSpec, tensor: int) -> tuple[Note, ...]:
    """Return a loud note on a tensor parallelism that attention heads, a multiple of a power of
    two, rarely divide by."""
    if tensor & (tensor - 1) == 0:
        return ()
    text = (
        f"{tensor} GPUs by tensor parallelism: servers fail if {tensor} does not divide "
        "the model's number of attention heads"
    )
    path = (
        ("spec", "parallelism", "tensor") if spec.parallelism.tensor else ("spec", "gpu", "count")
    )
    return (Note(text, Origin("spec", path), loud=True),)


def known(spec: InferenceSpec, since: str | None, until: str | None) -> bool:
    """Return whether the server's release surely has an argument: an unknown one keeps it from
    starting.

    `since` and `until` are the first releases with it and without it.
    """
    if since is not None and not at_least(spec, since):
        return False
    return until is None or at_least(spec, until) is False


def drains(resolution: Resolution, spec: InferenceSpec) -> bool:
    """Return whether the server finishes its running requests after SIGTERM, with gpuspec's
    settings."""
    shutdown, script = resolution.runtime.shutdown, script_of(resolution)
    drain = shutdown.drain
    if script is not None and drain is not None and drain.arguments:
        # The script says it, hands it on, or leaves the server without.
        heard = script.hands_on or script.says(drain)
    else:
        heard = True
    return shutdown.drains and heard and known(spec, shutdown.drain_since, None)


def _tell_model(
    resolution: Resolution,
    spec: InferenceSpec,
    server_settings: _ServerSettings,
    weights_path: str | None,
    named_model: NamedModel | None,
) -> None:
    """Add the model, unless the spec's own command line names one: the server rejects two."""
    settings, model = resolution.runtime.settings, spec.model
    if model is None:
        return
    if weights_path is not None:
        if named_model is None:
            server_settings.tell(
                settings.path, f"weights mounted at {weights_path}", path=weights_path
            )
        server_settings.tell(
            settings.served_name, f"clients request {model.id}", served_name=model.id
        )
        for variable in resolution.runtime.weights.offline if resolution.runtime.weights else ():
            server_settings.env[variable.name] = from_table(
                f"runtimes/{resolution.runtime.name} weights", variable.value, "weights are local"
            )
        return
    if not told_model(resolution):
        return
    if named_model is not None and named_model.name != model.id:
        # What `args` say by an option has always been known to clients by its own name.
        if named_model.elsewhere and (
            named_model.option is None or named_model.path[1] == "command"
        ):
            server_settings.tell(
                settings.served_name, f"clients request {model.id}", served_name=model.id
            )
        return
    if named_model is None:
        server_settings.tell(settings.model, f"serves {model.id}", model=model.id)
    if model.revision:
        server_settings.tell(
            settings.revision,
            f"exactly revision {model.revision}",
            revision=model.revision,
            model=model.id,
        )


def _tell_beside(
    resolution: Resolution, spec: InferenceSpec, server_settings: _ServerSettings
) -> None:
    """Add arguments for adapters, and the chat template."""
    adapter_options = resolution.runtime.adapters
    if spec.adapters and adapter_options is not None:
        flags = {runtimes.flag(word) for word in server_settings.own}
        server_settings.args += [word for word in adapter_options.switches if word not in flags]
        why = f"serves {counted(len(spec.adapters), 'adapter')} next to the model"
        arguments, variables = adapters.told(spec, adapter_options)
        server_settings.args += arguments
        server_settings.reasons += [why] if arguments else []
        for name, value in variables.items():
            server_settings.env[name] = from_table(
                f"runtimes/{resolution.runtime.name} adapters", value, why
            )
        if (rank := adapters.largest_rank(spec, adapter_options)) is not None:
            server_settings.tell(
                adapter_options.rank, f"memory for adapters of rank {rank}", rank=rank
            )
    if (file := adapters.template_file(spec)) is not None:
        why = "turns a chat into a prompt by the spec's template"
        server_settings.tell(resolution.runtime.settings.chat_template, why, chat_template=file)


def _tell_side(
    resolution: Resolution, spec: InferenceSpec, server_settings: _ServerSettings
) -> None:
    """Add arguments for the server's part of the work, and for the transfer of the cache."""
    connector = connector_of(spec)
    if connector is None:
        return
    if resolution.side == "prefill":
        why = f"computes only prompts, and transfers its cache by {connector.title}"
        server_settings.tell(connector.prefill, why)
    else:
        why = f"continues from caches that it receives by {connector.title}"
        server_settings.tell(connector.decode, why)


def _tell_share(resolution: Resolution, server_settings: _ServerSettings) -> None:
    """Add the argument for its part of a shared GPU's memory: by default the server takes the whole
    GPU."""
    fraction, device_option = told_fraction(resolution), resolution.device_option
    if fraction is None or device_option is None:
        return
    gpu_memory = resolution.runtime.gpu_memory
    why = f"1/{device_option.per_gpu} of a GPU shared by {device_option.kind}"
    if gpu_memory.part < 1:
        why += f", {gpu_memory.part:.0%} of it: the rest is for memory that it does not count"
    server_settings.tell(
        resolution.runtime.settings.memory_fraction, why, memory_fraction=f"{fraction:g}"
    )


def _ports(
    resolution: Resolution, spec: InferenceSpec, server_settings: _ServerSettings
) -> tuple[dict[str, int], list[Decision]]:
    """Return container ports. The main one is called `http`, so that probes and Service use one
    name."""
    container_port = spec.expose.container_port
    if not resolution.runtime.ports:
        path: Path = ("spec", "expose", "containerPort" if container_port else "port")
        number = container_port or spec.expose.port or 0
        value = {"name": "http", "containerPort": number}
        return {"http": number}, [from_spec(path, value, "where the server listens")]
    ports: dict[str, int] = {}
    decisions: list[Decision] = []
    for index, port in enumerate(resolution.runtime.ports):
        number = container_port if container_port and index == 0 else port.number
        moved = number != port.default
        # A program of the spec's own need not know the option.
        if moved or not spec.command:
            why = (
                f"moved from {port.default}: a non-root server cannot listen below 1024"
                if moved and port.default is not None and port.default < 1024
                else f"listens on {number}, whatever image and variables say"
            )
            server_settings.tell(port.setting, why, port=number)
        ports[port.name] = number
        value = {"name": port.name, "containerPort": number}
        row = f"runtimes/{resolution.runtime.name} ports"
        decisions.append(
            from_spec(("spec", "expose", "containerPort"), value, "the spec's port")
            if container_port and index == 0
            else from_table(row, value, f"{resolution.runtime.title}'s {port.name} port")
        )
    return ports, decisions


def _started(resolution: Resolution, starter: ServingRuntime) -> Decision:
    """Return the port of a server that the platform's runtime starts."""
    path = ("spec", "runtimes", "serving", resolution.runtime.name)
    value = {"name": "http", "containerPort": starter.port}
    return from_profile(path, value, f"the port on which {starter.name} runs its server")


def _service_port(resolution: Resolution, spec: InferenceSpec, container: int) -> Decision:
    if spec.expose.port is not None:
        return from_spec(("spec", "expose", "port"), spec.expose.port, "the port clients use")
    if resolution.runtime.ports:
        main = resolution.runtime.ports[0]
        default = main.number if main.default is None else main.default
        row = f"runtimes/{resolution.runtime.name} ports"
        return from_table(row, default, f"the port clients of {resolution.runtime.title} expect")
    return derived("service", container, "the container's port")
