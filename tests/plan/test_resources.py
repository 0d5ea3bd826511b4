"""What the main container asks for."""

from types import ModuleType

from tests.plan.conftest import Make, Refused


def test_devices_are_whole_and_equal_in_requests_and_limits(make: Make, words: ModuleType) -> None:
    """C-04: a GPU's request equals its limit, and both are written."""
    made = make("Training", words.cluster(words.pool()), gpu={"count": 2}, launcher="none")
    assert made.requests["nvidia.com/gpu"] == made.limits["nvidia.com/gpu"] == "2"


def test_the_pools_own_resource_name_is_asked_for(make: Make, words: ModuleType) -> None:
    amd = words.pool("mi300", "MI300X")
    amd["gpu"]["resource"] = "amd.com/gpu"
    made = make("Training", words.cluster(amd))
    assert made.requests["amd.com/gpu"] == made.limits["amd.com/gpu"] == "1"
    assert "nvidia.com/gpu" not in made.requests


def test_host_resources_are_the_nodes_share_per_gpu(make: Make, words: ModuleType) -> None:
    """C-13: a pod takes the part of a node that goes with its GPUs, less what is reserved."""
    made = make("Training", words.cluster(words.pool()), gpu={"count": 2}, launcher="none")
    assert made.requests["cpu"] == "32"
    assert made.requests["memory"] == "256Gi"
    assert "2/8 of the 128 CPUs (132 less 4 reserved)" in made.reason(
        "spec.template.spec.containers[0].resources.requests.cpu"
    )


def test_memory_and_disk_limits_equal_their_requests_and_cpu_has_none(make: Make) -> None:
    made = make("Training")
    for name in ("memory", "ephemeral-storage"):
        assert made.requests[name] == made.limits[name]
    assert "cpu" not in made.limits


def test_a_cpu_limit_is_there_when_it_is_asked_for(make: Make) -> None:
    made = make("Training", resources={"cpu": 4, "cpuLimit": 8})
    assert (made.requests["cpu"], made.limits["cpu"]) == ("4", "8")


def test_a_memory_limit_above_the_request_bounds_shared_memory_and_is_not_counted(
    make: Make, words: ModuleType
) -> None:
    asked = {"memory": "900Gi", "memoryLimit": "4Ti"}
    made = make("Training", words.cluster(words.pool()), gpu={"count": 8}, resources=asked)
    assert (made.requests["memory"], made.limits["memory"]) == ("900Gi", "4Ti")
    assert made.volumes["shm"]["emptyDir"]["sizeLimit"] == "2048Gi"
    path = "spec.template.spec.containers[0].resources.limits.memory"
    assert "the pod is killed before pods that stay within their request" in made.reason(path)
    path = "spec.template.spec.containers[0].resources.requests.memory"
    assert made.reason(path) == "set in the spec"


def test_weights_need_room_below_the_limit_and_not_below_the_request(make: Make) -> None:
    asked = {"memory": "4Gi", "memoryLimit": "64Gi"}
    made = make("Inference", gpu={"models": ["A100-80GB"]}, resources=asked)
    assert "is below" not in made.loud()
    small = make("Inference", gpu={"models": ["A100-80GB"]}, resources={"memory": "4Gi"})
    assert "memory 4Gi is below" in small.loud()


def test_each_resource_is_the_least_of_all_pools(make: Make, words: ModuleType) -> None:
    """One pod for two pools: little CPU on one, little memory on the other."""
    poor_cpu, poor_memory = words.pool("one"), words.pool("two")
    poor_cpu["allocatable"]["cpu"] = 44
    poor_memory["allocatable"]["memory"] = "272Gi"
    made = make("Training", words.cluster(poor_cpu, poor_memory))
    assert (made.requests["cpu"], made.requests["memory"]) == ("5", "32Gi")


def test_sidecars_come_out_of_the_share(make: Make, words: ModuleType) -> None:
    side = {"name": "log", "image": "log:1", "resources": {"cpu": 2, "memory": "8Gi"}}
    made = make("Training", words.cluster(words.pool()), sidecars=[side])
    assert (made.requests["cpu"], made.requests["memory"]) == ("14", "120Gi")


