"""LoRA adapters beside the model, and the template for chats: what servers are told, and see."""

from types import ModuleType

from tests.plan.conftest import Make, Refused

MODEL = {"id": "org/m", "size": "16Gi", "source": {"pvc": "weights"}}
SQL = {"name": "sql", "source": {"pvc": "adapters", "path": "sql"}, "rank": 60}
CHAT = {"name": "chat_v1.2", "source": {"pvc": "adapters", "path": "chat"}, "rank": 8}
VLLM = "vllm/vllm-openai:v0.33.0"
SGLANG = "lmsysorg/sglang:v0.5.23"


def test_vllm_is_told_each_adapter_and_the_room_for_the_largest(make: Make) -> None:
    """It takes certain ranks alone: 60 needs the room of 64."""
    made = make("Inference", runtime="vllm", image=VLLM, model=MODEL, adapters=[SQL, CHAT])
    args = made.main["args"]
    start = args.index("--enable-lora")
    assert args[start : start + 6] == [
        *("--enable-lora", "--lora-modules"),
        *("sql=/adapters/sql", "chat_v1.2=/adapters/chat_v1.2"),
        *("--max-lora-rank", "64"),
    ]


def test_sglang_reads_the_rank_from_the_files(make: Make) -> None:
    made = make("Inference", runtime="sglang", image=SGLANG, model=MODEL, adapters=[SQL])
    args = made.main["args"]
    assert args[args.index("--lora-paths") + 1] == "sql=/adapters/sql"
    assert "--max-lora-rank" not in args
    assert "rank" not in made.loud()


def test_adapters_of_one_claim_are_folders_of_one_volume(make: Make) -> None:
    made = make("Inference", runtime="vllm", image=VLLM, model=MODEL, adapters=[SQL, CHAT])
    mounts = [made.mounts[f"/adapters/{name}"] for name in ("sql", "chat_v1.2")]
    assert [mount["subPath"] for mount in mounts] == ["sql", "chat"]
    assert all(mount["readOnly"] for mount in mounts)
    (volume,) = {mount["name"] for mount in mounts}
    claim = made.volumes[volume]["persistentVolumeClaim"]
    assert claim == {"claimName": "adapters", "readOnly": True}


def test_an_adapter_of_the_hub_is_named_as_the_hub_does(make: Make) -> None:
    model = {"id": "org/m", "size": "16Gi", "source": {"hub": {"tokenSecret": "hf"}}}
    adapter = {"name": "sql", "source": {"hub": "org/sql-lora"}}
    made = make("Inference", runtime="vllm", image=VLLM, model=model, adapters=[adapter])
    assert "sql=org/sql-lora" in made.main["args"]
    assert "HF_TOKEN" in made.env
    assert not any(path.startswith("/adapters") for path in made.mounts)


def test_a_rank_that_nobody_said_is_assumed(make: Make) -> None:
    """Above it vLLM refuses the adapter."""
    silent = {"name": "sql", "source": {"pvc": "adapters"}}
    made = make("Inference", runtime="vllm", image=VLLM, model=MODEL, adapters=[silent])
    assert "adapters are of rank 16 at most" in made.loud()
    assert "--max-lora-rank" not in made.main["args"]


def test_a_small_rank_takes_no_room_from_one_that_nobody_said(make: Make) -> None:
    silent = {"name": "sql", "source": {"pvc": "adapters"}}
    made = make("Inference", runtime="vllm", image=VLLM, model=MODEL, adapters=[silent, CHAT])
    args = made.main["args"]
    assert args[args.index("--max-lora-rank") + 1] == "16"


def test_a_claim_of_adapters_is_held_by_its_node_like_any_other(
    make: Make, words: ModuleType
) -> None:
    storage = {"classes": {"disk": {"accessModes": ["ReadWriteOnce"]}}}
    profile = words.cluster(storage={**storage, "claims": {"adapters": "disk"}})
    made = make("Inference", profile, model=MODEL, replicas=2, adapters=[SQL])
    assert "claim adapters has storage class disk" in made.loud()


