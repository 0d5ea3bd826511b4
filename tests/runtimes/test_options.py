"""The tables of options, and how a command line is read by them."""

import pytest

from gpuspec.runtimes import options


def problems(program: str, image: str, line: str) -> list[tuple[str, str | None]]:
    """What is wrong with each option of a line for which something is."""
    table = options.get(program)
    releases = options.releases_of(table, image)
    assert releases is not None
    told = options.read(table, releases, line.split())
    return [(one.name, one.problem) for one in told if one.problem is not None]


VLLM = "vllm/vllm-openai:v0.11.0"


@pytest.mark.parametrize("name", options.names())
def test_rows_name_releases_that_are_covered(name: str) -> None:
    table = options.get(name)
    for row in table.options:
        places = [table.releases.index(one) for one in (row.since, row.until) if one is not None]
        assert places == sorted(places), row


BUILDS = "ghcr.io/ggml-org/llama.cpp:server-cuda-"


@pytest.mark.parametrize(
    ("tag", "line", "expected"),
    [
        ("b9592", "-m /m.gguf --flash-attn --jinja", [("--flash-attn", "missing")]),
        ("b9592", "-m /m.gguf -fa on --jinja", []),
        ("b6000", "-m /m.gguf --flash-attn --jinja", []),
        ("b6000", "-m /m.gguf --flash-attn on", [("--flash-attn", "superfluous")]),
        # The very builds around the change, one that is newer than all, and a tag that moves.
        ("b6320", "-m /m.gguf --flash-attn --jinja", []),
        ("b99999", "-m /m.gguf --flash-attn --jinja", []),
        ("cuda", "-m /m.gguf --flash-attn --jinja", []),
        # What one of the releases around it has, or may have had in between.
        ("b9592", "--top-nsigma 1 --ctx-size-draft 1", []),
        ("b5500", "--top-nsigma 1", [("--top-nsigma", "later")]),
        ("b9592", "--control-vector-scaled a 1 --mmap --direct-io", []),
    ],
)
def test_builds_tell_between_which_releases_an_image_lies(
    tag: str, line: str, expected: list[tuple[str, str]]
) -> None:
    assert problems("llamacpp", BUILDS + tag, line) == expected


def test_a_program_takes_the_options_of_the_one_that_it_wraps_at_the_release_that_it_holds() -> (
    None
):
    worker, vllm = options.get("dynamo-vllm"), options.get("vllm")
    assert worker.wraps is not None
    for release, held in worker.wraps.releases.items():
        at, there = worker.releases.index(release), vllm.releases.index(held)
        own = options.Releases(at, at, known=True)
        its = options.Releases(there, there, known=True)
        for name, rows in vllm.by_name.items():
            if name not in worker.wraps.without and any(
                options.holds(vllm, row, its) for row in rows
            ):
                assert any(options.holds(worker, row, own) for row in worker.by_name[name]), name


def test_of_a_build_before_all_releases_nothing_is_known() -> None:
    assert options.releases_of(options.get("llamacpp"), f"{BUILDS}b2000") is None


@pytest.mark.parametrize("name", options.names())
def test_no_release_has_an_option_twice(name: str) -> None:
    table = options.get(name)
    for at in range(len(table.releases)):
        one = options.Releases(at, at, known=True)
        for rows in table.by_name.values():
            assert sum(options.holds(table, row, one) for row in rows) <= 1, (rows, at)


