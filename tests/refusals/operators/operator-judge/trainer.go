//go:build trainer

package main

import (
	"context"
	"encoding/json"

	config "github.com/kubeflow/trainer/v2/pkg/apis/config/v1alpha1"
	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"github.com/kubeflow/trainer/v2/pkg/constants"
	"github.com/kubeflow/trainer/v2/pkg/runtime/core"
	"github.com/kubeflow/trainer/v2/pkg/webhooks"
	batch "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubernetes "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
)

// A TrainJob's webhook asks for its runtime. That is the one of its name that was judged before; else one is
// made up which has all jobs and containers that the TrainJob names, so that what is refused is refused whatever
// the runtime.
var running = operator{
	scheme: []func(*runtime.Scheme) error{kubernetes.AddToScheme, trainer.AddToScheme, jobset.AddToScheme},
	setup: func(m manager.Manager) error {
		known, err := core.New(context.Background(), cluster{m.GetClient(), m}, m.GetFieldIndexer(), &config.Configuration{})
		if err != nil {
			return err
		}
		_, err = webhooks.Setup(m, known)
		return err
	},
	before: func(kind schema.GroupVersionKind, text []byte) {
		switch kind.Kind {
		case trainer.TrainJobKind:
			job = trainer.TrainJob{}
			check(json.Unmarshal(text, &job))
		case trainer.TrainingRuntimeKind:
			var one trainer.TrainingRuntime
			check(json.Unmarshal(text, &one))
			runtimes[client.ObjectKeyFromObject(&one)] = one.Spec
		case trainer.ClusterTrainingRuntimeKind:
			var one trainer.ClusterTrainingRuntime
			check(json.Unmarshal(text, &one))
			runtimes[client.ObjectKeyFromObject(&one)] = one.Spec
		}
	},
}

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
		spec.Template.Spec.ReplicatedJobs = append(spec.Template.Spec.ReplicatedJobs, jobset.ReplicatedJob{
			Name:     name,
			Template: batch.JobTemplateSpec{Spec: batch.JobSpec{Template: corev1.PodTemplateSpec{Spec: pod}}},
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
