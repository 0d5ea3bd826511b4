//go:build trainer || kueue

package main

import (
	"context"
	"math"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"github.com/kubeflow/trainer/v2/pkg/constants"
	batch "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
)

// Who judges a TrainJob asks for its runtime. That is the one of its name that was judged before; else one is
// made up which has all jobs and containers that the TrainJob names, and as many pods as there can be, so that what is refused is refused whatever
// the runtime.
var (
	job      trainer.TrainJob // the one that is judged
	runtimes = map[client.ObjectKey]trainer.TrainingRuntimeSpec{}
)

type cluster struct {
	client.Client
	manager manager.Manager
}

func (c cluster) Scheme() *runtime.Scheme     { return c.manager.GetScheme() }
func (c cluster) RESTMapper() meta.RESTMapper { return every{} }

func (c cluster) Get(ctx context.Context, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
	spec, ok := runtimes[key]
	if !ok {
		spec = madeUp()
	}
	switch one := object.(type) {
	case *trainer.TrainingRuntime:
		one.Spec = spec
	case *trainer.ClusterTrainingRuntime:
		one.Spec = spec
	default:
		return c.Client.Get(ctx, key, object, options...)
	}
	object.SetName(key.Name)
	object.SetNamespace(key.Namespace)
	return nil
}

func madeUp() trainer.TrainingRuntimeSpec {
	names := map[string][]string{}
	if each := job.Spec.Initializer; each != nil && each.Dataset != nil {
		names[constants.DatasetInitializer] = []string{constants.DatasetInitializer}
	}
	if each := job.Spec.Initializer; each != nil && each.Model != nil {
		names[constants.ModelInitializer] = []string{constants.ModelInitializer}
	}
	for _, patch := range job.Spec.RuntimePatches {
		if patch.TrainingRuntimeSpec == nil || patch.TrainingRuntimeSpec.Template == nil || patch.TrainingRuntimeSpec.Template.Spec == nil {
			continue
		}
		for _, each := range patch.TrainingRuntimeSpec.Template.Spec.ReplicatedJobs {
			names[each.Name] = append(names[each.Name], containers(each)...)
		}
	}
	var spec trainer.TrainingRuntimeSpec
	for name, inside := range names {
		var pod corev1.PodSpec
		for _, container := range inside {
			pod.Containers = append(pod.Containers, corev1.Container{
				Name: container, VolumeMounts: []corev1.VolumeMount{{Name: "initializer", MountPath: "/workspace"}},
			})
		}
		many := int32(math.MaxInt32)
		spec.Template.Spec.ReplicatedJobs = append(spec.Template.Spec.ReplicatedJobs, jobset.ReplicatedJob{
			Name:     name,
			Replicas: 1,
			Template: batch.JobTemplateSpec{Spec: batch.JobSpec{
				Parallelism: &many, Completions: &many, Template: corev1.PodTemplateSpec{Spec: pod},
			}},
		})
	}
	return spec
}

func containers(patch trainer.ReplicatedJobPatch) (names []string) {
	if patch.Template == nil || patch.Template.Spec == nil || patch.Template.Spec.Template == nil || patch.Template.Spec.Template.Spec == nil {
		return nil
	}
	for _, each := range patch.Template.Spec.Template.Spec.InitContainers {
		names = append(names, each.Name)
	}
	for _, each := range patch.Template.Spec.Template.Spec.Containers {
		names = append(names, each.Name)
	}
	return names
}
