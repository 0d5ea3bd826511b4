// Runs AppWrapper's controllers, on ports that are given: its own program always listens on 9443, so that
// two could not run side by side.
//
// It waits a second where it comes to wait for a minute or more. Its webhook is not asked.
package main

import (
	"flag"
	"os"
	"time"

	"github.com/project-codeflare/appwrapper/api/v1beta2"
	"github.com/project-codeflare/appwrapper/pkg/config"
	"github.com/project-codeflare/appwrapper/pkg/controller"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgo "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

func main() {
	probes := flag.String("health-probe-bind-address", ":8081", "where its probes are answered")
	port := flag.Int("webhook-server-port", 9443, "where its webhooks would listen")
	certificates := flag.String("webhook-cert-dir", "", "folder of tls.crt and tls.key")
	flag.Parse()
	ctrl.SetLogger(zap.New())

	scheme := runtime.NewScheme()
	utilruntime.Must(clientgo.AddToScheme(scheme))
	utilruntime.Must(v1beta2.AddToScheme(scheme))
	settings := config.NewAppWrapperConfig()
	settings.FaultTolerance.FailureGracePeriod = time.Second
	settings.FaultTolerance.RetryPausePeriod = time.Second
	must(config.ValidateAppWrapperConfig(settings))
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:                 scheme,
		Metrics:                server.Options{BindAddress: "0"},
		WebhookServer:          webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: *port, CertDir: *certificates}),
		HealthProbeBindAddress: *probes,
	})
	must(err)
	ready := make(chan struct{})
	close(ready)
	ctx := ctrl.SetupSignalHandler()
	must(controller.SetupControllers(manager, settings))
	must(controller.SetupIndexers(ctx, manager, settings))
	must(controller.SetupProbeEndpoints(manager, ready))
	must(manager.Start(ctx))
}

func must(err error) {
	if err != nil {
		ctrl.Log.Error(err, "it cannot run")
		os.Exit(1)
	}
}
