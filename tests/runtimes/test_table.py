"""The table of model servers: every fact has its source, and the facts agree with one another."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec import Struct

from gpuspec import runtimes
from gpuspec.runtimes import Fact, Runtime, ServerSetting

DATA = Path(runtimes.__file__).parent / "data"
FILES = sorted(path.stem for path in DATA.glob("*.yaml"))
KNOWN = [runtimes.get(name) for name in runtimes.names() if name != "custom"]
SETTINGS = runtimes.Settings.__struct_fields__


def by_name(runtime: Runtime) -> str:
    return runtime.name


def facts(value: object) -> Iterator[Fact]:
    if isinstance(value, Fact):
        yield value
    if isinstance(value, Struct):
        for name in value.__struct_fields__:
            yield from facts(getattr(value, name))
    elif isinstance(value, tuple):
        for item in value:
            yield from facts(item)


def sources_used(row: Any) -> Iterator[str]:
    if isinstance(row, dict):
        for key, value in row.items():
            if key == "source":
                yield value
            else:
                yield from sources_used(value)
    elif isinstance(row, list):
        for item in row:
            yield from sources_used(item)


def paths(runtime: Runtime) -> dict[str, str]:
    assert runtime.probes is not None
    return {
        name: getattr(runtime.probes, name).path for name in ("startup", "readiness", "liveness")
    }


def test_every_file_belongs_to_a_runtime_or_to_all() -> None:
    assert set(FILES) == {*runtimes.names(), "common"}


@pytest.mark.parametrize("file", FILES)
def test_sources_are_all_used_and_all_known(file: str) -> None:
    row = yaml.safe_load((DATA / f"{file}.yaml").read_text(encoding="utf-8"))
    sources = row.pop("sources")
    assert set(sources_used(row)) == set(sources)
    assert all(isinstance(text, str) and len(text) > 10 for text in sources.values())


@pytest.mark.parametrize("subject", [*runtimes.names(), "common"])
def test_every_fact_says_where_it_comes_from(subject: str) -> None:
    held = list(facts(runtimes.common() if subject == "common" else runtimes.get(subject)))
    assert held
    for fact in held:
        assert fact.source
        assert fact.confidence in ("source", "weak", "assumption")
        if fact.confidence == "assumption":
            assert fact.why, f"{fact}: an assumption without its reason"


def test_an_unknown_runtime_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        runtimes.get("common")


@pytest.mark.parametrize("runtime", KNOWN, ids=by_name)
class TestKnownServers:
    def test_it_is_recognised_by_the_image_that_it_publishes(self, runtime: Runtime) -> None:
        for each in runtime.images:
            for name in each.repositories if each.recognised else ():
                repository = f"mirror.example.com:5000/hub/{name.replace('*', 'any')}"
                image = f"{repository}:v1"
                assert runtimes.recognise(image) == runtime.name
                assert runtimes.is_image_of(runtime.name, image)
                assert not runtimes.is_image_of(runtime.name, f"{repository}/more")
                for tag in each.other_tags:
                    assert runtimes.recognise(f"{repository}:{tag.replace('*', 'any')}") is None

    def test_it_is_recognised_by_the_commands_that_start_it(self, runtime: Runtime) -> None:
        for phrase in runtime.commands.serves if runtime.commands else ():
            words = ["sh", "-c", *phrase.split(), "more"]
            assert runtimes.started(words) == runtime.name
            assert runtimes.after_start(words, runtime.name) == len(words) - 1
            assert runtimes.started(phrase.split()[1:]) is None
        for phrase in runtime.commands.others if runtime.commands else ():
            assert runtimes.started_otherwise(phrase.split())

    def test_readiness_is_never_a_path_that_answers_without_a_model(self, runtime: Runtime) -> None:
        assert runtime.probes is not None
        assert paths(runtime)["readiness"] not in runtime.probes.early
        assert paths(runtime)["startup"] not in runtime.probes.early

    def test_a_path_named_live_is_known_to_answer_early(self, runtime: Runtime) -> None:
        assert runtime.probes is not None
        live = {path for path in paths(runtime).values() if path.endswith("/live")}
        assert live <= set(runtime.probes.early)

    def test_liveness_is_looser_than_readiness(self, runtime: Runtime) -> None:
        assert runtime.probes is not None
        ready, live = runtime.probes.readiness, runtime.probes.liveness
        assert ready.failures is not None
        assert live.failures is not None
        assert live.period * live.failures > ready.period * ready.failures
        assert live.timeout >= ready.timeout
        assert runtime.probes.startup.failures is None

    def test_probes_and_metrics_name_ports_of_the_server(self, runtime: Runtime) -> None:
        assert runtime.probes is not None
        ports = {port.name for port in runtime.ports}
        assert len(ports) == len(runtime.ports)
        named = (runtime.probes.startup, runtime.probes.readiness, runtime.probes.liveness)
        assert {probe.port for probe in named} <= ports
        assert runtime.metrics is None or runtime.metrics.port in ports

    def test_ports_can_be_used_by_any_user_and_be_moved(self, runtime: Runtime) -> None:
        assert runtime.ports[0].name == "http"
        for port in runtime.ports:
            # Above lie those that the kernel gives away; Ray's agent has one of them.
            assert 1024 <= port.number <= (65535 if runtime.clustered else 32767)
            assert re.fullmatch(r"[a-z][a-z0-9-]{0,14}", port.name)
            # One in a cluster is told by what makes that.
            assert runtime.clustered or port.setting is not None
            assert port.setting is None or port.setting.fields == {"port"}

    def test_templates_ask_for_their_own_field(self, runtime: Runtime) -> None:
        plain: set[str] = set()
        for name in SETTINGS:
            setting = getattr(runtime.settings, name)
            if setting is None:
                continue
            assert setting.arguments or setting.environment
            own = plain if name in ("host", "metrics", "offload", "trust") else {name}
            spare = {"model"} if name == "revision" else set()
            assert own <= setting.fields <= own | spare
        deadline = [runtime.startup.timeout, runtime.shutdown.drain]
        assert all(setting.fields == {"seconds"} for setting in deadline if setting)

    def test_a_mounted_model_can_be_served(self, runtime: Runtime) -> None:
        if runtime.clustered:
            return  # what makes its cluster tells it
        assert runtime.settings.path is not None
        arguments, environment = runtime.settings.path.fill(path="/models")
        assert "/models" in " ".join([*arguments, *environment.values()])

    def test_only_one_that_fills_its_gpu_is_told_its_share(self, runtime: Runtime) -> None:
        told = runtime.settings.memory_fraction is not None
        assert told == (runtime.gpu_memory.part < 1)
        assert runtime.gpu_memory.greedy or not told

    def test_one_that_listens_for_its_own_pod_is_told_to_listen_on_all(
        self, runtime: Runtime
    ) -> None:
        if runtime.address is not None and runtime.address.loopback:
            assert runtime.address.options
            assert runtime.settings.host is not None

    def test_queue_metric_has_a_name_that_a_path_segment_can_hold(self, runtime: Runtime) -> None:
        if runtime.metrics is None:
            return
        assert re.fullmatch(r"[a-z_:][a-z0-9_:]*", runtime.metrics.queue)
        assert runtime.metrics.target > 0

    def test_the_deadline_of_draining_is_named_only_where_it_drains(self, runtime: Runtime) -> None:
        assert runtime.shutdown.drains or runtime.shutdown.drain is None
        assert runtime.shutdown.drain or runtime.shutdown.drain_since is None

    def test_nothing_we_set_turns_prompt_logging_on(self, runtime: Runtime) -> None:
        if runtime.prompts is None:
            return
        assert runtime.prompts.switches
        words = {f"{v.name}={v.value}" for v in runtime.environment}
        for name in SETTINGS:
            setting = getattr(runtime.settings, name)
            words |= set(setting.arguments) if setting else set()
        assert not words & set(runtime.prompts.switches)

    def test_versions_can_be_compared_with_an_image(self, runtime: Runtime) -> None:
        prompts = runtime.prompts
        marks = (
            runtime.user.root_since,
            runtime.shutdown.drain_since,
            None if prompts is None else prompts.disable_until,
            None if runtime.probes is None else runtime.probes.notices_since,
        )
        for mark in filter(None, marks):
            assert runtimes.at_least(f"any:{mark}", mark)


def test_custom_asks_for_what_nobody_knows() -> None:
    custom = runtimes.get("custom")
    assert custom.ports == ()
    assert custom.probes is None
    assert all(getattr(custom.settings, name) is None for name in SETTINGS)
    assert all(fact.confidence == "assumption" for fact in facts(custom))


@pytest.mark.parametrize("name", runtimes.names())
def test_folders_and_variables_do_not_overlap(name: str) -> None:
    common, runtime = runtimes.common(), runtimes.get(name)
    caches = [*common.caches, *runtime.caches]
    variables = [cache.variable for cache in caches]
    variables += [variable.name for variable in (*common.environment, *runtime.environment)]
    variables += [
        variable.name for variable in (runtime.weights.offline if runtime.weights else ())
    ]
    assert len(set(variables)) == len(variables)
    folders = [cache.folder for cache in caches]
    assert len(set(folders)) == len(folders)
    for cache in caches:
        # Relative to the home, and hidden in it: `.` is the home itself.
        assert re.fullmatch(r"\.([a-z-]+(/[a-z-]+){0,2})?", cache.folder)
        assert cache.mib > 0


def test_a_user_that_is_not_in_passwd_has_a_name_and_a_home() -> None:
    common = runtimes.common()
    named = {variable.name for variable in common.environment}
    assert {"USER", "LOGNAME"} <= named
    assert "HOME" in {cache.variable for cache in common.caches}


@pytest.mark.parametrize("name", runtimes.names())
def test_no_server_runs_as_root(name: str) -> None:
    assert runtimes.get(name).user.uid > 0


def test_memory_and_shm_grow_with_gpus_and_weights() -> None:
    vllm = runtimes.get("vllm")
    assert vllm.memory.mib(1, 1000) == vllm.memory.base_mib + vllm.memory.gpu_mib + 1000
    assert vllm.memory.mib(4, 1000) - vllm.memory.mib(1, 1000) == 3 * vllm.memory.gpu_mib
    assert vllm.shm.mib(8) - vllm.shm.mib(1) == 7 * vllm.shm.gpu_mib
    # what the server checks at start: 10 x 16 MiB to the workers, 10 x 24 MiB from each
    assert all(vllm.shm.mib(gpus) > 160 + 240 * gpus for gpus in range(1, 17))


def test_sglang_readiness_outlasts_the_second_its_handler_sleeps() -> None:
    probes = runtimes.get("sglang").probes
    assert probes is not None
    assert probes.readiness.timeout > 2


def test_sglang_is_told_to_listen_where_probes_reach_it_and_to_measure() -> None:
    settings = runtimes.get("sglang").settings
    assert settings.host is not None
    assert settings.host.fill() == (("--host", "0.0.0.0"), {})
    assert settings.metrics is not None
    assert settings.metrics.fill() == (("--enable-metrics",), {})


def test_tgi_moves_from_the_privileged_port_of_its_image() -> None:
    (port,) = runtimes.get("tgi").ports
    assert (port.default, port.number) == (80, 8080)
    assert port.setting is not None
    assert port.setting.fill(port=port.number) == (("--port", "8080"), {})


def test_fill_writes_arguments_and_environment() -> None:
    setting = ServerSetting(
        source="-", arguments=("--a", "{a}", "x={a}{b}"), environment=("A={a}=1", "B=2")
    )
    filled = setting.fill(a=1, b="{a}")
    assert filled == (("--a", "1", "x=1{a}"), {"A": "1=1", "B": "2"})
    assert setting.fields == {"a", "b"}
    with pytest.raises(KeyError):
        setting.fill(a=1)


@pytest.mark.parametrize(
    "kind", [runtimes.Fact, runtimes.ServerPort, runtimes.RuntimeUser, runtimes.Runtime]
)
def test_a_misspelt_field_in_the_table_is_refused(kind: type[Struct]) -> None:
    assert kind.__struct_config__.forbid_unknown_fields
    assert kind.__struct_config__.frozen
