"""GPU851: every row of the table, by settings that contradict one another and by some that do not."""

import pytest

from gpuspec.lint.model import Finding
from gpuspec.lint.rows import ROWS
from gpuspec.products.load import _contradictions
from tests.lint.pages import raised
from tests.lint.test_job_settings import JOBS
from tests.lint.test_serving_settings import SERVING
from tests.lint.test_settings_of_programs import SHOWN as OF_PROGRAMS
from tests.lint.test_settings_of_releases import SHOWN as OF_RELEASES
from tests.lint.test_stack_contradictions import SHOWN as OF_STACK

RELEASE = """apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: operator, namespace: platform}}
spec:
  interval: 1h
  chart: {{spec: {{chart: {chart}, version: {version}, sourceRef: {{kind: HelmRepository, name: n}}}}}}
  values: {values}
"""
OBJECT = """apiVersion: {api}
kind: {kind}
metadata: {{name: it, namespace: platform}}
spec: {spec}
"""
POLICY = """---
apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata: {name: cluster-policy}
spec: {operator: {defaultRuntime: containerd}}
"""
GKE = "hostPaths: {driverInstallDir: /home/kubernetes/bin/nvidia}"
FILE = "{name: RUNTIME_CONFIG_SOURCE, value: file}"
SRIOV = "resourceName: pool, nicSelector: {vendor: '15b3'}, nodeSelector: {a: b}, numVfs: 8"
NFD = "workerConfig: {configData: 'sources: {pci: {%s}}'}"
CONNECTORS = (
    """backend: {workers: [{config: {kv-transfer-config: '{"kv_connector":"NixlConnector"}'}}, """
    """{config: {kv-transfer-config: '{"kv_connector":"%s"}'}}]}"""
)
DYNAMO = "services: {Frontend: {extraPodSpec: {mainContainer: {image: 'nvcr.io/nvidia/ai-dynamo/%s:1'}}}}"
PLUGIN = (
    "{name: it, image: 'nvcr.io/nvidia/k8s-device-plugin:v0.16.1', "
    "env: [{name: FAIL_ON_INIT_ERROR, value: 'true'}]}"
)
TPU = "cloud.google.com/gke-tpu-accelerator: tpu-v5-lite-podslice"
RUNTIME = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: it}
spec:
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
            spec: {template: {spec: {containers: [{name: node, resources: {requests: {%s}}}]}}}