def test_host_memory_covers_loading_the_weights(make: Make, words: ModuleType) -> None:
    """C-41: CPU memory is another thing than GPU memory, and loading needs it."""
    small = words.pool()
    small["allocatable"]["memory"] = "144Gi"
    model = {"id": "m", "size": "40Gi", "source": {"pvc": "weights"}}
    made = make("Inference", words.cluster(small), model=model)
    assert words.number(made.requests["memory"]) >= 40 * 2**30
    assert "40Gi to load the weights" in made.reason(
        "spec.template.spec.containers[0].resources.requests.memory"
    )
    # 48Gi each: the node's 128Gi are enough for two of the eight.
    assert "fits 2 such pods, not 8" in made.loud()
    assert "6 GPUs of it stay idle" in made.loud()


def test_what_is_assumed_of_a_node_is_said_where_it_decides(make: Make, words: ModuleType) -> None:
    untold = words.pool("untold")
    del untold["allocatable"]
    tall = words.pool("tall")
    tall["allocatable"]["memory"] = "9000Gi"
    made = make("Inference", words.cluster(untold, tall), resources={"memory": "8000Gi"})
    assert "pool untold is left out: a node leaves" in made.notes()
    assert "set `allocatable` of the pool), a pod needs" in made.notes()


def test_a_pool_whose_nodes_cannot_load_the_weights_is_left_out(
    make: Make, words: ModuleType
) -> None:
    tiny = words.pool("tiny")
    tiny["allocatable"]["memory"] = "40Gi"
    model = {"id": "m", "size": "40Gi", "source": {"pvc": "weights"}}
    made = make("Inference", words.cluster(tiny, words.pool()), model=model)
    assert (
        "pool tiny is left out: a node leaves 24Gi of memory (40Gi less 16Gi reserved), a pod needs 48Gi"
        in made.notes()
    )


def test_no_node_with_enough_memory_is_a_refusal_with_the_arithmetic(
    refused: Refused, words: ModuleType
) -> None:
    tiny = words.pool("tiny")
    tiny["allocatable"]["memory"] = "40Gi"
    model = {"id": "m", "size": "40Gi", "source": {"pvc": "weights"}}
    text = refused("Inference", words.cluster(tiny), model=model)
    assert "a pod needs 48Gi: 4Gi for the processes + 4Gi for each of 1 GPU + 40Gi" in text


def test_memory_below_what_loading_needs_is_said(make: Make, words: ModuleType) -> None:
    """C-41: the spec's own number stays, with a word."""
    made = make("Inference", words.cluster(words.pool()), resources={"memory": "8Gi"})
    assert made.requests["memory"] == "8Gi"
    assert "memory 8Gi is below 24Gi" in made.loud()


def test_asking_for_more_than_the_share_says_how_many_gpus_stay_idle(
    make: Make, words: ModuleType
) -> None:
    """C-13: CPU beyond the share strands the node's other GPUs."""
    made = make("Training", words.cluster(words.pool()), resources={"cpu": 40})
    assert "fits 3 such pods, not 8: 40 of its 128 CPUs each; 5 GPUs" in made.loud()


def test_pod_slots_count_too(make: Make, words: ModuleType) -> None:
    few = words.pool()
    few["allocatable"]["pods"] = 5
    made = make("Training", words.cluster(few))
    assert "fits 5 such pods, not 8: it has 5 pod slots" in made.loud()


def test_a_large_init_container_counts_although_it_runs_first(
    make: Make, words: ModuleType
) -> None:
    first = {"name": "unpack", "image": "unpack:1", "resources": {"memory": "512Gi"}}
    made = make("Training", words.cluster(words.pool()), initContainers=[first])
    assert "fits 2 such pods, not 8: 512Gi of its 1024Gi" in made.loud()


def test_helpers_count_when_a_pool_is_judged(refused: Refused, words: ModuleType) -> None:
    side = {"name": "db", "image": "db:1", "resources": {"cpu": 100}}
    text = refused("Training", words.cluster(words.pool()), sidecars=[side], resources={"cpu": 30})
    assert "a node leaves 128 CPUs for pods (132 less 4 reserved), a pod requests 130" in text


def test_scratch_beyond_the_share_of_the_disk_leaves_a_pool_out(
    refused: Refused, words: ModuleType
) -> None:
    small = words.pool()
    small["allocatable"]["ephemeralStorage"] = "180Gi"
    text = refused("Training", words.cluster(small))
    assert "the disk for 1 GPU of a node is 10Gi, a pod needs 15Gi" in text
    assert "resources.ephemeralStorage" in text


def test_the_specs_own_disk_is_taken_and_bounds_every_scratch_volume(
    make: Make, words: ModuleType
) -> None:
    small = words.pool()
    small["allocatable"]["ephemeralStorage"] = "180Gi"
    made = make("Training", words.cluster(small), resources={"ephemeralStorage": "3Gi"})
    assert made.requests["ephemeral-storage"] == "3Gi"
    assert made.volumes["home"]["emptyDir"] == {"sizeLimit": "3Gi"}
    assert made.volumes["tmp"]["emptyDir"] == {"sizeLimit": "3Gi"}


