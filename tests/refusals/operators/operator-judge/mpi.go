//go:build mpi

package main

import (
	"encoding/json"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	"github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var running = operator{controllers: map[schema.GroupVersionKind]func([]byte) error{
	mpi.SchemeGroupVersion.WithKind("MPIJob"): mpiJob,
}}

// mpiJob is what the first lines of a sync do (pkg/controller/mpi_job_controller.go).
func mpiJob(text []byte) error {
	var job mpi.MPIJob
	check(json.Unmarshal(text, &job))
	mpi.SetDefaults_MPIJob(&job)
	return validation.ValidateMPIJob(&job).ToAggregate()
}
