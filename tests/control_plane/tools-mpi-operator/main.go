// Runs the controller of Kubeflow's mpi-operator.
//
// The operator's own program is the leader of a cluster before it does anything, and answers probes on
// a port that nobody chooses. This one begins at once, where it is told; all else is the operator's.
package main

import (
	"context"
	"flag"
	"net/http"

	"github.com/kubeflow/mpi-operator/cmd/mpi-operator/app/options"
	"github.com/kubeflow/mpi-operator/pkg/client/clientset/versioned"
	kubeflow "github.com/kubeflow/mpi-operator/pkg/client/clientset/versioned/scheme"
	kinds "github.com/kubeflow/mpi-operator/pkg/client/informers/externalversions"
	"github.com/kubeflow/mpi-operator/pkg/controller"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

func main() {
	path := flag.String("kubeconfig", "", "how it reaches the API server")
	probes := flag.String("health-probe-bind-address", "", "where its probe is answered")
	flag.Parse()
	configuration, err := clientcmd.BuildConfigFromFlags("", *path)
	must(err)
	configuration.QPS, configuration.Burst = 300, 500
	client, err := kubernetes.NewForConfig(configuration)
	must(err)
	jobs, err := versioned.NewForConfig(configuration)
	must(err)
	utilruntime.Must(kubeflow.AddToScheme(scheme.Scheme))

	all := context.Background()
	core := informers.NewSharedInformerFactory(client, 0)
	own := kinds.NewSharedInformerFactory(jobs, 0)
	made, err := controller.NewMPIJobController(
		all, client, jobs, nil, nil,
		core.Core().V1().ConfigMaps(), core.Core().V1().Secrets(), core.Core().V1().Services(),
		core.Batch().V1().Jobs(), core.Core().V1().Pods(), core.Scheduling().V1().PriorityClasses(),
		own.Kubeflow().V2beta1().MPIJobs(),
		&options.ServerOption{Threadiness: 2, ControllerRateLimit: 10, ControllerBurst: 100},
	)
	must(err)
	core.Start(all.Done())
	own.Start(all.Done())
	http.HandleFunc("/readyz", func(http.ResponseWriter, *http.Request) {})
	go func() { must(http.ListenAndServe(*probes, nil)) }()
	must(made.Run(2, all.Done()))
}

func must(err error) {
	if err != nil {
		klog.Fatalf("it cannot run: %v", err)
	}
}
