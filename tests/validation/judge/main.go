// Command crd-judge says what an API server would refuse of custom resources: it does to each what
// the request handler does to a create with strict field validation, with the same code.
//
// Usage: crd-judge FOLDER <objects.jsonl. FOLDER has CustomResourceDefinitions in */*.yaml. Each
// line of input is an object; each line of output is the list of what is wrong with it, or null if
// there is no definition of its kind. Expressions (CEL) and metadata's values are not looked at.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"log"
	"os"
	"path/filepath"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// kind is what the server keeps of one version of a definition.
type kind struct {
	schema    *structural.Structural
	validator validation.SchemaValidator
}

func main() {
	kinds := map[string]kind{}
	files, err := filepath.Glob(filepath.Join(os.Args[1], "*", "*.yaml"))
	check(err)
	for _, file := range files {
		read(file, kinds)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var object map[string]interface{}
		check(utiljson.Unmarshal(lines.Bytes(), &object))
		apiVersion, _ := object["apiVersion"].(string)
		name, _ := object["kind"].(string)
		var wrong []string
		if known, ok := kinds[apiVersion+" "+name]; ok {
			wrong = known.judge(object)
		}
		check(out.Encode(wrong))
	}
	check(lines.Err())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func read(file string, kinds map[string]kind) {
	text, err := os.ReadFile(file)
	check(err)
	var crd v1.CustomResourceDefinition
	check(yaml.Unmarshal(text, &crd))
	for _, version := range crd.Spec.Versions {
		if !version.Served {
			continue
		}
		var internal apiextensions.CustomResourceValidation
		check(v1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(
			version.Schema, &internal, nil))
		schema, err := structural.NewStructural(internal.OpenAPIV3Schema)
		check(err)
		validator, _, err := validation.NewSchemaValidator(internal.OpenAPIV3Schema)
		check(err)
		kinds[crd.Spec.Group+"/"+version.Name+" "+crd.Spec.Names.Kind] = kind{schema, validator}
	}
}

func (k kind) judge(object map[string]interface{}) []string {
	wrong := []string{}
	_, _, unknown, err := objectmeta.GetObjectMetaWithOptions(
		object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return append(wrong, "metadata: "+err.Error())
	}
	unknown = append(unknown, pruning.PruneWithOptions(
		object, k.schema, true, structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
	for _, path := range unknown {
		wrong = append(wrong, "unknown field "+path)
	}
	defaulting.PruneNonNullableNullsWithoutDefaults(object, k.schema)
	defaulting.Default(object, k.schema)
	errs := validation.ValidateCustomResource(nil, object, k.validator)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, k.schema, object)...)
	errs = append(errs, objectmeta.Validate(context.Background(), nil, object, k.schema, false)...)
	for _, err := range errs {
		wrong = append(wrong, err.Error())
	}
	return wrong
}
