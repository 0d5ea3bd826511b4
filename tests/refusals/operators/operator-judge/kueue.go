//go:build kueue

package main

import (
	"context"
	"encoding/json"

	config "github.com/kubeflow/trainer/v2/pkg/apis/config/v1alpha1"
	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"github.com/kubeflow/trainer/v2/pkg/runtime/core"
	batch "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubernetes "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
	before "sigs.k8s.io/kueue/apis/kueue/v1beta1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	queues "sigs.k8s.io/kueue/pkg/cache/queue"
	quotas "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/controller/jobframework"
	_ "sigs.k8s.io/kueue/pkg/controller/jobs"
	"sigs.k8s.io/kueue/pkg/webhooks"
)

// Kueue's webhooks judge its own kinds, and the jobs of others, which their own judges have filled in before.
// All its integrations are on, and no job without the name of a queue is managed, as it is by default.
var running = operator{
	scheme: []func(*runtime.Scheme) error{kubernetes.AddToScheme, kueue.AddToScheme, before.AddToScheme},
	setup: func(m manager.Manager) error {
		if _, err := webhooks.Setup(m, nil); err != nil {
			return err
		}
		jobs := namespaced{m, cluster{m.GetClient(), m}}
		if err := jobframework.ForEachIntegration(func(_ string, one jobframework.IntegrationCallbacks) error {
			return ofJobs(jobs, one)
		}); err != nil {
			return err
		}
		_, err := core.New(context.Background(), jobs.client, m.GetFieldIndexer(), &config.Configuration{})
		return err
	},
	before: func(kind schema.GroupVersionKind, text []byte) {
		if kind.Kind == trainer.TrainJobKind {
			job = trainer.TrainJob{}
			check(json.Unmarshal(text, &job))
		}
	},
	others: ofOthers,
}

var ofOthers = map[schema.GroupVersionKind]func([]byte) []byte{}

func (m nowhere) GetConverterRegistry() conversion.Registry { return conversion.NewRegistry() }

// ofJobs registers the webhooks of one kind of jobs.
func ofJobs(m manager.Manager, one jobframework.IntegrationCallbacks) error {
	if one.AddToScheme != nil {
		check(one.AddToScheme(m.GetScheme()))
	}
	kind, err := apiutil.GVKForObject(one.JobType, m.GetScheme())
	check(err)
	ofOthers[kind] = asServed
	none := []jobframework.Option{
		jobframework.WithQueues(&queues.Manager{}), jobframework.WithCache(&quotas.Cache{}),
	}
	return one.SetupWebhook(m, none...)
}

// asServed fills in what the server does of its own Job, and a webhook of Kueue's reads.
func asServed(text []byte) []byte {
	var object map[string]any
	check(json.Unmarshal(text, &object))
	if object["apiVersion"] != batch.SchemeGroupVersion.String() {
		return text
	}
	var one batch.Job
	if err := json.Unmarshal(text, &one); err != nil {
		return text
	}
	number := int32(1)
	if one.Spec.Completions == nil && one.Spec.Parallelism == nil {
		one.Spec.Completions = &number
	}
	if one.Spec.Parallelism == nil {
		one.Spec.Parallelism = &number
	}
	made, err := json.Marshal(one)
	check(err)
	return made
}

// namespaced is a manager whose client finds every namespace.
type namespaced struct {
	manager.Manager
	client cluster
}

func (n namespaced) GetClient() client.Client { return everywhere{n.client} }

type everywhere struct{ cluster }

func (e everywhere) Get(ctx context.Context, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
	if one, ok := object.(*corev1.Namespace); ok {
		one.Name = key.Name
		return nil
	}
	return e.cluster.Get(ctx, key, object, options...)
}