@pytest.mark.parametrize(
    ("image", "line", "expected"),
    [
        (VLLM, "/m --tensor_parallel_size 2 --port=80 --dtype half", []),
        (VLLM, "/m --max-model 4096", []),  # cut short, as argparse takes it
        (VLLM, "/m --max-modle-len 4096", [("--max-modle-len", "unknown")]),
        (VLLM, "/m --dtype bf16", [("--dtype", "choice")]),
        (VLLM, "/m --port http", [("--port", "form")]),
        (VLLM, "/m --port $(PORT) --seed -1", []),
        (VLLM, "/m --enable-prefix-caching=true", [("--enable-prefix-caching", "superfluous")]),
        (VLLM, "/m --port --dtype half", [("--port", "missing")]),
        (VLLM, "/m --kv-transfer-config {a:1}", [("--kv-transfer-config", "json")]),
        (VLLM, '/m --kv-transfer-config {"a":1}', []),
        (VLLM, "/m --compilation-config.level 3 -O3", []),
        (VLLM, "/m -- --anything", []),
        (VLLM, "/m -max-model-len 16000", [("-max-model-len", "unknown")]),
        (VLLM, "/m -max_model_len=16000", [("-max_model_len", "unknown")]),
        (VLLM, "/m -tp 2 -something-else", []),
        # A word behind an option that takes none, where the model stands in front; else it is one.
        (VLLM, "/m --enable-prefix-caching true", [("--enable-prefix-caching", "superfluous")]),
        (VLLM, "/m --enable_prefix_c 1 --port 80", [("--enable_prefix_c", "superfluous")]),
        (VLLM, "--enable-prefix-caching /m", []),
        (VLLM, "/m --enable-prefix-caching --port 80", []),
        (VLLM, "/m --enable-prefix-caching $(MORE)", []),
        (VLLM, "$(MORE) --enable-prefix-caching true", []),
        (VLLM, "/m --enable-prefix-caching -- true", []),
        ("vllm/vllm-openai:v0.8.3", "/m --enable-chunked-prefill true", []),
        ("vllm/vllm-openai:latest", "/m --enable-chunked-prefill true", []),
        ("vllm/vllm-openai:v9.0.0", "/m --enable-prefix-caching true", []),
        # Later than the image, and gone from it.
        ("vllm/vllm-openai:v0.9.2", "/m --shutdown-timeout 5", [("--shutdown-timeout", "later")]),
        ("vllm/vllm-openai:v0.19.0", "/m --swap-space 4", [("--swap-space", "gone")]),
        (VLLM, "/m --cuda-graph-sizes 1 2 4", []),
        (
            "vllm/vllm-openai:v0.13.0",
            "/m --cudagraph-capture-sizes 1,2,4",
            [("--cudagraph-capture-sizes", "form")],
        ),
        # Newer than the table: what is not known may be there.
        (
            "vllm/vllm-openai:v9.0.0",
            "/m --brand-new --dtype x --swap-space 4",
            [("--swap-space", "gone")],
        ),
        ("vllm/vllm-openai:v9.0.0", "/m --port --seed", []),
        # A tag that names no release.
        (
            "vllm/vllm-openai:latest",
            "/m --swap-space 4 --shutdown-timeout 5",
            [("--swap-space", "gone")],
        ),
        ("vllm/vllm-openai:nightly", "/m --swap-space 4 --shutdown-timeout 5", []),
        ("vllm/vllm-openai:latest", "/m --port http", [("--port", "form")]),
        # A fork's tags are its own.
        ("rhaiis/vllm-cuda-rhel9:3.2.2", "/m --swap-space 4", []),
    ],
)
def test_vllm(image: str, line: str, expected: list[tuple[str, str]]) -> None:
    assert problems("vllm", image, line) == expected


