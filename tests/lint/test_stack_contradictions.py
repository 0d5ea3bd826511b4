"""GPU851, GPU427, GPU968: what releases, distributions and GPUs below the pod refuse, each by what is wrong
and by what is right."""

import pytest

from gpuspec.products.load import component_releases, contradictions_of
from tests.lint.pages import raised

CODES = ("GPU851", "GPU427", "GPU968")
RELEASE = """apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: {chart}, namespace: platform}}
spec:
  interval: 1h
  chart: {{spec: {{chart: {chart}, version: {version}, sourceRef: {{kind: HelmRepository, name: nv}}}}}}
  values: {{{values}}}
---
"""
OBJECT = """apiVersion: {api}
kind: {kind}
metadata: {{name: {name}}}
spec: {{{spec}}}
---
"""
POD = """apiVersion: batch/v1
kind: Job
metadata: {{name: train, namespace: research}}
spec:
  template:
    spec:
      restartPolicy: Never
      {spec}
      containers:
        - {{name: main, image: 'registry.example.com/train:1', resources: {{limits: {{{limits}}}}}, env: [{env}]}}
---
"""
NODE = """apiVersion: v1
kind: Node
metadata: {{name: gpu-1}}
status: {{nodeInfo: {{osImage: '{image}', kubeletVersion: '{kubelet}'}}}}
---
"""
UBUNTU = NODE.format(image="Ubuntu 24.04.2 LTS", kubelet="v1.33.1")
TALOS = NODE.format(image="Talos (v1.13.0)", kubelet="v1.33.1")
RKE2 = NODE.format(image="SLES 15 SP6", kubelet="v1.33.5+rke2r1")
RHEL = NODE.format(image="Red Hat Enterprise Linux 8.10 (Ootpa)", kubelet="v1.33.1")
OPENSHIFT = NODE.format(image="Red Hat Enterprise Linux CoreOS 418.94", kubelet="v1.33.1")
MICROK8S = """apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: models, namespace: serving}
spec: {storageClassName: microk8s-hostpath, accessModes: [ReadWriteOnce], resources: {requests: {storage: 9Gi}}}
---
"""
GKE_CLASS = """apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: pd.csi.storage.gke.io
---
"""
AUTO_POOL = """apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {{name: gpus}}
spec:
  limits: {{nvidia.com/gpu: 8}}
  template:
    metadata: {{labels: {{nvidia.com/gpu.deploy.device-plugin: {label}}}}}
    spec: {{nodeClassRef: {{group: eks.amazonaws.com, kind: NodeClass, name: default}}}}
---
"""
GPU_NODE = """apiVersion: v1
kind: Node
metadata: {{name: gpu-1, labels: {{nvidia.com/gpu.present: 'true', gpu: '{label}'}}}}
---
"""
K3S_SOCKET = "{name: CONTAINERD_SOCKET, value: /run/k3s/containerd/containerd.sock}"
GKE = "hostPaths: {driverInstallDir: /home/kubernetes/bin/nvidia}, driver: {enabled: false}"
DRA = "gpuResourcesEnabledOverride: true"
HOOK = "webhook: {enabled: true, tls: "
NV = "image: driver, repository: nvcr.io/nvidia"
NIM = "image: {repository: nvcr.io/nim/a, tag: '1'}, authSecret: s"
CACHE = "storage: {nimCache: {name: c}}"
DOCA = "image: doca-driver, repository: r"
SRIOV = "resourceName: pool, nicSelector: {vendor: '15b3'}, nodeSelector: {a: b}"


def gpu_operator(values: str = "", version: str = "v26.3.3") -> str:
    return RELEASE.format(chart="gpu-operator", version=version, values=values)


def obj(kind: str, spec: str, name: str = "it") -> str:
    api, _, short = kind.rpartition("/")
    return OBJECT.format(api=api, kind=short, spec=spec, name=name)


def node_class(alias: str) -> str:
    return obj("karpenter.k8s.aws/v1/EC2NodeClass", f"amiSelectorTerms: [{{alias: {alias}}}]")


def aks_class(mode: str) -> str:
    return obj("karpenter.azure.com/v1beta1/AKSNodeClass", f"gpu: {{mode: {mode}}}")


def nvidia_driver(spec: str, name: str = "one") -> str:
    return obj("nvidia.com/v1alpha1/NVIDIADriver", f"{NV}, {spec}", name)


def pod(spec: str = "", limits: str = "nvidia.com/gpu: 1", env: str = "") -> str:
    return POD.format(spec=spec, limits=limits, env=env)


def on(product: str, spec: str = "") -> str:
    more = f", {spec}" if spec else ""
    return pod(f"nodeSelector: {{nvidia.com/gpu.product: {product}{more}}}")


POLICY = obj("nvidia.com/v1/ClusterPolicy", "operator: {defaultRuntime: containerd}")
KUBEVIRT = obj(
    "kubevirt.io/v1/KubeVirt", "configuration: {developerConfiguration: {featureGates: [%s]}}"
)
NIC_POLICY = obj("mellanox.com/v1alpha1/NicClusterPolicy", "%s", "nic-cluster-policy")
SRIOV_CONFIG = obj("sriovnetwork.openshift.io/v1/SriovOperatorConfig", "%s", "default")
V100, B200 = on("Tesla-V100-SXM2-16GB"), on("NVIDIA-B200")
GB10, GB200 = on("NVIDIA-GB10"), on("NVIDIA-GB200")

