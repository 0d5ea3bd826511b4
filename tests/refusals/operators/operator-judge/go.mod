// Which modules the judge is built from stands in modules/*/go.mod: operators that agree on one
// Kubernetes are built together. This file only says that here is a module.
module gpuspec.dev/tests/refusals/operators/operator-judge

go 1.26.0