"""
OPERATOR = [
    # What is wrong, what is right, and a word of what is said.
    ("cdi: {enabled: false, nriPluginEnabled: true}", "cdi: {nriPluginEnabled: true}", "needs CDI"),
    (
        "cdi: {nriPluginEnabled: true}, toolkit: {enabled: false}",
        "toolkit: {enabled: false}",
        "part of the container toolkit",
    ),
    (
        "devicePlugin: {config: {create: true, name: p}}",
        "devicePlugin: {config: {create: true, name: p, data: {any: ''}}}",
        "config.data` is empty",
    ),
    (
        "devicePlugin: {config: {create: true, data: {any: ''}}}",
        "devicePlugin: {config: {create: false}}",
        "config.name` is empty",
    ),
    (
        "gpuCluster: {deployCR: true}, clusterPolicy: {deployCR: true}, driver: {enabled: false}",
        "gpuCluster: {deployCR: true}, clusterPolicy: {deployCR: false}, driver: {enabled: false}",
        "create both",
    ),
    (
        "gpuCluster: {deployCR: true}, clusterPolicy: {deployCR: false}",
        "gpuCluster: {deployCR: true}, clusterPolicy: {deployCR: false}, "
        "driver: {nvidiaDriverCRD: {enabled: true}}",
        "needs NVIDIADriver objects",
    ),
    (
        "gds: {enabled: true}, driver: {usePrecompiled: true}",
        "gds: {enabled: true}, driver: {usePrecompiled: false}",
        "GPUDirect Storage needs",
    ),
    (
        "gdrcopy: {enabled: true}, driver: {usePrecompiled: true}",
        "driver: {usePrecompiled: true}",
        "GDRCopy needs",
    ),
    (
        "gdrcopy: {enabled: true}, driver: {enabled: false}",
        "gdrcopy: {enabled: false}, driver: {enabled: false}",
        "run in the driver's pods",
    ),
    (
        "driver: {enabled: false, rdma: {enabled: true}}",
        "driver: {enabled: false, rdma: {useHostMofed: true}}",
        "nvidia-peermem",
    ),
    (
        "devicePlugin: {env: [{name: DEVICE_LIST_STRATEGY, value: envvar}]}",
        "cdi: {enabled: false}, devicePlugin: {env: [{name: DEVICE_LIST_STRATEGY, value: envvar}]}",
        "DEVICE_LIST_STRATEGY",
    ),
    (
        "vgpuManager: {enabled: true, repository: r.example.com, image: m, version: '1'}",
        "vgpuManager: {enabled: true, repository: r.example.com, image: m, version: '1'}, "
        "sandboxWorkloads: {enabled: true}",
        "only for virtual machines",
    ),
    (
        "sandboxWorkloads: {defaultWorkload: vm-passthrough}",
        "sandboxWorkloads: {enabled: true, defaultWorkload: vm-passthrough}",
        "all nodes run containers",
    ),
    (
        "sandboxWorkloads: {enabled: true, defaultWorkload: vm-vgpu}",
        "sandboxWorkloads: {enabled: true, defaultWorkload: container}",
        "no virtual GPUs",
    ),
    (
        "sandboxWorkloads: {enabled: true}, vgpuManager: {enabled: true}",
        "sandboxWorkloads: {enabled: true}",
        "publishes no image",
    ),
    (
        "driver: {version: 550.54.14-grid, repository: r.example.com, image: vgpu}",
        "driver: {version: 550.54.14-grid, repository: r.example.com, image: vgpu, "
        "licensingConfig: {secretName: s}}",
        "names no licence",
    ),
    (
        "migManager: {enabled: false, config: {default: all-1g.10gb}}",
        "migManager: {enabled: false, config: {default: all-disabled}}",
        "no GPU is partitioned",
    ),
    (
        "mig: {strategy: none}, migManager: {config: {default: all-1g.10gb}}",
        "mig: {strategy: mixed}, migManager: {config: {default: all-1g.10gb}}",
        "pods cannot get them",
    ),
    (
        "dcgm: {enabled: true, version: 4.6.2-1-ubuntu24.04}, dcgmExporter: {version: 4.7.1-4.9.0-distroless}",
        "dcgm: {enabled: true, version: 4.7.1-1-ubuntu24.04}, dcgmExporter: {version: 4.7.1-4.9.0-distroless}",
        "does not start",
    ),
    (
        f"{GKE}, toolkit: {{installDir: /home/kubernetes/bin/nvidia, env: [{FILE}]}}, dcgmExporter: {{enabled: false}}",
        f"{GKE}, toolkit: {{installDir: /home/kubernetes/bin/nvidia, env: [{FILE}]}}, dcgmExporter: {{enabled: false}}, "
        "driver: {enabled: false}",
        "GKE has installed a driver",
    ),
    (
        f"{GKE}, driver: {{enabled: false}}, dcgmExporter: {{enabled: false}}, toolkit: {{env: [{FILE}]}}",
        f"{GKE}, driver: {{enabled: false}}, dcgmExporter: {{enabled: false}}, toolkit: {{enabled: false}}",
        "read-only",
    ),
    (
        f"{GKE}, driver: {{enabled: false}}, toolkit: {{enabled: false}}",
        "driver: {enabled: false}, toolkit: {enabled: false}",
        "every metric appears twice",
    ),
    (
        "toolkit: {env: [{name: CONTAINERD_CONFIG, value: /var/lib/rancher/k3s/agent/etc/containerd/config.toml}]}",
        "toolkit: {env: [{name: CONTAINERD_CONFIG, value: /var/lib/rancher/k3s/agent/etc/containerd/config.toml}, "
        "{name: CONTAINERD_SOCKET, value: /run/k3s/containerd/containerd.sock}]}",
        "`CONTAINERD_SOCKET` is not set",
    ),
    (
        "mig: {strategy: single}, migManager: {config: {default: all-balanced}}",
        "mig: {strategy: mixed}, migManager: {config: {default: all-balanced}}",
        "MIG-INVALID",
    ),
]
CHECK = (
    "controllerName: kueue.x-k8s.io/provisioning-request, parameters: {apiGroup: kueue.x-k8s.io, "
    "kind: ProvisioningRequestConfig, name: dws}"
)
VOLUMES = (
    "amiSelectorTerms: [{alias: bottlerocket@v1.44.0}], "
    "blockDeviceMappings: [{deviceName: /dev/xvda, ebs: {volumeSize: 200Gi}}"
)
OTHERS = [
    (
        "keda.sh/v1alpha1",
        "ScaledJob",
        "jobTargetRef: {template: {spec: {restartPolicy: Always}}}",
        "jobTargetRef: {template: {spec: {}}}",
        "accepts no `restartPolicy: Always`",
    ),
    (
        "keda.sh/v1alpha1",
        "ScaledJob",
        "scalingStrategy: {strategy: custom, customScalingRunningJobPercentage: 50%}",
        "scalingStrategy: {strategy: custom, customScalingRunningJobPercentage: '0.5'}",
        "KEDA uses the strategy `default`",
    ),
    (
        "sriovnetwork.openshift.io/v1",
        "SriovNetworkNodePolicy",
        f"{SRIOV}, isRdma: true, deviceType: vfio-pci",
        f"{SRIOV}, isRdma: true, deviceType: netdevice",
        "vfio-pci` replaces",
    ),
    (
        "sriovnetwork.openshift.io/v1",
        "SriovNetworkNodePolicy",
        f"{SRIOV}, linkType: IB, eSwitchMode: switchdev",
        f"{SRIOV}, linkType: eth, eSwitchMode: switchdev",
        "needs Ethernet",
    ),
    (
        "sriovnetwork.openshift.io/v1",
        "SriovNetworkNodePolicy",
        f"{SRIOV}, vdpaType: vhost",
        f"{SRIOV}, vdpaType: vhost, eSwitchMode: switchdev",
        "vdpaType",
    ),
    (
        "sriovnetwork.openshift.io/v1",
        "SriovNetworkNodePolicy",
        SRIOV.replace("pool", "roce_rail0"),
        SRIOV,
        "falls back to sockets",
    ),
    (
        "compute.coreweave.com/v1alpha1",
        "NodePool",
        "gpu: {version: '570'}, image: {name: ubuntu-24.04}",
        "gpu: {version: '570'}",
        "driver 570 is not installed",
    ),
    (
        "nfd.kubernetes.io/v1",
        "NodeFeatureDiscovery",
        NFD % "deviceLabelFields: [vendor, device]",
        NFD % "deviceLabelFields: [class, vendor]",
        "`deviceLabelFields` changes the labels",
    ),
    (
        "nfd.kubernetes.io/v1",
        "NodeFeatureDiscovery",
        NFD % 'deviceClassWhitelist: ["0200"]',
        NFD % 'deviceClassWhitelist: ["0200", "03"]',
        "`deviceClassWhitelist` omits the PCI classes",
    ),
    (
        "kueue.x-k8s.io/v1beta2",
        "AdmissionCheck",
        CHECK.replace("provisioning", "provision"),
        CHECK,
        "Kueue has no controller",
    ),
    (
        "kueue.x-k8s.io/v1beta2",
        "AdmissionCheck",
        "controllerName: kueue.x-k8s.io/provisioning-request",
        "controllerName: example.com/budget",
        "the check has no `parameters`",
    ),
    (
        "kueue.x-k8s.io/v1beta2",
        "AdmissionCheck",
        CHECK.replace("ProvisioningRequestConfig", "MultiKueueConfig"),
        CHECK,
        "the controller needs a ProvisioningRequestConfig",
    ),
    (
        "kueue.x-k8s.io/v1beta2",
        "AdmissionCheck",
        CHECK.replace("provisioning-request", "multikueue"),
        CHECK,
        "the controller needs a MultiKueueConfig",
    ),
    (
        "kueue.x-k8s.io/v1beta2",
        "ProvisioningRequestConfig",
        "provisioningClassName: queued-provisioning, managedResources: [nvidia.com/gpu]",
        "provisioningClassName: queued-provisioning.gke.io, managedResources: [nvidia.com/gpu]",
        "no autoscaler handles the class",
    ),
    (
        "kueue.x-k8s.io/v1beta2",
        "ProvisioningRequestConfig",
        "provisioningClassName: queued-provisioning.gke.io, managedResources: [nvidia.com/gpus]",
        "provisioningClassName: own.example.com, managedResources: [amd.com/gpu]",
        "no pod requests the resource",
    ),
    (
        "karpenter.k8s.aws/v1",
        "EC2NodeClass",
        f"{VOLUMES}]",
        f"{VOLUMES}, {{deviceName: /dev/xvdb, ebs: {{volumeSize: 200Gi}}}}]",
        "only `/dev/xvda` has a size",
    ),
    (
        "amd.com/v1alpha1",
        "DeviceConfig",
        "driver: {enable: true, blacklist: false}",
        "driver: {enable: true, blacklist: true}",
        "kernel's own driver",
    ),
    (
        "kubevirt.io/v1",
        "KubeVirt",
        "configuration: {permittedHostDevices: {pciHostDevices: [{pciVendorSelector: '10DE-2236', "
        "resourceName: amd.com/x}]}}",
        "configuration: {permittedHostDevices: {pciHostDevices: [{pciVendorSelector: '10de:2236', "
        "resourceName: amd.com/x}]}}",
        "not a PCI vendor and device",
    ),
    (
        "kubevirt.io/v1",
        "VirtualMachine",
        "template: {spec: {evictionStrategy: LiveMigrate, domain: {devices: {gpus: [{name: a, deviceName: b}]}}}}",
        "template: {spec: {evictionStrategy: LiveMigrate, domain: {devices: {disks: [{name: a}]}}}}",
        "cannot migrate",
    ),
    (
        "kubevirt.io/v1",
        "VirtualMachine",
        "template: {spec: {domain: {devices: {gpus: [{name: a}]}}}}",
        "template: {spec: {domain: {devices: {gpus: [{name: a, claimName: c, requestName: r}]}}}}",
        "names no device",
    ),
    (
        "sriovnetwork.openshift.io/v1",
        "SriovNetworkNodePolicy",
        SRIOV.replace("pool", "mlnx-nics"),
        SRIOV,
        "an invalid character",
    ),
    (
        "sriovnetwork.openshift.io/v1",
        "SriovNetworkNodePolicy",
        SRIOV.replace("vendor: '15b3'", ""),
        SRIOV,
        "neither a vendor nor a card",
    ),
    (
        "sriovnetwork.openshift.io/v1",
        "SriovNetworkNodePolicy",
        SRIOV.replace("numVfs: 8", "numVfs: 200"),
        SRIOV,
        "more than the 128 functions",
    ),
    (
        "workload.serving.volcano.sh/v1alpha1",
        "ModelBooster",
        CONNECTORS % "MooncakeConnector",
        CONNECTORS % "NixlConnector",
        "one worker uses NixlConnector",
    ),
    (
        "nvidia.com/v1alpha1",
        "DynamoGraphDeployment",
        DYNAMO % "dynamo-planner",
        DYNAMO % "vllm-runtime",
        "runs the image of the planner",
    ),
    (
        "serving.kserve.io/v1alpha2",
        "LLMInferenceService",
        "prefill: {template: {containers: [{name: main}]}}, template: {containers: [{name: main}]}",
        "prefill: {template: {containers: [{name: main}]}}, template: {containers: [{name: main, "
        "args: ['--kv-transfer-config={}']}]}",
        "neither prefill nor decode has",
    ),
    (
        "apps/v1",
        "DaemonSet",
        f"template: {{spec: {{containers: [{PLUGIN}]}}}}",
        f"template: {{spec: {{nodeSelector: {{a: b}}, containers: [{PLUGIN}]}}}}",
        "device plugin runs on all nodes",
    ),
    (
        "apps/v1",
        "Deployment",
        f"template: {{spec: {{nodeSelector: {{{TPU}}}}}}}",
        f"template: {{spec: {{nodeSelector: {{{TPU}, cloud.google.com/gke-tpu-topology: 1x1}}}}}}",
        "GKE creates no TPU nodes",
    ),
    (
        "karpenter.k8s.aws/v1",
        "EC2NodeClass",
        "amiSelectorTerms: [{alias: al2023@latest}], blockDeviceMappings: [{deviceName: /dev/sda1}]",
        "amiSelectorTerms: [{alias: al2023@latest}], blockDeviceMappings: [{deviceName: /dev/xvda}]",
        "`/dev/xvda`, not",
    ),
    (
        "karpenter.k8s.aws/v1",
        "EC2NodeClass",
        "associatePublicIPAddress: true, networkInterfaces: [{interfaceType: efa-only}]",
        "associatePublicIPAddress: true, networkInterfaces: [{interfaceType: interface}]",
        "several network interfaces",
    ),
    (
        "karpenter.k8s.aws/v1",
        "EC2NodeClass",
        "amiFamily: Custom, instanceStorePolicy: RAID0",
        "amiFamily: AL2023, instanceStorePolicy: RAID0",
        "formats no local disks",
    ),
    (
        "karpenter.k8s.aws/v1",
        "EC2NodeClass",
        "amiFamily: Custom, userData: /etc/eks/bootstrap.sh c",
        "amiFamily: Custom, userData: 'bootstrap.sh karpenter.sh/unregistered:NoExecute'",
        "sets no taint",
    ),
    (
        "karpenter.sh/v1",
        "NodePool",
        "limits: {gpu: 8}",
        "limits: {nvidia.com/gpu: 8}",
        "full names",
    ),
    (
        "autoscaling/v2",
        "HorizontalPodAutoscaler",
        "metrics: [{type: Resource, resource: {name: nvidia.com/gpu}}]",
        "metrics: [{type: Resource, resource: {name: memory}}]",
        "are CPU and memory",
    ),
    (
        "autoscaling/v2",
        "HorizontalPodAutoscaler",
        "behavior: {scaleUp: {selectPolicy: Disabled}}",
        "behavior: {scaleDown: {selectPolicy: Disabled}}",
        "never adds a replica",
    ),
    (
        "scheduling.run.ai/v2alpha2",
        "PodGroup",
        "minMember: 2, minSubGroup: 1",
        "minMember: 2",
        "KAI's webhook rejects the PodGroup",
    ),
    (
        "batch.volcano.sh/v1alpha1",
        "Job",
        "networkTopology: {highestTierAllowed: 1, highestTierName: rack}",
        "networkTopology: {highestTierName: rack}",
        "Volcano's webhook rejects the Job",
    ),
]
NODE = """apiVersion: v1
kind: Node
metadata: {name: gpu-1}
status: {nodeInfo: {osImage: %s (v1.12.4)}}
"""
KUEUE = """apiVersion: v1
kind: ConfigMap
metadata: {name: kueue-manager-config, namespace: kueue-system}
data:
  controller_manager_config.yaml: |
    fairSharing: {enable: %s}
