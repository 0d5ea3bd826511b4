"""What is worked out when somebody asks: once for each object, and once for each run."""

from gpuspec.lint.context import Context, kept_in_run
from gpuspec.objects.collection import Collection
from gpuspec.objects.lazy import lazy
from gpuspec.objects.objects import Object, Pod


class Counted:
    def __init__(self) -> None:
        self.asked = 0

    @lazy
    def value(self) -> list[int]:
        """A value."""
        self.asked += 1
        return [self.asked]


def test_a_lazy_property_is_made_at_the_first_question_and_kept() -> None:
    one, other = Counted(), Counted()
    assert one.asked == 0
    assert one.value is one.value
    assert (one.asked, other.asked) == (1, 0)
    assert other.value == [1]


def test_what_is_kept_in_a_run_is_worked_out_again_for_another_run() -> None:
    asked: list[Context] = []

    @kept_in_run
    def answer(pod: Pod, context: Context) -> int:
        asked.append(context)
        return len(asked)

    owner = Object({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {}})
    (pod,) = owner.pods
    first, second = Context(Collection()), Context(Collection())
    assert [answer(pod, first), answer(pod, first), answer(pod, second)] == [1, 1, 2]
    assert asked == [first, second]
