//go:build appwrapper

package main

import (
	appwrapper "github.com/project-codeflare/appwrapper/api/v1beta2"
	"github.com/project-codeflare/appwrapper/internal/webhook"
	"github.com/project-codeflare/appwrapper/pkg/config"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// Its webhook is internal to its module: modules/appwrapper is named as a part of that. What a user may create is
// for a cluster to say.
var running = operator{
	scheme: []func(*runtime.Scheme) error{appwrapper.AddToScheme},
	setup: func(m manager.Manager) error {
		return webhook.SetupAppWrapperWebhook(m, &config.AppWrapperConfig{UserRBACAdmissionCheck: false})
	},
}
