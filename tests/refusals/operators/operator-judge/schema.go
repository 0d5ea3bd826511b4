package main

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

// definition is what the server keeps of one version of a CustomResourceDefinition.
type definition struct {
	schema     *structural.Structural
	validator  validation.SchemaValidator
	rules      *cel.Validator
	namespaced bool
}

type definitions map[schema.GroupVersionKind]definition

func read(folder string) definitions {
	found := definitions{}
	check(filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		check(err)
		for _, document := range strings.Split(string(text), "\n---") {
			var crd v1.CustomResourceDefinition
			check(yaml.Unmarshal([]byte(document), &crd))
			found.add(crd)
		}
		return nil
	}))
	return found
}

func (d definitions) add(crd v1.CustomResourceDefinition) {
	for _, version := range crd.Spec.Versions {
		if !version.Served {
			continue
		}
		var internal apiextensions.CustomResourceValidation
		check(v1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(version.Schema, &internal, nil))
		made, err := structural.NewStructural(internal.OpenAPIV3Schema)
		check(err)
		validator, _, err := validation.NewSchemaValidator(internal.OpenAPIV3Schema)
		check(err)
		kind := schema.GroupVersionKind{Group: crd.Spec.Group, Version: version.Name, Kind: crd.Spec.Names.Kind}
		d[kind] = definition{made, validator, cel.NewValidator(made, true, celconfig.PerCallLimit), crd.Spec.Scope == v1.NamespaceScoped}
	}
}

// decode does what the server does before it asks anybody: it refuses what the definition does not
// know, and fills in what it has defaults for.
func (d definition) decode(text []byte) (map[string]any, []Error) {
	var object map[string]any
	if err := utiljson.Unmarshal(text, &object); err != nil {
		return nil, []Error{{"", "Undecodable", err.Error()}}
	}
	_, _, unknown, err := objectmeta.GetObjectMetaWithOptions(object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, []Error{{"metadata", "Undecodable", err.Error()}}
	}
	unknown = append(unknown, pruning.PruneWithOptions(object, d.schema, true, structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
	var found []Error
	for _, path := range unknown {
		found = append(found, Error{path, "UnknownField", "unknown field"})
	}
	d.fill(object)
	if meta, ok := object["metadata"].(map[string]any); ok && d.namespaced && meta["namespace"] == nil {
		meta["namespace"] = metav1.NamespaceDefault // as the request has it
	}
	return object, found
}

func (d definition) fill(object map[string]any) {
	defaulting.PruneNonNullableNullsWithoutDefaults(object, d.schema)
	defaulting.Default(object, d.schema)
}

// judge is what the server refuses of an object that webhooks have filled in.
func (d definition) judge(object map[string]any) []Error {
	errs := validation.ValidateCustomResource(nil, object, d.validator)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, d.schema, object)...)
	errs = append(errs, objectmeta.Validate(nil, object, d.schema, false)...)
	errs = append(errs, d.metadata(object)...)
	if len(errs) == 0 && d.rules != nil {
		broken, _ := d.rules.Validate(context.Background(), nil, d.schema, object, nil, celconfig.RuntimeCELCostBudget)
		errs = append(errs, broken...)
	}
	if len(errs) == 0 {
		return nil
	}
	return told(errs.ToAggregate())
}

func (d definition) metadata(object map[string]any) field.ErrorList {
	text, err := json.Marshal(object["metadata"])
	check(err)
	var meta metav1.ObjectMeta
	check(json.Unmarshal(text, &meta))
	if meta.Name == "" && meta.GenerateName != "" {
		meta.Name = meta.GenerateName + "12345" // as the server does before
	}
	return apivalidation.ValidateObjectMeta(&meta, d.namespaced, apivalidation.NameIsDNSSubdomain, field.NewPath("metadata"))
}
