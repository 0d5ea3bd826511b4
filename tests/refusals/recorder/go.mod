// Which modules this is built from stands in the go.mod of the control plane of its minor
// (tests/control_plane/tools-*), as of create-judge beside. This file only says that here is a module.
module gpuspec.dev/tests/refusals/recorder

go 1.25.0