OF_OPERATOR = [
    # Values that are wrong, the release, values that are right, the release, what is beside both, a word.
    (
        GKE,
        "v25.10.1",
        f"{GKE}, toolkit: {{env: [{{name: RUNTIME_CONFIG_SOURCE, value: file}}]}}",
        "v25.10.1",
        "",
        "reads containerd's configuration by a command",
    ),
    (
        f"{GKE}, migManager: {{config: {{default: all-1g.10gb}}}}",
        "v26.3.3",
        f"{GKE}, migManager: {{config: {{default: all-1g.10gb}}, env: [{{name: WITH_REBOOT, value: 'true'}}]}}",
        "v26.3.3",
        "",
        "changes the MIG mode on GKE",
    ),
    (
        "",
        "v25.10.1",
        f"toolkit: {{env: [{K3S_SOCKET}]}}",
        "v25.10.1",
        RKE2,
        "the cluster runs K3s or RKE2",
    ),
    ("", "v26.3.1", "cdi: {nriPluginEnabled: true}", "v26.3.1", MICROK8S, "runs MicroK8s"),
    (
        f"cdi: {{enabled: true}}, toolkit: {{env: [{K3S_SOCKET}, {{name: CONTAINERD_CONFIG, "
        "value: /var/lib/rancher/rke2/agent/etc/containerd/config.toml.tmpl}]}",
        "v25.3.2",
        f"cdi: {{enabled: false}}, toolkit: {{env: [{K3S_SOCKET}, {{name: CONTAINERD_CONFIG, "
        "value: /var/lib/rancher/rke2/agent/etc/containerd/config.toml.tmpl}]}",
        "v25.3.2",
        "",
        "does not work on RKE2",
    ),
    (
        f"toolkit: {{env: [{K3S_SOCKET}]}}",
        "v24.9.0",
        f"toolkit: {{version: v1.17.1-ubuntu20.04, env: [{K3S_SOCKET}]}}",
        "v24.9.0",
        "",
        "calls `containerd`",
    ),
    (
        f"toolkit: {{env: [{K3S_SOCKET}]}}",
        "v25.3.3",
        f"toolkit: {{env: [{K3S_SOCKET}]}}",
        "v25.3.4",
        "",
        "ignores `CONTAINERD_SOCKET`",
    ),
    ("", "v26.3.1", "driver: {enabled: false}", "v26.3.1", TALOS, "its driver from a system"),
    (
        "",
        "v26.3.1",
        "toolkit: {enabled: false}",
        "v26.3.1",
        TALOS,
        "container toolkit from a system",
    ),
    (
        "driver: {enabled: false}",
        "v26.3.1",
        "driver: {enabled: false}, hostPaths: {driverInstallDir: /usr/local}",
        "v26.3.1",
        TALOS,
        "Talos has its driver below",
    ),
    (
        "driver: {enabled: false}",
        "v25.10.1",
        "driver: {enabled: false}",
        "v26.3.1",
        TALOS,
        "which the operator supports from release",
    ),
    (
        "",
        "v26.3.3",
        "devicePlugin: {enabled: false}",
        "v26.3.3",
        node_class("bottlerocket@latest"),
        "the operator's sharing applies only",
    ),
    (
        "driver: {enabled: false}",
        "v26.3.3",
        "driver: {enabled: true}",
        "v26.3.3",
        aks_class("none"),
        "neither AKS",
    ),
    (
        "cdi: {nriPluginEnabled: true}",
        "v26.3.1",
        "cdi: {nriPluginEnabled: true}",
        "v26.3.2",
        OPENSHIFT,
        "does not support CRI-O",
    ),
    (
        "mig: {strategy: mixed}",
        "v25.10.1",
        "mig: {strategy: mixed}, gfd: {env: [{name: USE_NODE_FEATURE_API, value: 'true'}]}",
        "v25.10.1",
        OPENSHIFT,
        "cannot write its labels under SELinux",
    ),
    (
        "driver: {enabled: false}",
        "v26.3.1",
        "driver: {enabled: false}, migManager: {version: v0.14.2}",
        "v26.3.1",
        RHEL,
        "newer glibc than RHEL 8",
    ),
    ("", "v25.3.0", "", "v25.3.1", "", "CVE-2025-23266"),
    ("", "v25.10.0", "", "v25.10.1", "", "overwrites `imports`"),
    (
        "mig: {strategy: mixed}",
        "v25.3.1",
        "mig: {strategy: mixed}, driver: {version: 570.172.08}",
        "v25.3.1",
        "",
        "miscounts the GPUs",
    ),
    (
        "driver: {rdma: {enabled: true}}",
        "v26.3.0",
        "driver: {rdma: {enabled: true}, manager: {env: [{name: FORCE_REINSTALL, value: 'true'}]}}",
        "v26.3.0",
        "",
        "fails when the driver's pod restarts",
    ),
    (
        "devicePlugin: {config: {name: slices}}",
        "v24.6.0",
        "devicePlugin: {config: {name: slices}}",
        "v24.6.1",
        "",
        "no permission to read ConfigMaps",
    ),
    ("", "v24.3.0", "", "v24.6.0", "", "removes a node's labels"),
    (
        "cdi: {enabled: false, default: true}",
        "v25.10.1",
        "cdi: {enabled: true, default: true}",
        "v25.10.1",
        "",
        "has no effect from 25.10 on",
    ),
    (
        "kataManager: {enabled: true}",
        "v26.7.0",
        "kataManager: {enabled: true}",
        "v26.3.3",
        "",
        "ignores `kataManager`",
    ),
    (
        "validator: {image: gpu-operator-validator}",
        "v25.10.1",
        "validator: {image: gpu-operator-validator, version: v25.3.4}",
        "v25.10.1",
        "",
        "has no tag of this release",
    ),
    (
        "driver: {licensingConfig: {secretName: a}}",
        "v25.3.4",
        "driver: {licensingConfig: {secretName: a}}",
        "v25.10.0",
        "",
        "has no `licensingConfig.secretName`",
    ),
    (
        "driver: {nvidiaDriverCRD: {enabled: true, nodeSelector: {a: b}}}",
        "v26.7.0",
        "driver: {nvidiaDriverCRD: {enabled: true}}",
        "v26.7.0",
        "",
        "ignores `driver.nvidiaDriverCRD.nodeSelector`",
    ),
    (
        "sandboxWorkloads: {enabled: true, defaultWorkload: vm-vgpu}",
        "v26.3.3",
        "sandboxWorkloads: {enabled: true, defaultWorkload: vm-passthrough}",
        "v26.3.3",
        KUBEVIRT % "HostDevices",
        "configures the mediated devices",
    ),
    (
        "gds: {enabled: true}, driver: {kernelModuleType: proprietary}",
        "v26.3.3",
        "gds: {enabled: true}, driver: {kernelModuleType: open}",
        "v26.3.3",
        "",
        "but `driver.kernelModuleType` is `proprietary`",
    ),
    (
        "gds: {enabled: true}, driver: {version: 550.144.03}",
        "v25.3.4",
        "gds: {enabled: true}",
        "v25.3.4",
        "",
        "installs proprietary ones",
    ),
    (
        "driver: {usePrecompiled: true, version: 580.95.05}",
        "v26.3.3",
        "driver: {usePrecompiled: true, version: '580'}",
        "v26.3.3",
        "",
        "published by branch, but `driver.version`",
    ),
    (
        "driver: {version: '580'}",
        "v26.3.3",
        "driver: {version: '580', repository: registry.example.com/nvidia}",
        "v26.3.3",
        "",
        "which only precompiled drivers have",
    ),
    (
        "gpuCluster: {deployCR: true}, driver: {version: 570.172.08}",
        "v26.7.0",
        "gpuCluster: {deployCR: true}",
        "v26.7.0",
        "",
        "of a GPUCluster needs",
    ),
    (
        "draDriver: {gpus: {kubeletPlugin: {env: [{name: CONSUMABLE_SHARES, value: memory}]}}}",
        "v26.7.0",
        "draDriver: {featureGates: {ConsumableShares: true}, "
        "gpus: {kubeletPlugin: {env: [{name: CONSUMABLE_SHARES, value: memory}]}}}",
        "v26.7.0",
        "",
        "needs the feature gate `ConsumableShares`",
    ),
    (
        "draDriver: {featureGates: {DynamicMIG: true, MPSSupport: true}}",
        "v26.7.0",
        "draDriver: {featureGates: {DynamicMIG: true}}",
        "v26.7.0",
        "",
        "gate `DynamicMIG` excludes",
    ),
]
OF_CHARTS = [
    # A chart, its release, values that are wrong and right, what is beside both, a word.
    (
        "dra-driver-nvidia-gpu",
        "0.4.1",
        f"{DRA}, namespace: nvidia",
        DRA,
        "",
        "refuses the value `namespace`",
    ),
    (
        "nvidia-device-plugin",
        "0.18.0",
        "config: {name: a, map: {default: 'version: v1'}}",
        "config: {map: {default: 'version: v1'}}",
        "",
        "accepts `config.name` or `config.map`",
    ),
    (
        "nvidia-device-plugin",
        "0.18.0",
        "config: {map: {a: 'version: v1', b: 'version: v1'}}",
        "config: {map: {a: 'version: v1', default: 'version: v1'}}",
        "",
        "but no default",
    ),
    (
        "nvidia-device-plugin",
        "0.18.0",
        "",
        "runtimeClassName: nvidia",
        RKE2,
        "not the default runtime of K3s",
    ),
    (
        "dra-driver-nvidia-gpu",
        "0.4.1",
        f"{DRA}, nvidiaCtkPath: /usr/bin/nvidia-ctk",
        DRA,
        "",
        "refuses `nvidiaCtkPath`",
    ),
    (
        "dra-driver-nvidia-gpu",
        "0.4.1",
        f"{DRA}, {HOOK}{{mode: own}}}}",
        f"{DRA}, {HOOK}{{mode: cert-manager}}}}",
        "",
        "`webhook.tls.mode` must be",
    ),
    (
        "dra-driver-nvidia-gpu",
        "0.4.1",
        f"{DRA}, {HOOK}{{mode: secret}}}}",
        f"{DRA}, {HOOK}{{mode: secret, secret: {{name: s}}}}}}",
        "",
        "needs `webhook.tls.secret.name`",
    ),
    (
        "dra-driver-nvidia-gpu",
        "0.4.1",
        f"{DRA}, {HOOK}{{certManager: {{issuerType: Issuer}}}}}}",
        f"{DRA}, {HOOK}{{certManager: {{issuerType: selfsigned}}}}}}",
        "",
        "`issuerType` must be",
    ),
    (
        "dra-driver-nvidia-gpu",
        "0.4.1",
        f"{DRA}, {HOOK}{{certManager: {{issuerType: issuer}}}}}}",
        f"{DRA}, {HOOK}{{certManager: {{issuerType: issuer, issuerName: ca}}}}}}",
        "",
        "needs `webhook.tls.certManager.issuerName`",
    ),
    (
        "dra-driver-nvidia-gpu",
        "0.5.0",
        f"{DRA}, resources: {{computeDomains: {{imex: {{mode: hostManaged}}}}}}",
        f"{DRA}, featureGates: {{HostManagedIMEXDaemon: true}}, "
        "resources: {computeDomains: {imex: {mode: hostManaged}}}",
        "",
        "needs the feature gate `HostManagedIMEXDaemon`",
    ),
    (
        "dra-driver-nvidia-gpu",
        "0.5.0",
        f"{DRA}, resources: {{computeDomains: {{imex: {{isolation: channel}}}}}}",
        f"{DRA}, resources: {{computeDomains: {{imex: {{isolation: domain}}}}}}",
        "",
        "knows only `imex.isolation: domain`",
    ),
    (
        "dra-driver-nvidia-gpu",
        "0.4.1",
        DRA,
        f"{DRA}, nvidiaDriverRoot: /home/kubernetes/bin/nvidia",
        GKE_CLASS,
        "GKE has its driver below",
    ),
    (
        "dra-driver-nvidia-gpu",
        "0.4.1",
        f"{DRA}, nvidiaDriverRoot: /run/nvidia/driver",
        f"{DRA}, nvidiaDriverRoot: /run/nvidia/driver, resources: {{computeDomains: {{enabled: false}}}}",
        gpu_operator("driver: {version: 570.124.06}"),
        "ComputeDomains need driver",
    ),
    (
        "dra-driver-nvidia-gpu",
        "0.4.1",
        "resources: {gpus: {enabled: false}}",
        f"{DRA}, resources: {{computeDomains: {{enabled: false}}}}",
        gpu_operator("gfd: {enabled: false}"),
        "which GPU Feature Discovery writes",
    ),
    (
        "dra-driver-nvidia-gpu",
        "0.4.1",
        DRA,
        "resources: {gpus: {enabled: false}}",
        gpu_operator("driver: {version: 550.144.03}"),
        "needs NVIDIA's driver 565",
    ),
    (
        "dra-driver-nvidia-gpu",
        "0.4.1",
        f"{DRA}, featureGates: {{PassthroughSupport: true, NVMLDeviceHealthCheck: true}}",
        f"{DRA}, featureGates: {{PassthroughSupport: true}}",
        "",
        "gates `PassthroughSupport` and `NVMLDeviceHealthCheck`",
    ),
    (
        "dra-driver-nvidia-gpu",
        "0.4.1",
        f"{DRA}, featureGates: {{DeviceMetadata: true}}",
        f"{DRA}, featureGates: {{DeviceMetadata: true, PassthroughSupport: true}}",
        "",
        "gate `DeviceMetadata` needs",
    ),
    (
        "dra-driver-nvidia-gpu",
        "0.4.1",
        f"{DRA}, featureGates: {{IMEXDaemonsWithDNSNames: false}}",
        f"{DRA}, featureGates: {{IMEXDaemonsWithDNSNames: false, ComputeDomainCliques: false}}",
        "",
        "gate `ComputeDomainCliques`, on by default",
    ),
    (
        "dcgm-exporter",
        "4.8.2",
        "resources: {limits: {memory: 128Mi}}",
        "resources: {limits: {memory: 512Mi}}",
        "",
        "but its memory limit is",
    ),
    (
        "dcgm-exporter",
        "4.7.1",
        "hostNetwork: false",
        "resources: {limits: {memory: 768Mi}}",
        "",
        "the chart's limit in this release",
    ),
    (
        "hami",
        "2.9.0",
        "devicePlugin: {migStrategy: single}",
        "devicePlugin: {migStrategy: mixed}",
        "",
        "supports slices by `migStrategy`",
    ),
    (
        "hami",
        "2.9.0",
        "devicePlugin: {deviceListStrategy: cdi-annotations}",
        "devicePlugin: {deviceListStrategy: cdi-annotations, nvidiaDriverRoot: /run/nvidia/driver}",
        gpu_operator("devicePlugin: {enabled: false}"),
        "HAMi looks for the driver in",
    ),
    (
        "node-feature-discovery",
        "0.18.0",
        "featureGates: {NodeFeatureAPI: false}",
        "featureGates: {NodeFeatureAPI: true}",
        "",
        "cannot be turned off",
    ),
    (
        "gpu-operator-charts",
        "v1.5.0",
        "kmm: {watch: false}, deviceConfig: {spec: {driver: {enable: true}}}",
        "kmm: {watch: false}, deviceConfig: {spec: {driver: {enable: false}}}",
        "",
        "keeps the operator off Kernel Module Management",
    ),
]
OF_KINDS = [
    # A kind, specs that are wrong and right, what is beside each, a word.
    (
        "nvidia.com/v1alpha1/NVIDIADriver",
        f"{NV}, gds: {{enabled: true}}, kernelModuleType: proprietary",
        f"{NV}, gds: {{enabled: true}}",
        "",
        "but `kernelModuleType` is `proprietary`",
    ),
    (
        "nvidia.com/v1alpha1/NVIDIADriver",
        f"{NV}, usePrecompiled: true, version: 580.95.05",
        f"{NV}, usePrecompiled: true, version: '580'",
        "",
        "published by branch, but `version`",
    ),
    (
        "nvidia.com/v1alpha1/NVIDIADriver",
        f"{NV}, usePrecompiled: true, driverType: vgpu",
        f"{NV}, usePrecompiled: true, driverType: gpu",
        "",
        "no precompiled vGPU drivers",
    ),
    (
        "nvidia.com/v1alpha1/NVIDIADriver",
        f"{NV}, usePrecompiled: true, gdrcopy: {{enabled: true}}",
        f"{NV}, usePrecompiled: true, gdrcopy: {{enabled: false}}",
        "",
        "GDRCopy need the driver's sources, which precompiled drivers (`usePrecompiled`)",
    ),
    (
        "nvidia.com/v1alpha1/NVIDIADriver",
        f"{NV}, default: true",
        f"{NV}, nodeSelector: {{a: b}}",
        nvidia_driver("default: true", "two"),
        "has `default: true` too",
    ),
    (
        "nvidia.com/v1alpha1/NVIDIADriver",
        f"{NV}, version: 580.95.05",
        f"{NV}, nodeSelector: {{a: c}}",
        nvidia_driver("nodeSelector: {a: b}", "two"),
        "selects nodes of the other NVIDIADriver",
    ),
    (
        "mellanox.com/v1alpha1/NicClusterPolicy",
        f"ofedDriver: {{{DOCA}, upgradePolicy: {{safeLoad: true}}}}",
        f"ofedDriver: {{{DOCA}, upgradePolicy: {{safeLoad: true, autoUpgrade: true}}}}",
        "",
        "`safeLoad` needs",
    ),
    (
        "mellanox.com/v1alpha1/NicClusterPolicy",
        f"ofedDriver: {{{DOCA}, version: latest}}",
        f"ofedDriver: {{{DOCA}, version: doca3.1.0-25.07-0.9.7.0-0}}",
        "",
        "is no version of the driver",
    ),
    (
        "mellanox.com/v1alpha1/NicClusterPolicy",
        "rdmaSharedDevicePlugin: {config: 'configList: []'}",
        "rdmaSharedDevicePlugin: {config: '{}'}",
        "",
        "must be JSON",
    ),
    (
        "mellanox.com/v1alpha1/NicClusterPolicy",
        """sriovDevicePlugin: {config: '{"resourceList": [{"resourceName": "host-dev"}]}'}""",
        """sriovDevicePlugin: {config: '{"resourceList": [{"resourceName": "hostdev"}]}'}""",
        "",
        "accepts only letters, digits, `_` and `.`",
    ),
    (
        "mellanox.com/v1alpha1/NicClusterPolicy",
        "ibKubernetes: {pKeyGUIDPoolRangeStart: '02:00'}",
        "ibKubernetes: {pKeyGUIDPoolRangeStart: '02:00:00:00:00:00:00:00'}",
        "",
        "is no GUID of eight bytes",
    ),
    (
        "mellanox.com/v1alpha1/NicClusterPolicy",
        "secondaryNetwork: {ipamPlugin: {image: a}}",
        "nvIpam: {image: a}",
        RELEASE.format(chart="network-operator", version="25.10.0", values=""),
        "has no `ipamPlugin`",
    ),
    (
        "mellanox.com/v1alpha1/HostDeviceNetwork",
        "resourceName: nvidia.com/hostdev",
        "resourceName: hostdev",
        "",
        "the operator refuses the network",
    ),
    (
        "sriovnetwork.openshift.io/v1/SriovNetworkNodePolicy",
        f"{SRIOV}, linkType: IB, numVfs: 32",
        f"{SRIOV}, linkType: IB, numVfs: 16",
        "",
        "functions in InfiniBand mode",
    ),
    (
        "sriovnetwork.openshift.io/v1/SriovOperatorConfig",
        "enableInjector: true, featureGates: {dynamicResourceAllocation: true}",
        "enableInjector: false, featureGates: {dynamicResourceAllocation: true}",
        "",
        "resources injector conflicts",
    ),
    (
        "sriovnetwork.openshift.io/v1/SriovOperatorConfig",
        "configurationMode: systemd",
        "configurationMode: daemon",
        OPENSHIFT,
        "does not work on OpenShift",
    ),
    (
        "sriovnetwork.openshift.io/v1/SriovOperatorConfig",
        "configurationMode: systemd",
        "configurationMode: daemon",
        NIC_POLICY % "nicConfigurationOperator: {operator: {image: a}}",
        "works only with `configurationMode: daemon`",
    ),
    (
        "amd.com/v1alpha1/DeviceConfig",
        "draDriver: {enable: true}",
        "draDriver: {enable: true}, devicePlugin: {enableDevicePlugin: false}",
        "",
        "the plugin is on by default",
    ),
    (
        "amd.com/v1alpha1/DeviceConfig",
        "driver: {enable: true, version: 6.4.0}",
        "driver: {enable: true, version: '6.4'}",
        "",
        "repository has no driver",
    ),
    (
        "amd.com/v1alpha1/DeviceConfig",
        "driver: {enable: true, version: '7.1'}",
        "driver: {enable: true, version: '30.20'}",
        "",
        "from ROCm 7.1 on",
    ),
    (
        "amd.com/v1alpha1/DeviceConfig",
        "driver: {driverType: vm}",
        "driver: {driverType: vf-passthrough}",
        "",
        "is unknown: the API server rejects the DeviceConfig",
    ),
    (
        "amd.com/v1alpha1/DeviceConfig",
        "devicePlugin: {devicePluginArguments: {pulse: '5'}}",
        "devicePlugin: {devicePluginArguments: {resource_naming_strategy: mixed}}",
        "",
        "knows only `resource_naming_strategy`",
    ),
    (
        "amd.com/v1alpha1/DeviceConfig",
        "devicePlugin: {devicePluginArguments: {resource_naming_strategy: both}}",
        "devicePlugin: {devicePluginArguments: {resource_naming_strategy: single}}",
        "",
        "must be `single` or `mixed`",
    ),
    (
        "amd.com/v1alpha1/DeviceConfig",
        "remediationWorkflow: {enable: true}",
        "remediationWorkflow: {enable: true, config: {name: steps}}",
        "",
        "needs `config` or `configMapImage`",
    ),
    (
        "amd.com/v1alpha1/DeviceConfig",
        "driver: {version: '6.3', upgradePolicy: {enable: true, rebootRequired: false}}",
        "driver: {version: '6.3', upgradePolicy: {enable: true, rebootRequired: true}}",
        "",
        "may need a reboot",
    ),
    (
        "amd.com/v1alpha1/DeviceConfig",
        "driver: {version: '30.20'}, devicePlugin: {devicePluginImage: 'rocm/k8s-device-plugin:1.31.0.7'}",
        "driver: {version: '30.20'}, devicePlugin: {devicePluginImage: 'rocm/k8s-device-plugin:1.31.0.10'}",
        "",
        "miscount GPUs in mode CPX",
    ),
    (
        "amd.com/v1alpha1/DeviceConfig",
        "driver: {version: '31.40'}, draDriver: {image: 'rocm/k8s-gpu-dra-driver:v1.0.0'}",
        "driver: {version: '31.40'}, draDriver: {image: 'rocm/k8s-gpu-dra-driver:v1.0.1'}",
        "",
        "cannot read the version of this driver",
    ),
    (
        "deviceplugin.intel.com/v1/GpuDevicePlugin",
        "image: 'intel/intel-gpu-plugin:0.36.0', preferredAllocationPolicy: packed",
        "image: 'intel/intel-gpu-plugin:0.36.0', preferredAllocationPolicy: packed, sharedDevNum: 2",
        "",
        "needs `sharedDevNum` above 1",
    ),
    (
        "deviceplugin.intel.com/v1/GpuDevicePlugin",
        "image: 'intel/intel-gpu-plugin:0.36.0', allowIDs: '0x56c0', denyIDs: '0x56c1'",
        "image: 'intel/intel-gpu-plugin:0.36.0', allowIDs: '0x56c0,0x56c1'",
        "",
        "exclude each other: the operator refuses the GpuDevicePlugin",
    ),
    (
        "deviceplugin.intel.com/v1/GpuDevicePlugin",
        "image: 'intel/intel-gpu-plugin:0.36.0', allowIDs: 56c0",
        "image: 'intel/intel-gpu-plugin:0.36.0', allowIDs: '0x56c0'",
        "",
        "is no list of PCI device ids",
    ),
    (
        "deviceplugin.intel.com/v1/GpuDevicePlugin",
        "image: 'intel/intel-gpu-plugin:latest'",
        "image: 'registry.example.com/intel-gpu-plugin@sha256:abc'",
        "",
        "must be `intel-gpu-plugin`",
    ),
    (
        "apps.nvidia.com/v1alpha1/NIMService",
        f"{NIM}, storage: {{nimCache: {{name: c}}, pvc: {{name: p}}}}",
        f"{NIM}, {CACHE}",
        "",
        "several storage sources",
    ),
    (
        "apps.nvidia.com/v1alpha1/NIMService",
        f"{NIM}, {CACHE}, scale: {{enabled: true}}",
        f"{NIM}, {CACHE}, scale: {{enabled: true, hpa: {{maxReplicas: 2}}}}",
        "",
        "needs `scale.hpa`",
    ),
    (
        "apps.nvidia.com/v1alpha1/NIMService",
        f"{NIM}, {CACHE}, metrics: {{enabled: true}}",
        f"{NIM}, {CACHE}, metrics: {{enabled: true, serviceMonitor: {{interval: 30s}}}}",
        "",
        "needs `metrics.serviceMonitor`",
    ),
    (
        "apps.nvidia.com/v1alpha1/NIMService",
        f"{NIM}, {CACHE}, expose: {{router: {{ingress: {{ingressClass: a}}}}}}",
        f"{NIM}, {CACHE}, expose: {{router: {{hostDomainName: a.example.com, ingress: {{ingressClass: a}}}}}}",
        "",
        "needs `hostDomainName`",
    ),
    (
        "apps.nvidia.com/v1alpha1/NIMService",
        f"{NIM}, {CACHE}, expose: {{router: {{hostDomainName: a, gateway: {{grpcRoutesEnabled: true}}}}}}",
        f"{NIM}, {CACHE}, expose: {{service: {{grpcPort: 9}}, "
        "router: {hostDomainName: a, gateway: {grpcRoutesEnabled: true}}}",
        "",
        "needs `expose.service.grpcPort`",
    ),
    (
        "apps.nvidia.com/v1alpha1/NIMService",
        f"{NIM}, {CACHE}, resources: {{claims: [{{name: gpu}}]}}",
        f"{NIM}, {CACHE}, resources: {{limits: {{nvidia.com/gpu: 1}}}}",
        "",
        "refuses `resources.claims`",
    ),
    (
        "apps.nvidia.com/v1alpha1/NIMService",
        f"{NIM}, {CACHE}, replicas: 2, draResources: [{{resourceClaimName: c}}]",
        f"{NIM}, {CACHE}, replicas: 1, draResources: [{{resourceClaimName: c}}]",
        "",
        "would be shared by all replicas",
    ),
    (
        "apps.nvidia.com/v1alpha1/NIMService",
        f"{NIM}, {CACHE}, inferencePlatform: kserve, multiNode: {{parallelism: {{pipeline: 2}}}}",
        f"{NIM}, {CACHE}, inferencePlatform: kserve",
        "",
        "does not work with `inferencePlatform: kserve`",
    ),
    (
        "apps.nvidia.com/v1alpha1/NIMCache",
        "source: {ngc: {modelPuller: a, authSecret: b, model: {profiles: [all, abc]}}}",
        "source: {ngc: {modelPuller: a, authSecret: b, model: {profiles: [all]}}}",
        "",
        "must be the only one",
    ),
    (
        "apps.nvidia.com/v1alpha1/NIMCache",
        "source: {ngc: {modelPuller: a, authSecret: b, model: {profiles: [abc], precision: fp8}}}",
        "source: {ngc: {modelPuller: a, authSecret: b, model: {precision: fp8}}}",
        "",
        "`profiles` excludes",
    ),
]
OF_SETS = [
    (
        gpu_operator() + AUTO_POOL.format(label="false-not"),
        gpu_operator() + AUTO_POOL.format(label="'false'"),
        "a second one for the same GPUs",
    ),
    (
        gpu_operator() + AUTO_POOL.format(label="false-not"),
        gpu_operator("devicePlugin: {enabled: false}") + AUTO_POOL.format(label="false-not"),
        "a second one for the same GPUs",
    ),
    (
        RELEASE.format(chart="hami", version="2.10.0", values="") + GPU_NODE.format(label="off"),
        RELEASE.format(chart="hami", version="2.10.0", values="") + GPU_NODE.format(label="on"),
        "selects nodes with the label `gpu: on`",
    ),
    # Objects that are wrong together, objects that are right together, a word.
    (
        RELEASE.format(chart="runai-cluster", version="2.22.10", values="") + gpu_operator(),
        RELEASE.format(chart="runai-cluster", version="2.23.35", values="") + gpu_operator(),
        "this release of Run:ai",
    ),
    (
        RELEASE.format(chart="runai-cluster", version="2.24.1", values="") + gpu_operator(),
        RELEASE.format(chart="runai-cluster", version="2.24.38", values="") + gpu_operator(),
        "this release of Run:ai",
    ),
    (
        nvidia_driver("version: 580.95.05") + POLICY,
        nvidia_driver("version: 580.95.05")
        + obj("nvidia.com/v1/ClusterPolicy", "driver: {useNvidiaDriverCRD: true}"),
        "the ClusterPolicy installs the driver itself",
    ),
    (
        nvidia_driver("version: 580.95.05") + gpu_operator(),
        nvidia_driver("version: 580.95.05")
        + gpu_operator("driver: {nvidiaDriverCRD: {enabled: true}}"),
        "the operator's chart installs the driver itself",
    ),
    (
        obj("nvidia.com/v1alpha1/GPUCluster", "draDriver: {}", "gpu-cluster") + POLICY,
        obj("nvidia.com/v1alpha1/GPUCluster", "draDriver: {}", "gpu-cluster"),
        "a GPUCluster or a ClusterPolicy, not both",
    ),
    (
        RELEASE.format(chart="dra-driver-nvidia-gpu", version="0.4.1", values=DRA)
        + gpu_operator("gpuCluster: {deployCR: true}, clusterPolicy: {deployCR: false}", "v26.7.0"),
        RELEASE.format(chart="dra-driver-nvidia-gpu", version="0.4.1", values=DRA) + gpu_operator(),
        "installs the DRA driver too",
    ),
    (
        RELEASE.format(chart="nvidia-device-plugin", version="0.18.0", values="").replace(
            "namespace: platform", "namespace: default"
        ),
        RELEASE.format(chart="nvidia-device-plugin", version="0.18.0", values=""),
        "refuses the namespace `default`",
    ),
    (
        RELEASE.format(chart="nvidia-dra-driver-gpu", version="0.4.0", values=DRA),
        RELEASE.format(chart="nvidia-dra-driver-gpu", version="25.12.0", values=DRA),
        "its name is `dra-driver-nvidia-gpu`",
    ),
    (
        RELEASE.format(chart="dra-driver-nvidia-gpu", version="25.12.0", values=DRA),
        RELEASE.format(chart="dra-driver-nvidia-gpu", version="0.4.0", values=DRA),
        "releases before 0.4.0 have the name",
    ),
    (
        obj("mellanox.com/v1alpha1/NicNodePolicy", "nodeSelector: {a: b}", "n" * 51),
        obj("mellanox.com/v1alpha1/NicNodePolicy", "nodeSelector: {a: b}", "n" * 30),
        "longer than 50 characters",
    ),
    (
        obj("sriovnetwork.openshift.io/v1/SriovNetworkNodePolicy", SRIOV)
        + SRIOV_CONFIG % "featureGates: {dynamicResourceAllocation: true}",
        obj("sriovnetwork.openshift.io/v1/SriovNetworkNodePolicy", SRIOV)
        + SRIOV_CONFIG % "enableInjector: true",
        "the SR-IOV device plugin does not run",
    ),
    (
        B200 + gpu_operator("driver: {kernelModuleType: proprietary}"),
        B200 + gpu_operator("driver: {kernelModuleType: auto}"),
        "works with open kernel modules only",
    ),
    (
        V100 + gpu_operator("driver: {kernelModuleType: open}"),
        B200 + gpu_operator("driver: {kernelModuleType: open}"),
        "is older than Turing",
    ),
    (
        V100 + gpu_operator(version="v26.7.0"),
        V100 + gpu_operator("driver: {version: 580.173.02}", "v26.7.0"),
        "needs driver branch 580 or older",
    ),
    (
        B200 + gpu_operator(version="v25.3.0"),
        B200 + gpu_operator("driver: {version: 570.133.20}", "v25.3.0"),
        "needs driver 570.133.20",
    ),
    (
        on("NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition")
        + gpu_operator("driver: {version: 570.172.08}"),
        on("NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition") + gpu_operator(),
        "needs driver 575.57.08",
    ),
    (
        on("NVIDIA-B300-SXM6-AC") + gpu_operator("driver: {version: 570.172.08}"),
        on("NVIDIA-B300-SXM6-AC") + gpu_operator("driver: {version: '580'}"),
        "needs driver branch 580 or newer",
    ),
    (
        pod("nodeSelector: {nvidia.com/gpu.product: NVIDIA-GB200}", "nvidia.com/mig-1g.24gb: 1")
        + gpu_operator(),
        GB200 + gpu_operator(),
        "which excludes MIG",
    ),
    (
        GB200 + gpu_operator("gds: {enabled: true}"),
        B200 + gpu_operator("gds: {enabled: true}"),
        "which excludes GPUDirect Storage",
    ),
    (
        GB10 + gpu_operator(version="v25.3.2"),
        GB10 + gpu_operator(version="v25.3.3"),
        "the operator's device plugin is older",
    ),
    (
        GB10 + RELEASE.format(chart="nvidia-device-plugin", version="0.17.1", values=""),
        GB10 + RELEASE.format(chart="nvidia-device-plugin", version="0.17.4", values=""),
        "the device plugin is older",
    ),
    (
        GB10 + RELEASE.format(chart="nvidia-dra-driver-gpu", version="25.12.0", values=DRA),
        B200 + RELEASE.format(chart="nvidia-dra-driver-gpu", version="25.12.0", values=DRA),
        "the DRA driver until 25.12.0",
    ),
    (
        GB10 + RELEASE.format(chart="hami", version="2.9.0", values=""),
        GB10
        + RELEASE.format(
            chart="hami",
            version="2.9.0",
            values="devicePlugin: {preConfiguredDeviceMemory: 131072}",
        ),
        "HAMi cannot read the memory",
    ),
    (
        pod("hostUsers: false") + gpu_operator(),
        pod("hostUsers: false", "cpu: 1") + gpu_operator(),
        "does not work with the container toolkit",
    ),
    (
        pod("runtimeClassName: nvidia-cdi") + gpu_operator("cdi: {enabled: false}"),
        pod("runtimeClassName: nvidia-cdi") + gpu_operator(),
        "only with CDI, but `cdi.enabled` is false",
    ),
    (
        pod("runtimeClassName: nvidia-legacy") + gpu_operator(version="v25.3.4"),
        pod("runtimeClassName: nvidia-legacy") + gpu_operator("cdi: {enabled: true}", "v25.3.4"),
        "which is off by default before 25.10",
    ),
    (
        pod() + RKE2 + gpu_operator(f"toolkit: {{env: [{K3S_SOCKET}]}}", "v25.3.4"),
        pod() + RKE2 + gpu_operator(f"toolkit: {{env: [{K3S_SOCKET}]}}", "v25.10.1"),
        "which RKE2 needs",
    ),
    (
        pod(
            "",
            "nvidia.com/gpu: 1, nvidia.com/gpumem: 4000",
            "{name: CUDA_DISABLE_CONTROL, value: 'true'}",
        ),
        pod("", "nvidia.com/gpu: 1", "{name: CUDA_DISABLE_CONTROL, value: 'true'}"),
        "turns off HAMi's limits",
    ),
]
SHOWN = tuple(each[-1] for each in (*OF_OPERATOR, *OF_CHARTS, *OF_KINDS, *OF_SETS))


