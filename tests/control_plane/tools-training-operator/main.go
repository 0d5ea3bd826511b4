// Runs the controllers and webhooks of Kubeflow's training-operator for PyTorchJobs and TFJobs.
//
// The operator's own program waits for certificates that it writes into a Secret and reads back from a
// mounted volume, which only a pod has. This one is given a folder of certificates; all else is the operator's.
package main

import (
	"flag"
	"os"

	kubeflow "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	controllers "github.com/kubeflow/training-operator/pkg/controller.v1"
	"github.com/kubeflow/training-operator/pkg/controller.v1/common"
	"github.com/kubeflow/training-operator/pkg/webhooks"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgo "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

func main() {
	probes := flag.String("health-probe-bind-address", ":8081", "where its probes are answered")
	port := flag.Int("webhook-server-port", 9443, "where its webhooks listen")
	certificates := flag.String("webhook-cert-dir", "", "folder of tls.crt and tls.key")
	flag.Parse()
	ctrl.SetLogger(zap.New())

	scheme := runtime.NewScheme()
	utilruntime.Must(clientgo.AddToScheme(scheme))
	utilruntime.Must(kubeflow.AddToScheme(scheme))
	configuration := ctrl.GetConfigOrDie()
	configuration.QPS, configuration.Burst = 300, 500
	manager, err := ctrl.NewManager(configuration, ctrl.Options{
		Scheme:                 scheme,
		Metrics:                server.Options{BindAddress: "0"},
		WebhookServer:          webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: *port, CertDir: *certificates}),
		HealthProbeBindAddress: *probes,
	})
	must(err)
	for _, kind := range []string{kubeflow.PyTorchJobKind, kubeflow.TFJobKind} {
		must(controllers.SupportedSchemeReconciler[kind](manager, common.GenNonGangSchedulerSetupFunc(), 1))
		must(webhooks.SupportedSchemeWebhook[kind](manager))
	}
	must(manager.AddReadyzCheck("readyz", healthz.Ping))
	must(manager.Start(ctrl.SetupSignalHandler()))
}

func must(err error) {
	if err != nil {
		ctrl.Log.Error(err, "it cannot run")
		os.Exit(1)
	}
}