def test_disk_covers_what_the_scratch_volumes_may_hold(make: Make, words: ModuleType) -> None:
    made = make("Training", volumes=[{"mount": "/spill", "size": "50Gi"}])
    scratch = [v["emptyDir"]["sizeLimit"] for v in made.volumes.values() if "emptyDir" in v]
    whole = sum(map(words.number, scratch))
    assert words.number(made.requests["ephemeral-storage"]) >= whole


def test_a_download_without_a_claim_finds_room_on_the_disk(make: Make, words: ModuleType) -> None:
    hub = {"id": "m", "size": "100Gi", "source": {"hub": {}}}
    without = make("Inference", model=hub, gpu={"models": ["H200-141GB"]})
    assert words.number(without.requests["ephemeral-storage"]) > 110 * 2**30
    hub["source"] = {"hub": {"cache": "hub-cache"}}
    kept = make("Inference", model=hub, gpu={"models": ["H200-141GB"]})
    assert words.number(kept.requests["ephemeral-storage"]) < 30 * 2**30


def test_several_gpus_get_shared_memory_inside_the_memory_limit(
    make: Make, words: ModuleType
) -> None:
    """C-42: 64 MiB of /dev/shm are not enough for NCCL."""
    made = make("Inference", words.cluster(words.pool()), gpu={"count": 4})
    shm = made.volumes["shm"]["emptyDir"]
    assert shm["medium"] == "Memory"
    assert words.number(shm["sizeLimit"]) < words.number(made.limits["memory"])
    assert made.mounts["/dev/shm"]["name"] == "shm"


def test_data_loaders_get_shared_memory_by_their_number(make: Make) -> None:
    """C-42: loaders hand their batches over in /dev/shm."""
    made = make("Training", dataLoaders=4, resources={"memory": "32Gi"})
    assert made.volumes["shm"]["emptyDir"]["sizeLimit"] == "2Gi"


def test_one_gpu_and_no_loader_need_no_shared_memory(make: Make) -> None:
    assert "shm" not in make("Training").volumes


def test_shared_memory_never_takes_more_than_half_of_a_small_limit(make: Make) -> None:
    made = make("Training", dataLoaders=16, resources={"memory": "4Gi"})
    assert made.volumes["shm"]["emptyDir"]["sizeLimit"] == "2Gi"
    assert "cut to half" in made.reason("spec.template.spec.volumes[2]")


def test_shared_memory_that_the_spec_asks_for_enlarges_the_memory(
    make: Make, words: ModuleType
) -> None:
    small = words.pool()
    small["allocatable"]["memory"] = "144Gi"
    made = make("Training", words.cluster(small), resources={"shm": "32Gi"})
    assert made.volumes["shm"]["emptyDir"]["sizeLimit"] == "32Gi"
    assert words.number(made.limits["memory"]) > 32 * 2**30


def test_without_a_profile_the_smallest_common_machine_decides_and_is_named(make: Make) -> None:
    made = make("Training", gpu={"models": ["H100-80GB"]})
    reason = made.reason("spec.template.spec.containers[0].resources.requests.cpu")
    assert "the profile has no pools" in reason and "less 10 %" in reason


def test_without_a_profile_only_models_of_the_envelope_bound_the_share(
    make: Make, words: ModuleType
) -> None:
    """T4 machines are small; a pod that asks for 40Gi never lands on one."""
    any_gpu, large = make("Training"), make("Training", gpu={"memory": "40Gi"})
    memory = [words.number(made.requests["memory"]) for made in (any_gpu, large)]
    assert memory[0] < memory[1]


def test_what_is_reserved_unasked_stands_in_the_sum(refused: Refused, words: ModuleType) -> None:
    pool = words.pool()
    del pool["reserved"]
    text = refused("Training", words.cluster(pool), resources={"cpu": 132})
    assert "131 CPUs for pods (132 less 1 reserved), a pod requests 132" in text


def test_quantities_are_said_as_people_write_them(refused: Refused, words: ModuleType) -> None:
    """Of 1.9Ti the API server makes 2089072092774400m."""
    pool = words.pool()
    pool["allocatable"]["memory"] = "1.9Ti"
    text = refused("Training", words.cluster(pool), resources={"memory": "2Ti"})
    assert "(1945.6Gi less 16Gi reserved)" in text