@pytest.mark.parametrize(
    ("program", "image", "line", "expected"),
    [
        ("sglang", "lmsysorg/sglang:v0.5.9-cu124", "--model-path /m --tp 8", []),
        ("sglang", "lmsysorg/sglang:v0.5.9", "--tp_size 8", [("--tp_size", "unknown")]),
        ("tgi", "huggingface/text-generation-inference:3.3.5", "--model-id m --num-shard 2", []),
        (
            "tgi",
            "huggingface/text-generation-inference:3.3.5",
            "--num-sh 2",
            [("--num-sh", "unknown")],
        ),
        (
            "tgi",
            "huggingface/text-generation-inference:3.3.5",
            "--quantize int4",
            [("--quantize", "choice")],
        ),
        ("tei", "huggingface/text-embeddings-inference:89-1.6", "--model-id m --port 80", []),
        (
            "dynamo-vllm",
            "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0",
            "--model m --tensor_parallel_size 2 --is-prefill-worker --port 8000 --kv-cache-dtyp fp8",
            [
                ("--is-prefill-worker", "gone"),
                ("--port", "unknown"),
                ("--kv-cache-dtyp", "unknown"),
            ],
        ),
        (
            "dynamo-vllm",
            "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.7.0",
            "--model m --is-prefill-worker --swap-space 4 --disaggregation-mode prefill",
            [("--disaggregation-mode", "later")],
        ),
        (
            "dynamo-sglang",
            "nvcr.io/nvidia/ai-dynamo/sglang-runtime:0.8.0",
            "--model-path m --tp two --page-size 16",
            [("--tp", "form")],
        ),
        (
            "dynamo-frontend",
            "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.9.0",
            "--http-port 8000 --router-mod kv --kv-routing",
            [("--kv-routing", "unknown")],
        ),
        (
            "infinity",
            "michaelf34/infinity:0.0.70",
            "--model-id m --dtype half --device-id 0,1 --onnx-disable-optimize",
            [("--dtype", "choice"), ("--onnx-disable-optimize", "later")],
        ),
        (
            "tgi",
            "huggingface/text-generation-inference:3.3.5",
            "--model-id m --trust-remote-code true",
            [("--trust-remote-code", "superfluous")],
        ),
        ("ray", "rayproject/ray:2.50.0", "--head true --block", [("--head", "superfluous")]),
        (
            "sglang-router",
            "lmsysorg/sglang-router:v0.3.2",
            "--policy roundrobin --prefill http://p:1 none --decode http://d:1 --service-port 1",
            [("--policy", "choice"), ("--service-port", "unknown")],
        ),
        (
            "sglang-router",
            "lmsysorg/sglang-router:v0.1.4",
            "--service-discovery --selector app=sglang",
            [("--service-discovery", "later"), ("--selector", "later")],
        ),
        (
            "vllm-router",
            "vllm/vllm-router:v0.1.17",
            "--worker-urls http://a:1 http://b:1 --polcy random",
            [("--polcy", "unknown")],
        ),
        (
            "vllm-stack-router",
            "lmcache/lmstack-router:v0.1.7",
            "--service-discovery=k8s --routing-logic=round-robin --otel-secure",
            [("--routing-logic", "choice"), ("--otel-secure", "later")],
        ),
        (
            "litellm",
            "ghcr.io/berriai/litellm:main-v1.80.0-stable",
            "--config /c.yaml --port 4000 --num-workers 8 --use_prisma_migrate",
            [("--num-workers", "unknown"), ("--use_prisma_migrate", "gone")],
        ),
        (
            "llm-d-inference-sim",
            "ghcr.io/llm-d/llm-d-inference-sim:v0.9.2",
            "--model m --served-model-name a b --mode fixed --v=5 --swap-space 4",
            [("--mode", "choice"), ("--swap-space", "unknown")],
        ),
        (
            "llm-d-inference-sim",
            "ghcr.io/llm-d/llm-d-inference-sim:v0.5.0",
            "--model m --time-to-first-token 100ms",
            [("--time-to-first-token", "form")],
        ),
        (
            "llm-d-sidecar",
            "ghcr.io/llm-d/llm-d-routing-sidecar:v0.4.0",
            "-port=8000 --vllm-port=8200 --connector=nixl --kv-connector=nixlv2",
            [("--connector", "choice"), ("--kv-connector", "later")],
        ),
        # Old names that still took their value, and are gone three releases on.
        ("sglang", "lmsysorg/sglang:v0.5.13", "--nsa-prefill-backend=fa3", []),
        (
            "sglang",
            "lmsysorg/sglang:v0.5.20",
            "--nsa-prefill-backend fa3",
            [("--nsa-prefill-backend", "gone")],
        ),
        ("sglang", "lmsysorg/sglang:v0.5.23", "--model-type llm --context-length 128k", []),
        (
            "sglang",
            "lmsysorg/sglang:v0.5.12",
            "--allowed-media-domains a.org",
            [("--allowed-media-domains", "later")],
        ),
        # Which of its servers reads the line depends on the model.
        ("sglang", "lmsysorg/sglang:v0.5.9", "--model-path /m --enable-metrics true", []),
        # What stands behind the script is the script's.
        (
            "torchrun",
            "pytorch/pytorch:2.9.1-cuda12.8-cudnn9-devel",
            "--nproc_per_node 8 a.py --x 1",
            [],
        ),
        (
            "torchrun",
            "pytorch/pytorch:2.9.1-cuda12.8-cudnn9-devel",
            "--nproc 8 --x a.py",
            [("--x", "unknown")],
        ),
    ],
)
def test_others(program: str, image: str, line: str, expected: list[tuple[str, str]]) -> None:
    assert problems(program, image, line) == expected