"""
CLASS = """apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: it}
handler: %s
"""
DISKS = """apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: disk}
provisioner: kubernetes.io/aws-ebs
"""
BESIDE = [
    # What stands first, what stands beside it that is wrong and that is right, and a word of what is said.
    *(
        (
            RELEASE.format(chart="gpu-operator", version="v26.3.1", values=values),
            NODE % "Talos",
            NODE % "Ubuntu",
            word,
        )
        for values, word in (
            ("{toolkit: {enabled: false}}", "takes its driver from a system extension"),
            (
                "{driver: {enabled: false}, hostPaths: {driverInstallDir: /usr/local}}",
                "takes the container toolkit from a system extension",
            ),
        )
    ),
    (
        OBJECT.format(
            api="kueue.x-k8s.io/v1beta1",
            kind="ClusterQueue",
            spec="{preemption: {borrowWithinCohort: {policy: LowerPriority}}}",
        ),
        KUEUE % "true",
        KUEUE % "false",
        "does not work with fair sharing",
    ),
    (
        RELEASE.format(chart="ollama", version="1.16.0", values="{ollama: {gpu: {enabled: true}}}"),
        CLASS % "nvidia",
        CLASS % "kata",
        "Ollama requests a GPU",
    ),
    (
        OBJECT.format(
            api="trainer.kubeflow.org/v1alpha1",
            kind="TrainJob",
            spec="{runtimeRef: {name: it}, trainer: {resourcesPerNode: {limits: {nvidia.com/gpu: 1}}}}",
        ),
        RUNTIME % "memory: 64Gi",
        RUNTIME % "cpu: 8",
        "replaces all resources of the runtime",
    ),
    (
        RELEASE.format(
            chart="dra-driver-nvidia-gpu",
            version="0.4.1",
            values="{resources: {gpus: {enabled: false}}}",
        ),
        RELEASE.format(
            chart="gpu-operator", version="v25.10.0", values="{driver: {enabled: true}}"
        ),
        RELEASE.format(
            chart="gpu-operator", version="v25.10.0", values="{driver: {enabled: false}}"
        ),
        "finds no driver",
    ),
    (
        RELEASE.format(
            chart="nvidia-dra-driver-gpu",
            version="25.8.0",
            values="{gpuResourcesEnabledOverride: true, nvidiaDriverRoot: /run/nvidia/driver}",
        ),
        RELEASE.format(
            chart="gpu-operator", version="v25.10.0", values="{driver: {enabled: true}}"
        ),
        RELEASE.format(
            chart="gpu-operator", version="v25.10.0", values="{devicePlugin: {enabled: false}}"
        ),
        "both allocate the same GPUs",
    ),
    (
        RELEASE.format(
            chart="gpu-operator",
            version="v25.10.0",
            values="{driver: {rdma: {enabled: true, useHostMofed: true}}}",
        ),
        "apiVersion: mellanox.com/v1alpha1\nkind: NicClusterPolicy\nmetadata: {name: nic-cluster-policy}\n"
        "spec: {ofedDriver: {image: doca-driver, version: doca3.1.0-25.07-0.9.7.0-0}}\n",
        "apiVersion: mellanox.com/v1alpha1\nkind: NicClusterPolicy\nmetadata: {name: nic-cluster-policy}\n"
        "spec: {nvIpam: {image: ipam, version: v1}}\n",
        "installs it in a container",
    ),
    (
        RELEASE.format(
            chart="nvidia-device-plugin", version="0.17.4", values="{gfd: {enabled: true}}"
        ),
        "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: gpu}\n"
        "spec: {amiSelectorTerms: [{alias: bottlerocket@v1.40.0}]}\n",
        "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: gpu}\n"
        "spec: {amiSelectorTerms: [{alias: al2023@v20250901}]}\n",
        "already run a device plugin",
    ),
    (
        OBJECT.format(
            api="kubevirt.io/v1",
            kind="KubeVirt",
            spec="{configuration: {permittedHostDevices: {pciHostDevices: [{pciVendorSelector: '10DE:2236', "
            "resourceName: nvidia.com/GA102GL_A10}]}}}",
        ),
        POLICY.strip("-\n").replace("spec: {", "spec: {sandboxWorkloads: {enabled: true}, "),
        POLICY.strip("-\n"),
        "starts a second plugin",
    ),
    (
        OBJECT.format(api="karpenter.sh/v1", kind="NodePool", spec="{weight: 1}"),
        DISKS,
        DISKS.replace("kubernetes.io/aws-ebs", "ebs.csi.aws.com"),
        "packs too many pods",
    ),
]


def said(text: str) -> list[Finding]:
    return [one.finding() for one in raised(text) if one.rule.code == "GPU851"]


def of_chart(values: str, chart: str = "gpu-operator", version: str = "v26.7.0") -> list[str]:
    text = RELEASE.format(chart=chart, version=version, values=f"{{{values}}}")
    return [one.message for one in said(text)]


@pytest.mark.parametrize(("wrong", "right", "word"), OPERATOR, ids=lambda one: one[:40])
def test_values_of_the_operator(wrong: str, right: str, word: str) -> None:
    (message,) = of_chart(wrong)
    assert word in message
    assert not of_chart(right)


@pytest.mark.parametrize(("api", "kind", "wrong", "right", "word"), OTHERS)
def test_specs_of_kinds(api: str, kind: str, wrong: str, right: str, word: str) -> None:
    def messages(spec: str) -> list[str]:
        text = OBJECT.format(api=api, kind=kind, spec=f"{{{spec}}}")
        return [one.message for one in said(text + POLICY)]

    (message,) = messages(wrong)
    assert word in message
    assert not messages(right)


@pytest.mark.parametrize(("text", "wrong", "right", "word"), BESIDE, ids=lambda one: one[-20:])
def test_settings_of_two_products(text: str, wrong: str, right: str, word: str) -> None:
    (finding,) = said(f"{text}---\n{wrong}")
    assert word in finding.message
    assert not said(f"{text}---\n{right}")


def test_names_that_the_operator_ignores() -> None:
    text = OBJECT.format(api="mellanox.com/v1alpha1", kind="NicClusterPolicy", spec="{}")
    (finding,) = said(text)
    assert finding.path == "metadata.name"
    assert not said(text.replace("name: it", "name: nic-cluster-policy"))


def test_labels_of_pods_need_a_role() -> None:
    rbac = "kubernetes: {enablePodLabels: true, rbac: {create: %s}}"
    assert of_chart(rbac % "false", chart="dcgm-exporter", version="4.6.0")
    assert not of_chart(rbac % "true", chart="dcgm-exporter", version="4.6.0")


def test_the_operators_own_object_is_asked_the_same() -> None:
    policy = (
        "{cdi: {enabled: true}, devicePlugin: {env: [{name: DEVICE_LIST_STRATEGY, value: envvar}]}}"
    )
    (found,) = said(OBJECT.format(api="nvidia.com/v1", kind="ClusterPolicy", spec=policy))
    assert found.path == "spec.devicePlugin.env[0].value"


def test_labels_of_discovery_count_beside_the_operator_alone() -> None:
    spec = f"{{{NFD % 'deviceLabelFields: [vendor, device]'}}}"
    assert not said(
        OBJECT.format(api="nfd.kubernetes.io/v1", kind="NodeFeatureDiscovery", spec=spec)
    )
    own = "worker: {config: {sources: {pci: {deviceLabelFields: [vendor, device]}}}}"
    assert not of_chart(own, chart="node-feature-discovery", version="0.18.3")
    assert of_chart(f"node-feature-discovery: {{{own}}}")


def test_a_release_that_is_not_so_is_left_alone() -> None:
    nri = "cdi: {enabled: false, nriPluginEnabled: true}"
    assert of_chart(nri, version="v26.3.0")
    assert not of_chart(nri, version="v25.10.1")
    default = "cdi: {default: true}"
    assert of_chart(default, version="v25.3.1")
    assert not of_chart(default, version="v25.10.0")
    assert not of_chart(default, version='"*"')


def test_of_values_that_others_are_laid_over_what_is_not_written_tells_nothing() -> None:
    over = "  valuesFrom: [{kind: ConfigMap, name: more}]\n"
    release = RELEASE.format(chart="gpu-operator", version="v26.7.0", values="{%s}")
    assert said(release % "gds: {enabled: true}, driver: {enabled: false}" + over)
    assert not said(release % "gpuCluster: {deployCR: true}" + over)


def test_the_constraint_of_a_nim_on_openshift() -> None:
    off = "openshift: {enabled: true, annotateRequiredSCC: false}"
    assert "restricted-v3" in of_chart(off, chart="nim-llm", version="2.0.4")[0]
    assert not of_chart("openshift: {enabled: true}", chart="nim-llm", version="2.0.4")


SERVICE = """apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: chat, namespace: serving, annotations: {ANNOTATIONS}}
spec:
  predictor:
    MORE
    model:
      modelFormat: {name: huggingface}
      resources: {limits: {nvidia.com/gpu: 1}}
