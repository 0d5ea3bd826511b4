//go:build trainer

package main

import (
	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"github.com/kubeflow/trainer/v2/pkg/webhooks"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// A TrainJob's webhook asks for its runtime in the cluster, which is not there.
var running = operator{
	scheme: []func(*runtime.Scheme) error{trainer.AddToScheme},
	setup: func(m manager.Manager) error {
		_, err := webhooks.Setup(m, nil)
		return err
	},
}