def messages(text: str) -> list[str]:
    return [one.found.message for one in raised(text) if one.rule.code in CODES]


def check(wrong: str, right: str, word: str) -> None:
    assert any(word in message for message in messages(wrong)), messages(wrong)
    assert not any(word in message for message in messages(right)), messages(right)


@pytest.mark.parametrize(
    ("wrong", "release", "right", "other", "beside", "word"), OF_OPERATOR, ids=lambda one: one[-30:]
)
def test_values_of_the_operator(
    wrong: str, release: str, right: str, other: str, beside: str, word: str
) -> None:
    check(gpu_operator(wrong, release) + beside, gpu_operator(right, other) + beside, word)


@pytest.mark.parametrize(("chart", "release", "wrong", "right", "beside", "word"), OF_CHARTS)
def test_values_of_charts(
    chart: str, release: str, wrong: str, right: str, beside: str, word: str
) -> None:
    def text(values: str) -> str:
        return RELEASE.format(chart=chart, version=release, values=values) + beside

    check(text(wrong), text(right), word)


@pytest.mark.parametrize(("kind", "wrong", "right", "beside", "word"), OF_KINDS)
def test_specs_of_kinds(kind: str, wrong: str, right: str, beside: str, word: str) -> None:
    check(obj(kind, wrong) + beside, obj(kind, right) + beside, word)