"""
STANDARD = "serving.kserve.io/deploymentMode: Standard"
KEDA = f"{STANDARD}, serving.kserve.io/autoscalerClass: keda"


@pytest.mark.parametrize(
    ("annotations", "more", "word"),
    [
        (STANDARD, "scaleMetric: concurrency", "only Knative scales by"),
        (STANDARD, "minReplicas: 0", "an HPA does not scale to zero"),
        (f"{STANDARD}, autoscaling.knative.dev/target: '2'", "", "only Knative reads"),
    ],
)
def test_what_kserve_does_with_knative_only(annotations: str, more: str, word: str) -> None:
    manifest = SERVICE.replace("MORE", more)
    assert word in said(manifest.replace("ANNOTATIONS", annotations))[0].message
    knative = annotations.replace("Standard", "Knative")
    assert not said(manifest.replace("ANNOTATIONS", knative))
    assert not said(manifest.replace("ANNOTATIONS", ""))
    if "target" not in annotations:
        assert not said(manifest.replace("ANNOTATIONS", KEDA))


@pytest.mark.parametrize(
    ("wrong", "right", "word"),
    [
        (
            "url: oci://r.example.com/charts",
            "url: https://r.example.com/charts",
            "finds no chart index",
        ),
        (
            "type: oci, url: https://r.example.com/charts",
            "type: oci, url: oci://r.example.com/charts",
            "needs an address",
        ),
    ],
)
def test_the_type_of_a_repository_is_that_of_its_address(wrong: str, right: str, word: str) -> None:
    source = OBJECT.format(
        api="source.toolkit.fluxcd.io/v1", kind="HelmRepository", spec="{interval: 1h, SPEC}"
    )
    assert word in said(source.replace("SPEC", wrong))[0].message
    assert not said(source.replace("SPEC", right))


def test_replacing_takes_precedence_over_applying_at_the_server() -> None:
    app = OBJECT.format(
        api="argoproj.io/v1alpha1",
        kind="Application",
        spec="{source: {repoURL: https://g.example.com/a.git, path: a}, syncPolicy: {syncOptions: [OPTIONS]}}",
    )
    both = "ServerSideApply=true, Replace=true"
    assert "takes precedence" in said(app.replace("OPTIONS", both))[0].message
    assert not said(app.replace("OPTIONS", "Replace=true"))
    assert not said(app.replace("OPTIONS", "ServerSideApply=true, Replace=false"))


SHOWN = (
    *("restricted-v3", "cdi.default", "only Knative scales by", "an HPA does not scale to zero"),
    *("only Knative reads", "finds no chart index", "needs an address", "takes precedence"),
    *("settings of the plugin", "offers GPUs as Gres", "neither `Gres` nor `GresTypes`"),
    *("by device name", "no longer advertises `aws.amazon.com/neurondevice`"),
)


def test_settings_of_the_plugin_at_the_top_of_its_charts_values() -> None:
    sharing = "sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}"
    (message,) = of_chart(sharing, "nvidia-device-plugin", "0.17.4")
    assert "settings of the plugin" in message
    right = f"config: {{map: {{default: '{sharing}'}}}}"
    assert not of_chart(right, "nvidia-device-plugin", "0.17.4")


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ("nodesets: {a: {extraConfMap: {Gres: [gpu:l4:1]}}}", "offers GPUs as Gres"),
        (
            "nodesets: {a: {slurmd: {resources: {limits: {nvidia.com/gpu: 4}}}}}",
            "neither `Gres` nor `GresTypes`",
        ),
    ],
)
def test_slurm_manages_no_resource_by_default(values: str, word: str) -> None:
    (message,) = of_chart(values, "slurm", "0.4.0")
    assert word in message
    right = values.replace("{a: {", "{a: {extraConf: 'Gres=gpu:4', ", 1)
    types = "controller: {extraConfMap: {GresTypes: gpu}}"
    assert not of_chart(f"{right}, {types}", "slurm", "0.4.0")


EXPORTER = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: dcgm-exporter, namespace: monitoring}
spec:
  selector: {matchLabels: {app: exporter}}
  template:
    metadata: {labels: {app: exporter}}
    spec:
      affinity:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
              - matchExpressions: [{key: cloud.google.com/gke-accelerator, operator: Exists}]
      containers:
        - name: exporter
          image: nvcr.io/nvidia/k8s/dcgm-exporter:4.2.3-4.1.3-ubuntu22.04
          resources: {limits: {memory: 512Mi, aws.amazon.com/neuron: 1}}
          env:
            - {name: DCGM_EXPORTER_KUBERNETES, value: "true"}
            - {name: DCGM_EXPORTER_KUBERNETES_GPU_ID_TYPE, value: device-name}
"""


