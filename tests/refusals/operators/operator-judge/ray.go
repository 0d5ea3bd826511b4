//go:build ray

package main

import (
	"encoding/json"

	ray "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/utils"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Its webhooks are off unless somebody switches them on; its controllers look at all that they do.
var running = operator{controllers: map[schema.GroupVersionKind]func([]byte) error{
	ray.GroupVersion.WithKind("RayCluster"): rayCluster,
	ray.GroupVersion.WithKind("RayJob"):     rayJob,
	ray.GroupVersion.WithKind("RayService"): rayService,
	ray.GroupVersion.WithKind("RayCronJob"): rayCronJob,
}}

func rayCluster(text []byte) error {
	var one ray.RayCluster
	check(json.Unmarshal(text, &one))
	return first(
		func() error { return utils.ValidateRayClusterMetadata(one.ObjectMeta) },
		func() error { return utils.ValidateRayClusterSpec(&one.Spec, one.Annotations) },
		func() error { return utils.ValidateRayClusterUpgradeOptions(&one) },
	)
}

// rayJob judges the cluster too, which the job makes and another controller then refuses.
func rayJob(text []byte) error {
	var one ray.RayJob
	check(json.Unmarshal(text, &one))
	return first(
		func() error { return utils.ValidateRayJobMetadata(one.ObjectMeta) },
		func() error { return utils.ValidateRayJobSpec(&one) },
		func() error { return made(one.Spec.RayClusterSpec, one.Annotations) },
	)
}

func rayService(text []byte) error {
	var one ray.RayService
	check(json.Unmarshal(text, &one))
	return first(
		func() error { return utils.ValidateRayServiceMetadata(one.ObjectMeta) },
		func() error { return utils.ValidateRayServiceSpec(&one) },
		func() error { return made(&one.Spec.RayClusterSpec, one.Annotations) },
	)
}

func rayCronJob(text []byte) error {
	var one ray.RayCronJob
	check(json.Unmarshal(text, &one))
	return utils.ValidateRayCronJobSpec(&one)
}

func made(spec *ray.RayClusterSpec, annotations map[string]string) error {
	if spec == nil {
		return nil
	}
	return utils.ValidateRayClusterSpec(spec, annotations)
}

func first(checks ...func() error) error {
	for _, one := range checks {
		if err := one(); err != nil {
			return err
		}
	}
	return nil
}