def test_an_adapter_in_an_image_needs_a_newer_kubernetes(
    refused: Refused, words: ModuleType
) -> None:
    profile = {**words.cluster()}
    profile["spec"]["kubernetes"] = "1.35"
    adapter = {"name": "sql", "source": {"image": "ghcr.io/example/sql:1"}}
    said = refused("Inference", profile, model=MODEL, adapters=[adapter])
    assert "ghcr.io/example/sql:1 as a volume needs Kubernetes 1.36" in said


def test_a_template_of_a_config_map_is_mounted_and_told(make: Make) -> None:
    template = {"configMap": "chat", "key": "llama.jinja"}
    made = make("Inference", runtime="sglang", image=SGLANG, model=MODEL, chatTemplate=template)
    args = made.main["args"]
    assert args[args.index("--chat-template") + 1] == "/chat-template/llama.jinja"
    mount = made.mounts["/chat-template"]
    assert made.volumes[mount["name"]] == {"name": mount["name"], "configMap": {"name": "chat"}}


def test_a_template_in_the_image_is_told(make: Make) -> None:
    template = {"path": "/models/chat.jinja"}
    made = make("Inference", runtime="vllm", image=VLLM, model=MODEL, chatTemplate=template)
    args = made.main["args"]
    assert args[args.index("--chat-template") + 1] == "/models/chat.jinja"
    assert "/chat-template" not in made.mounts


def test_tgi_is_told_of_folders_in_a_variable(make: Make) -> None:
    """The rank is read from the files."""
    made = make("Inference", runtime="tgi", image="own:1", model=MODEL, adapters=[SQL, CHAT])
    assert made.env["LORA_ADAPTERS"] == "sql=/adapters/sql,chat_v1.2=/adapters/chat_v1.2"
    assert {"/adapters/sql", "/adapters/chat_v1.2"} <= made.mounts.keys()
    assert not any("lora" in word for word in made.main["args"])
    assert "rank" not in made.loud()


def test_nim_finds_them_in_their_folder_under_their_names(make: Make) -> None:
    nim = {"runtime": "nim", "image": "nvcr.io/nim/nvidia/llm-nim:2.1.6", "model": MODEL}
    made = make("Inference", adapters=[SQL, CHAT], **nim)
    assert made.env["NIM_PEFT_SOURCE"] == "/adapters"
    assert {"/adapters/sql", "/adapters/chat_v1.2"} <= made.mounts.keys()
    assert made.env["NIM_PASSTHROUGH_ARGS"] == "--max-lora-rank 64"
    assert made.env["NIM_MAX_LORA_RANK"] == "64"


def test_on_a_share_nim_is_handed_both(make: Make, words: ModuleType) -> None:
    """One variable holds what it hands on to vLLM."""
    sharing = {"mode": "mps", "replicas": 2}
    profile = words.cluster(words.pool(sharing=sharing))
    made = make(
        "Inference",
        profile,
        runtime="nim",
        image="nvcr.io/nim/nvidia/llm-nim:2.1.6",
        model=MODEL,
        adapters=[SQL],
        gpu={"memory": "24Gi"},
        latency="relaxed",
    )
    handed = made.env["NIM_PASSTHROUGH_ARGS"].split()
    assert "--max-lora-rank" in handed and "--gpu-memory-utilization" in handed


def test_what_a_variable_of_the_specs_own_leaves_out_is_said(make: Make) -> None:
    nim = {"runtime": "nim", "image": "nvcr.io/nim/nvidia/llm-nim:2.1.6", "model": MODEL}
    own = {"NIM_PASSTHROUGH_ARGS": "--max-num-seqs 8"}
    said = "env NIM_PASSTHROUGH_ARGS replaces `--max-lora-rank 64`"
    assert said in make("Inference", adapters=[SQL], env=own, **nim).loud()
    both = {"NIM_PASSTHROUGH_ARGS": "--max-num-seqs 8 --max-lora-rank 64"}
    assert said not in make("Inference", adapters=[SQL], env=both, **nim).loud()