def test_an_older_release_is_not_judged() -> None:
    assert options.releases_of(options.get("vllm"), "vllm/vllm-openai:v0.4.0") is None


@pytest.mark.parametrize(
    ("tag", "first", "last"),
    [
        ("v0.11.0", "0.11.0", "0.11.0"),
        ("v0.10.1.1", "0.5.5", "0.33.0"),
        ("v0.6.3.post1", "0.6.2", "0.6.4"),
        ("v0.21.0", "0.20.2", "0.22.0"),  # between two that are covered
        ("v0.9", "0.9.0", "0.9.2"),
    ],
)
def test_releases_that_a_tag_may_be(tag: str, first: str, last: str) -> None:
    table = options.get("vllm")
    found = options.releases_of(table, f"vllm/vllm-openai:{tag}")
    assert found is not None
    assert (table.releases[found.first], table.releases[found.last]) == (first, last)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("--expander=priority,least-waste --skip-nodes-with-local-storage=false --v=4", []),
        ("--cloud_provider=aws --log_dir=/tmp --leader-elect=true", []),
        (
            "--skip-nodes-with-local-storages=false",
            [("--skip-nodes-with-local-storages", "unknown")],
        ),
        ("--max-nodes-total=many", [("--max-nodes-total", "form")]),
    ],
)
def test_flags_of_cluster_autoscaler(line: str, expected: list[tuple[str, str]]) -> None:
    image = "registry.k8s.io/autoscaling/cluster-autoscaler:v1.33.0"
    assert problems("cluster-autoscaler", image, line) == expected


