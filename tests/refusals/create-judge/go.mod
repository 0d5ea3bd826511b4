// Which modules the judge is built from stands in the go.mod of the control plane of its minor
// (tests/control_plane/tools-*): they are one Kubernetes. This file only says that here is a module.
module gpuspec.dev/tests/refusals/create-judge

go 1.25.0
