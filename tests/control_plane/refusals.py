"""Who refuses what the linter calls an error: for each rule, what becomes of its page's *wrong* manifests.

One entry for each manifest, in the page's order; a single entry stands for all of them. What is
refused is proved by `test_refusals.py`, and so is that the rest is accepted; why that is an error
all the same stands here in words of the rule's page.
"""

from functools import cache
from typing import Literal, NamedTuple

from gpuspec.lint.rows import ROWS
from tests.control_plane.verdicts import By, Level
from tests.lint.pages import Block, page

Then = Literal["pends", "waits", "fails", "refused elsewhere", "not sent"]
"""What becomes of what the API server accepts: its pods get no node; it waits for ever, without an
error; it runs and does not do its work; something that does not run here refuses it (an operator, a
kubelet, another scheduler, the organisation's policy); it is no object of the cluster, or of a kind that is not installed there."""


class Refused(NamedTuple):
    """By whom, and a part of what is said, as a pattern."""

    by: By
    said: str
    level: Level = "privileged"
    """The level of Pod Security of the namespace."""


class Accepted(NamedTuple):
    """What happens later, and how the rule's page says so."""

    then: Then
    why: str


SERVER: By = "API server"
PODS: By = "controller"

TABLE: dict[str, tuple[Refused | Accepted, ...]] = {
    "GPU001": (Refused(SERVER, 'key "limits" already set'),),
    "GPU002": (Accepted("not sent", "Nothing is rendered from it"),),
    "GPU003": (Accepted("not sent", "its pods would stay Pending"),),
    "GPU004": (Refused(SERVER, "name or generateName is required"),),
    "GPU010": (
        Refused(SERVER, r'unknown field "spec\.priorityClassName"'),
        Refused(SERVER, r'unknown field "spec\.clusterqueue"'),
    ),
    "GPU011": (Refused(SERVER, r"cannot unmarshal number .* of type string"),),
    "GPU012": (
        Accepted("waits", "the queue is accepted, and it never admits anything"),
        Refused(SERVER, r"spec\.maxReplicas: .*must be greater than or equal to"),
    ),
    "GPU013": (Refused(SERVER, "could not find the requested resource"),),
    "GPU014": (
        Refused(SERVER, "must be no more than 15 characters"),
        Refused(SERVER, "lowercase RFC 1123 subdomain"),
    ),
    "GPU015": (
        Refused(SERVER, r'serviceaccount "\$\{SERVICE_ACCOUNT\}" not found'),
        Refused(SERVER, 'serviceaccount "<service account>" not found'),
    ),
    "GPU017": (
        Refused(SERVER, 'Unsupported value: "always"'),
        Refused(SERVER, "a value must be empty when 'operator' is 'Exists'"),
        Refused(SERVER, "undefined field 'attribute'"),
        Refused("Kueue", "must not be greater than pod set count 4"),
        Refused(PODS, "may not specify more than 1 handler type"),
    ),
    "GPU018": (
        Accepted("refused elsewhere", "The API server takes any text."),
        Accepted("not sent", "eksctl (`ClusterConfig`)"),
    ),
    "GPU020": (Refused(PODS, "image: Required value"),),
    "GPU021": (Accepted("waits", "stay in `ContainerCreating`"),),
    "GPU022": (Accepted("waits", "a pod stays Pending or in `CreateContainerConfigError`"),),
    "GPU028": (Accepted("fails", "The route is accepted, and answers 500"),),
    "GPU101": (Refused(SERVER, "must be an integer"),),
    "GPU102": (
        Refused(SERVER, r"must be equal to nvidia\.com/gpu limit of 2"),
        Refused(SERVER, "Limit must be set for non overcommitable resources"),
    ),
    "GPU103": (
        Refused(SERVER, "must be a standard resource"),
        Accepted("pends", "no node advertises the resource, and the pod stays Pending"),
        Refused(SERVER, "must be a standard resource"),
    ),
    "GPU104": (
        Accepted("fails", "the pod is accepted, runs without a GPU"),
        Refused(SERVER, "quantities must match"),
    ),
    "GPU107": (Refused(SERVER, r"failed quota: team: must specify requests\.cpu"),),
    "GPU110": (Accepted("waits", "some replicas exist, some do not"),),
    "GPU112": (Accepted("fails", "which no runtime can pull: the driver never loads"),),
    "GPU201": (Accepted("pends", "the pod stays Pending although GPUs are free"),),
    "GPU203": (Accepted("pends", "The pod stays Pending"),),
    "GPU205": (Accepted("pends", "The scheduler says `Insufficient cpu`"),),
    "GPU206": (Accepted("waits", "the DaemonSet desires 0 pods and reports no fault"),),
    "GPU209": (Accepted("fails", "the container ends with `exec format error`"),),
    "GPU211": (Accepted("fails", "The process finds no `libcuda.so`"),),
    "GPU212": (
        Refused(SERVER, "value must be empty when `operator` is 'Exists'"),
        Refused(SERVER, "effect must be 'NoExecute' when `tolerationSeconds` is set"),
        Refused(SERVER, "may not be specified when `operator` is 'Exists'"),
    ),
    "GPU214": (Accepted("pends", "The pods stay Pending although the cloud has the GPUs."),),
    "GPU301": (Accepted("refused elsewhere", "the kubelet refuses the pod"),),
    "GPU302": (Accepted("pends", "The pod stays Pending"),),
    "GPU303": (Accepted("pends", "the autoscaler finds that none would fit, and adds none"),),
    "GPU306": (Accepted("refused elsewhere", "The plugin ends if it cannot read"),),
    "GPU311": (Accepted("pends", "No node advertises another name, and the pod stays Pending."),),
    "GPU312": (Accepted("pends", "the pod stays Pending next to idle slices"),),
    "GPU316": (Refused(SERVER, r"unknown field .*\.deviceClassName"),),
    "GPU318": (
        Accepted("refused elsewhere", "in a way that they refuse or ignore"),
        Accepted("fails", "HAMi ignores the percentage"),
        Accepted("fails", "no card has that much, and the pod gets no GPU"),
        Accepted("waits", "and so gets all of it"),
        Accepted("waits", "and so gets all of it"),
    ),
    "GPU319": (Accepted("fails", "The GPUs stay as they were"),),
    "GPU403": (Accepted("waits", "A gang that does not fit never starts"),),
    "GPU405": (Accepted("pends", "a pod without a free node or zone stays Pending"),),
    "GPU410": (Accepted("not sent", "The pods are accepted and stay Pending next to free GPUs"),),
    "GPU411": (Accepted("waits", "the rollout hangs with GPUs free beside it"),),
    "GPU415": (Accepted("pends", "The pod stays Pending, and the autoscaler adds nothing for it"),),
    "GPU416": (Accepted("waits", "the workload stays pending next to free quota"),),
    "GPU417": (
        Accepted(
            "refused elsewhere",
            "None of this is in the schema, so every check before the cluster passes",
        ),
    ),
    "GPU501": (Accepted("fails", "the kubelet ends the container, which begins again"),),
    "GPU502": (Accepted("fails", "the kubelet ends the container, and it starts again"),),
    "GPU506": (Accepted("fails", "A failed startup or liveness probe ends the container"),),
    "GPU507": (Accepted("fails", "Every probe fails, on an idle server too"),),
    "GPU511": (
        Accepted("fails", "the kubelet kills the container and cuts the running requests"),
        Refused(SERVER, r"less than terminationGracePeriodSeconds"),
        Refused(SERVER, r"less than terminationGracePeriodSeconds"),
    ),
    "GPU512": (Accepted("waits", "the rollout hangs"),),
    "GPU513": (Refused(SERVER, "may not be specified when strategy `type` is 'Recreate'"),),
    "GPU519": (Accepted("pends", "stays Pending, and the autoscaler adds nothing for it"),),
    "GPU601": (
        Refused("Pod Security", r'"baseline:latest": host namespaces', "baseline"),
        Refused("Pod Security", r'"baseline:latest": non-default capabilities', "baseline"),
    ),
    "GPU602": (
        Refused("Pod Security", "allowPrivilegeEscalation != false", "restricted"),
        Refused("Pod Security", "runAsNonRoot != true", "restricted"),
    ),
    "GPU613": (Accepted("fails", "The server ends while it starts"),),
    "GPU615": (Accepted("refused elsewhere", "the organisation's admission policy refuses"),),
    "GPU616": (Accepted("refused elsewhere", "the organisation's admission policy refuses it"),),
    "GPU617": (Accepted("refused elsewhere", "the organisation's admission policy refuses it"),),
    "GPU703": (
        Accepted("waits", "If the number is too large, the gang never starts"),
        *3 * (Accepted("fails", "If it is too small, the scheduler starts as many pods as fit"),),
    ),
    "GPU705": (
        *3 * (Accepted("fails", "The Job runs outside of its queue"),),
        Accepted("fails", "the workers are spread over racks"),
        Accepted("not sent", "its webhook refuses the Service"),
        *2 * (Accepted("fails", "It looks right in review and has no effect"),),
    ),
    "GPU706": (
        Accepted("not sent", "webhooks refuse the object"),
        Accepted("refused elsewhere", "webhooks refuse the object"),
        *3 * (Accepted("fails", "ends, or uses its default"),),
        Refused(SERVER, "must be one of privileged, baseline, restricted"),
    ),
    "GPU707": (
        Refused("Kueue", "must be set when"),
        Accepted("fails", "the volume of the dataset stays empty"),
    ),
    "GPU711": (Accepted("waits", "Kueue accepts the object."),),
    "GPU712": (Accepted("waits", "the workload waits endlessly"),),
    "GPU713": (
        Accepted(
            "waits", "A workload that is larger than the quota is accepted and waits endlessly"
        ),
    ),
    "GPU714": (
        Refused(SERVER, "flavors must have the same number of resources"),
        Refused(SERVER, "borrowingLimit must be nil when cohort is empty"),
        Refused(SERVER, r"kubernetes\.io/hostname label can only be used at the lowest level"),
    ),
    "GPU717": (
        Refused("Kueue", "should delete the cluster after finishing"),
        Refused("Kueue", "should only use autoscaling when workload slicing is enabled"),
    ),
    "GPU720": (Accepted("waits", "This one stays suspended next to free GPUs"),),
    "GPU721": (
        Refused(SERVER, 'only "Never" is supported when podFailurePolicy is specified'),
        Accepted("refused elsewhere", "JobSet fills in `OnFailure`"),
        Refused(SERVER, "requires indexed completion mode"),
    ),
    "GPU731": (Accepted("fails", "the server ends as soon as it starts"),),
    "GPU735": (Accepted("fails", "Open MPI ends before anything starts"),),
    "GPU739": (Accepted("fails", "the container fails to start, again and again"),),
    "GPU740": (Accepted("fails", "ends with the list of its options"),),
    "GPU741": (Accepted("refused elsewhere", "It refuses a job without one in its webhook"),),
    "GPU742": (Accepted("refused elsewhere", "The API server accepts all of these."),),
    "GPU743": (
        Refused("JobSet", "DependsOn can't be set for the first ReplicatedJob"),
        Refused("LeaderWorkerSet", "must not be 0 when `maxSurge` is 0"),
    ),
    "GPU744": (Accepted("waits", "Every rank holds its GPUs while it looks for rank 0"),),
    "GPU745": (Accepted("waits", "the first waits for the second, which does not exist"),),
    "GPU746": (Accepted("fails", "The server loads for minutes, sees its GPU, and ends."),),
    "GPU747": (
        Accepted("waits", "waits for a placement group that never comes"),
        Accepted("fails", "KServe ignores `pipeline` and `data`"),
    ),
    "GPU748": (Accepted("fails", "The program parses its command line first and ends."),),
    "GPU749": (Accepted("fails", "The program parses its command line first and ends"),),
    "GPU750": (
        Accepted(
            "fails", "The program compares its options before it does anything else, and ends"
        ),
    ),
    "GPU756": (Accepted("waits", "waits for the others until the timeout"),),
    "GPU757": (
        Accepted("fails", "which has no GPU and often no Ray"),
        Accepted("waits", "If no pod has that many, it waits while all of them are held"),
    ),
    "GPU774": (
        Accepted("fails", "A program that makes its cache directory as it starts ends at once"),
    ),
    "GPU775": (Accepted("waits", "stays in ContainerCreating: the driver refuses the mount"),),
    "GPU780": (
        Accepted("not sent", "Trainer's webhook compares the two and refuses the TrainJob"),
    ),
    "GPU796": (Accepted("refused elsewhere", "The pod stays in `InvalidImageName`"),),
    "GPU797": (Accepted("fails", "Every probe fails while the server answers its clients"),),
    "GPU798": (Accepted("fails", "The program turns the file into arguments"),),
    "GPU803": (
        Refused(SERVER, r"HorizontalPodAutoscaler\.autoscaling .*(metric|minReplicas)"),
        Accepted("refused elsewhere", "KEDA makes no autoscaler"),
    ),
    "GPU807": (Accepted("fails", "requests are refused while the server is ready"),),
    "GPU810": (Accepted("pends", "The further replicas stay Pending"),),
    "GPU812": (Accepted("fails", "ambiguous to Kubernetes, which lets neither scale"),),
    "GPU814": (Accepted("fails", "never becomes ready"),),
    "GPU818": (Accepted("not sent", "A worker without a connector ends at its start"),),
    "GPU820": (Accepted("fails", "reads its configuration once and ends where it is wrong"),),
    "GPU836": (
        Accepted("fails", "is killed before its program runs, after the pod has got its GPUs"),
        Accepted("pends", "A pod that requests 4000 cores stays Pending"),
    ),
    "GPU837": (Accepted("fails", "ends with `address already in use`, and loads them again"),),
    "GPU838": (Accepted("fails", "the container ends with `no such file or directory`"),),
    "GPU839": (Accepted("fails", "the container ends with `permission denied`"),),
    "GPU840": (Accepted("refused elsewhere", "The object is accepted, and its pods are not"),),
    "GPU890": (Accepted("waits", "It waits for a node that the cluster will never have"),),
    "GPU891": (Accepted("fails", "Ray rejects the configuration again and again"),),
    "GPU892": (Accepted("fails", "no task starts on them"),),
    "GPU893": (Accepted("not sent", "ends in seconds without a pod"),),
    "GPU913": (
        Refused(SERVER, "Limit must be set for non overcommitable resources"),
        Refused(SERVER, "must be equal to hugepages-2Mi limit of 5Gi"),
    ),
    "GPU915": (Accepted("refused elsewhere", "the organisation's admission policy refuses it"),),
    "GPU916": (Accepted("fails", "runs out of GPU memory, and restarts"),),
    "GPU918": (Accepted("fails", "The kubelet evicts a pod that exceeds a limit of its disk"),),
    "GPU924": (Accepted("fails", "vLLM ends: the KV cache that one sequence needs does not fit"),),
    "GPU976": (Accepted("not sent", "finds no runtime for the model, and creates no pods"),),
    "GPU978": (Accepted("fails", "The pod restarts in a loop with its GPUs"),),
}


def is_sent(told: Refused | Accepted) -> bool:
    """Whether the API server is asked about a manifest."""
    return isinstance(told, Refused) or told.then != "not sent"


SENT = tuple(code for code, told in TABLE.items() if any(map(is_sent, told)))
"""The rules of whose manifests the API server is asked about some."""


@cache
def manifests(code: str, section: Literal["Wrong", "Right"]) -> list[Block]:
    """The manifests of a rule's page."""
    (module,) = (row.module for row in ROWS if row.code == code)
    return page(module).blocks(section)


def outcomes(code: str) -> tuple[Refused | Accepted, ...]:
    """What becomes of each of a rule's *wrong* manifests."""
    told = TABLE[code]
    return told * len(manifests(code, "Wrong")) if len(told) == 1 else told