@pytest.mark.parametrize(("wrong", "right", "word"), OF_SETS, ids=lambda one: one[-30:])
def test_objects_together(wrong: str, right: str, word: str) -> None:
    check(wrong, right, word)


@pytest.mark.parametrize(
    ("wrong", "beside", "word"),
    [
        ("", UBUNTU, "runs K3s or RKE2"),
        ("driver: {enabled: true}", UBUNTU, "its driver from a system"),
        ("driver: {enabled: false}", aks_class("Managed"), "neither AKS"),
        ("", node_class("bottlerocket@v1") + node_class("al2023@v1"), "the operator's sharing"),
        ("cdi: {nriPluginEnabled: true}", UBUNTU, "does not support CRI-O"),
    ],
)
def test_other_distributions_are_left_alone(wrong: str, beside: str, word: str) -> None:
    assert not any(word in each for each in messages(gpu_operator(wrong, "v26.3.1") + beside))


def test_values_that_others_are_laid_over_name_no_release() -> None:
    over = "  valuesFrom: [{kind: ConfigMap, name: more}]\n---\n"
    release = gpu_operator(version="v25.3.0").removesuffix("---\n")
    assert messages(release)
    assert not messages(release + over)


def test_the_releases_of_components() -> None:
    assert component_releases("gpu-operator", "25.3.2")["driver.version"] == "570.148.08"
    assert component_releases("gpu-operator", "27.1.0")["driver.version"] == "595.91.07"
    assert not component_releases("gpu-operator", "25.3")
    assert not component_releases("gpu-operator", "latest")
    assert not component_releases("kueue", "0.14.0")


def test_each_row_about_pods_is_shown() -> None:
    for row in contradictions_of("pod"):
        assert any(word in row.says for word in SHOWN), row.says