class TestGo:
    """Programs of Go: booleans behind `=`, one dash or two."""

    OLD, STANDARD, NEW = (
        f"registry.k8s.io/gateway-api-inference-extension/epp:v{one}"
        for one in ("0.5.1", "1.2.1", "1.4.0")
    )

    @pytest.mark.parametrize(
        ("line", "expected"),
        [
            ("--secure-serving=false --v 2", []),
            ("--secure-serving --v 2", []),
            ("--secure-serving false --v 2", [("--secure-serving", "ignored")]),
            ("--secure-serving true --v 2", []),
            ("--secure-serving $(SECURE) --v 2", []),
            ("--secure-serving=no", [("--secure-serving", "choice")]),
            ("-v 2 -v=4", []),
            ("--pool-nmae x", [("--pool-nmae", "unknown")]),
        ],
    )
    @pytest.mark.parametrize("image", [STANDARD, NEW])
    def test_booleans(self, image: str, line: str, expected: list[tuple[str, str]]) -> None:
        assert problems("epp", image, line) == expected

    @pytest.mark.parametrize(
        ("image", "line", "expected"),
        [
            (OLD, "-poolName x --grpcPort 9002 -secureServing=false", []),
            (OLD, "-secureServing false", [("-secureServing", "ignored")]),
            (OLD, "--pool-name x", [("--pool-name", "later")]),
            (STANDARD, "-pool-name x", []),
            (STANDARD, "-poolName x", [("-poolName", "gone")]),
            (NEW, "-pool-name x", [("-pool-name", "gone")]),
            (NEW, "--poolName x", [("--poolName", "gone")]),
            (STANDARD, "--kubeconfig x", []),
            (NEW, "--kubeconfig x", [("--kubeconfig", "gone")]),
        ],
    )
    def test_dashes_and_what_was_renamed(
        self, image: str, line: str, expected: list[tuple[str, str]]
    ) -> None:
        assert problems("epp", image, line) == expected

    @pytest.mark.parametrize(
        ("tag", "line", "expected"),
        [
            ("v0.2.1", "-poolName x -secureServing=false", []),
            ("v0.3.2", "-pool-name x --v 4", []),
            ("v0.3.2", "-poolName x", [("-poolName", "gone")]),
            ("v0.7.1", "--secure-serving false", [("--secure-serving", "ignored")]),
            ("v0.7.1", "-pool-name x", [("-pool-name", "gone")]),
        ],
    )
    def test_the_scheduler_of_llm_d(
        self, tag: str, line: str, expected: list[tuple[str, str]]
    ) -> None:
        image = f"ghcr.io/llm-d/llm-d-inference-scheduler:{tag}"
        assert problems("llm-d-scheduler", image, line) == expected

    def test_the_picker_of_llm_d_has_another_name_now(self) -> None:
        image = "ghcr.io/llm-d/llm-d-router-endpoint-picker:v0.9.0"
        assert problems("llm-d-scheduler", image, "--grpc-max-recv-msg-size=8Mi --v 2") == []
        older = "ghcr.io/llm-d/llm-d-inference-scheduler:v0.8.0"
        later = [("--grpc-max-recv-msg-size", "later")]
        assert problems("llm-d-scheduler", older, "--grpc-max-recv-msg-size=8Mi") == later


@pytest.mark.parametrize(
    ("tag", "line", "expected"),
    [
        # Two options begin so since 0.31.0, one since 0.24.0, none before.
        ("latest", "/m --device cuda", [("--device", "gone")]),
        ("v0.33.0", "/m --device cuda", [("--device", "gone")]),
        ("v0.20.0", "/m --device cuda", [("--device", "gone")]),
        ("v0.9.2", "/m --device cuda", []),
        ("v0.33.0", "/m --max-num 3", [("--max-num", "unknown")]),
        ("v0.33.0", "/m --max-model 3000", []),
    ],
)
def test_what_several_options_begin_with_is_none(
    tag: str, line: str, expected: list[tuple[str, str]]
) -> None:
    assert problems("vllm", f"vllm/vllm-openai:{tag}", line) == expected


TRTLLM = "nvcr.io/nvidia/tensorrt-llm/release:"


@pytest.mark.parametrize(
    ("tag", "line", "expected"),
    [
        ("1.0.0", "m --tp_size 2 --backend trt --extra_llm_api_options /c.yaml", []),
        ("1.0.0", "m --tp-size 2", [("--tp-size", "unknown")]),
        ("1.0.0", "m --config /c.yaml", [("--config", "later")]),
        ("1.2.0", "m --config /c.yaml --cp_size 2", []),
        ("0.20.0", "m --backend trt", [("--backend", "choice")]),
        # A candidate of a release lies between it and the one before.
        ("1.2.0rc6", "m --config /c.yaml", []),
        ("1.1.0", "m --trust_remote_code true", [("--trust_remote_code", "superfluous")]),
        # Click takes no option that is cut short.
        ("1.1.0", "m --max_batch 8", [("--max_batch", "unknown")]),
    ],
)
def test_trtllm_serve_is_read_as_click_reads_it(
    tag: str, line: str, expected: list[tuple[str, str]]
) -> None:
    assert problems("trtllm", TRTLLM + tag, line) == expected