@pytest.mark.parametrize(
    ("part", "other", "word"),
    [
        ("GPU_ID_TYPE", "OTHER", "by device name"),
        ("aws.amazon.com/neuron:", "aws.amazon.com/neurondevice:", "no longer advertises"),
    ],
)
def test_names_that_a_device_plugin_reports(part: str, other: str, word: str) -> None:
    assert not said(EXPORTER)
    (finding,) = said(EXPORTER.replace(part, other))
    assert word in finding.message


def test_a_chart_of_k3s() -> None:
    text = """apiVersion: helm.cattle.io/v1
kind: HelmChart
metadata: {name: gpu-operator, namespace: kube-system}
spec:
  chart: nvidia/gpu-operator
  version: v26.7.0
  valuesContent: |-
    cdi: {enabled: false, nriPluginEnabled: true}
"""
    assert any("needs CDI" in finding.message for finding in said(text))
    assert not said(text.replace("enabled: false, ", ""))


def test_each_kind_of_the_table_is_looked_at_and_each_row_is_shown_here() -> None:
    (row,) = (each for each in ROWS if each.code == "GPU851")
    kinds = {each for each in _contradictions() if "/" in each}
    assert {tuple(each.split("/")) for each in kinds} <= (row.kinds or set())
    words = [*(each[-1] for each in (*OPERATOR, *OTHERS, *BESIDE)), *SHOWN]
    words += ["metrics lack the labels", "ignores a NicClusterPolicy"]
    words += [*(each[-1] for each in (*JOBS, *SERVING)), *OF_RELEASES, *OF_STACK, "needs Grove"]
    words += [*OF_PROGRAMS, "puts all pods of a job on one node"]
    for some in _contradictions().values():
        for each in some:
            assert any(
                word in each.says or word.replace("570", "{0}") in each.says for word in words
            ), each.says


@pytest.mark.parametrize(
    ("topology", "found"), [("kubernetes.io/hostname", 1), ("gke-nodepool", 0)]
)
def test_a_slice_is_on_more_than_one_node(topology: str, found: int) -> None:
    text = f"""apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: a
  annotations: {{alpha.jobset.sigs.k8s.io/exclusive-topology: {topology}}}
spec:
  replicatedJobs:
    - name: slice
      template:
        spec:
          template:
            spec:
              nodeSelector: {{cloud.google.com/gke-tpu-topology: 4x4}}
"""
    assert len(said(text)) == found
