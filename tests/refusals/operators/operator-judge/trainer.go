//go:build trainer

package main

import (
	"context"
	"encoding/json"

	config "github.com/kubeflow/trainer/v2/pkg/apis/config/v1alpha1"
	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"github.com/kubeflow/trainer/v2/pkg/runtime/core"
	"github.com/kubeflow/trainer/v2/pkg/webhooks"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubernetes "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
)

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
