"""What a node leaves for pods, a GPU's share of it, and how many pods fit."""

from hypothesis import given
from hypothesis import strategies as st

from gpuspec import fleet, hardware
from gpuspec.hardware import GpuModel
from tests.fleet.conftest import MakePool

GIB = 1 << 30


def a100() -> GpuModel:
    return hardware.find("A100-80GB")[0]


def test_a_node_leaves_what_is_allocatable_less_what_daemonsets_reserve(pool: MakePool) -> None:
    node = fleet.host(
        pool(
            allocatable={
                "cpu": "95.5",
                "memory": "1000Gi",
                "ephemeralStorage": "700Gi",
                "pods": 60,
            },
            reserved={"cpu": "1500m", "memory": "40Gi", "ephemeralStorage": "100Gi"},
        ),
        a100(),
    )
    assert node == fleet.Host(cpu=94_000, memory=960 * GIB, disk=600 * GIB, gpus=8, pods=60)


def test_disk_is_unknown_where_the_profile_does_not_say(pool: MakePool) -> None:
    node = fleet.host(pool(allocatable={"cpu": 96, "memory": "1000Gi"}), a100())
    assert node is not None and node.disk is None


def test_without_allocatable_the_least_common_machine_counts(pool: MakePool) -> None:
    """The machines that people have, less a tenth for the system and the DaemonSets' part."""
    node = fleet.host(pool(), a100())
    common = hardware.common_share(a100())
    assert node is not None and common is not None
    assert node.cpu == common.cpu * 8 * 900 - 1000
    assert node.memory < common.memory * 8 * 9 // 10


def test_a_gpu_that_no_common_machine_has_leaves_the_node_unknown(pool: MakePool) -> None:
    unknown = next(m for m in hardware.models() if not hardware.node_shapes(m))
    assert fleet.host(pool(unknown.name), unknown) is None
    assert fleet.common_share([unknown]) is None


def test_common_shares_are_the_least_of_all_models_and_name_their_machines() -> None:
    small, large = hardware.find("T4")[0], a100()
    both = fleet.common_share([large, small])
    alone = fleet.common_share([small])
    assert both is not None and alone is not None
    assert both.share == alone.share
    assert both.cpu_from in hardware.node_shapes(small)


@given(
    gpus=st.integers(1, 16),
    per_pod=st.integers(1, 16),
    cpu=st.integers(1, 500_000),
    memory=st.integers(1, 4000 * GIB),
    disk=st.one_of(st.none(), st.integers(1, 9000 * GIB)),
)
def test_pods_of_their_share_leave_no_gpu_without_room(
    gpus: int, per_pod: int, cpu: int, memory: int, disk: int | None
) -> None:
    """C-13: the share is rounded down, so that the last GPU of a node still finds room."""
    if per_pod > gpus:
        return
    node = fleet.Host(cpu=cpu, memory=memory, disk=disk, gpus=gpus)
    part = fleet.share(node, per_pod)
    assert fleet.slots(node, part) == gpus // per_pod
    assert part.cpu * gpus <= cpu * per_pod


def test_every_resource_bounds_the_number_of_pods() -> None:
    node = fleet.Host(cpu=64_000, memory=256 * GIB, disk=100 * GIB, gpus=8, pods=20)
    shape = fleet.Host(cpu=16_000, memory=16 * GIB, disk=50 * GIB, gpus=1)
    assert fleet.bounds(node, shape) == {
        "pod slots": 20,
        "GPUs": 8,
        "CPU": 4,
        "memory": 16,
        "disk": 2,
    }
    assert fleet.slots(node, shape) == 2


def test_what_is_not_asked_for_or_not_known_bounds_nothing() -> None:
    node = fleet.Host(cpu=64_000, memory=256 * GIB, disk=None, gpus=8, pods=20)
    shape = fleet.Host(cpu=0, memory=0, disk=50 * GIB, gpus=0)
    assert fleet.bounds(node, shape) == {"pod slots": 20}


@given(
    st.integers(1, 200_000),
    st.integers(1, 8),
    st.lists(st.tuples(st.integers(1, 7), st.integers(1, 40)), min_size=1, max_size=4),
)
def test_shares_of_all_kinds_find_room_together(
    cpu: int, gpus: int, layout: list[tuple[int, int]]
) -> None:
    """C-13, C-15: whatever the layout, a node has room for all that its GPUs are cut into."""
    node = fleet.Host(cpu=cpu, memory=cpu * GIB, disk=None, gpus=gpus)
    total = sum(per_gpu * size for per_gpu, size in layout)
    taken = 0
    for per_gpu, size in layout:
        part = fleet.divided(node, node.gpus * per_gpu, per_gpu * size, total)
        assert part.gpus == gpus * per_gpu and part.disk is None
        taken += fleet.share(part, 1).cpu * part.gpus
    assert taken <= cpu


def test_shares_alike_have_equal_parts(pool: MakePool) -> None:
    """C-13: a seventh of a GPU is a seventh of what goes with it."""
    node = fleet.Host(cpu=56_000, memory=112 * GIB, disk=560 * GIB, gpus=8)
    part = fleet.share(fleet.divided(node, node.gpus * 7, 7 * 10, 7 * 10), 1)
    assert (part.cpu, part.memory, part.disk) == (1000, 2 * GIB, 10 * GIB)
