//go:build lws

package main

import (
	"k8s.io/apimachinery/pkg/runtime"
	lws "sigs.k8s.io/lws/api/leaderworkerset/v1"
	"sigs.k8s.io/lws/pkg/webhooks"
)

var running = operator{
	scheme: []func(*runtime.Scheme) error{lws.AddToScheme},
	setup:  webhooks.SetupLeaderWorkerSetWebhook,
}
