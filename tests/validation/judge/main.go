// Command crd-judge says what an API server would refuse of custom resources: it does to each what
// the request handler does to a create with strict field validation, with the same code.
//
// Usage: crd-judge FOLDER <objects.jsonl. FOLDER has CustomResourceDefinitions in */*.yaml. Each
// line of input is an object; each line of output is the list of what is wrong with it, or null if
// there is no definition of its kind. Metadata's values are not looked at.
//
// Usage: crd-judge -expressions <expressions.jsonl. See expressions.go.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"log"
	"math"
	"os"
	"path/filepath"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

// kind is what the server keeps of one version of a definition.
type kind struct {
	schema    *structural.Structural
	validator validation.SchemaValidator
	rules     *cel.Validator
}

// said is one thing that is wrong; IsRule, that an expression (CEL) says so.
type said struct {
	Field   string `json:"field"`
	Message string `json:"message"`
	IsRule  bool   `json:"isRule"`
}

func main() {
	if os.Args[1] == "-expressions" {
		each(expression)
		return
	}
	kinds := map[string]kind{}
	files, err := filepath.Glob(filepath.Join(os.Args[1], "*", "*.yaml"))
	check(err)
	for _, file := range files {
		read(file, kinds)
	}
	each(func(line []byte) interface{} {
		var object map[string]interface{}
		check(utiljson.Unmarshal(line, &object))
		whole(object)
		apiVersion, _ := object["apiVersion"].(string)
		name, _ := object["kind"].(string)
		if known, ok := kinds[apiVersion+" "+name]; ok {
			return known.judge(object)
		}
		return nil
	})
}

// each answers every line of input with one of output.
func each(answer func([]byte) interface{}) {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		check(out.Encode(answer(lines.Bytes())))
	}
	check(lines.Err())
}

// whole makes 3.0 a 3, as kubectl does on the way from YAML.
func whole(value interface{}) interface{} {
	switch held := value.(type) {
	case map[string]interface{}:
		for name, inner := range held {
			held[name] = whole(inner)
		}
	case []interface{}:
		for index, inner := range held {
			held[index] = whole(inner)
		}
	case float64:
		if held == math.Trunc(held) && math.Abs(held) < 1<<53 {
			return int64(held)
		}
	}
	return value
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
		kinds[crd.Spec.Group+"/"+version.Name+" "+crd.Spec.Names.Kind] = kind{
			schema, validator, cel.NewValidator(schema, true, celconfig.PerCallLimit)}
	}
}

func (k kind) judge(object map[string]interface{}) []said {
	wrong := []said{}
	_, _, unknown, err := objectmeta.GetObjectMetaWithOptions(
		object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return append(wrong, said{Field: "metadata", Message: err.Error()})
	}
	unknown = append(unknown, pruning.PruneWithOptions(
		object, k.schema, true, structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
	for _, path := range unknown {
		wrong = append(wrong, said{Field: path, Message: "unknown field"})
	}
	defaulting.PruneNonNullableNullsWithoutDefaults(object, k.schema)
	defaulting.Default(object, k.schema)
	errs := validation.ValidateCustomResource(nil, object, k.validator)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, k.schema, object)...)
	errs = append(errs, objectmeta.Validate(context.Background(), nil, object, k.schema, false)...)
	blocked := false
	for _, err := range errs {
		wrong = append(wrong, said{Field: err.Field, Message: err.Error()})
		switch err.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong,
			field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			blocked = true
		}
	}
	if k.rules != nil && !blocked {
		errs, _ := k.rules.Validate(context.Background(), nil, k.schema, object, nil, celconfig.RuntimeCELCostBudget)
		for _, err := range errs {
			wrong = append(wrong, said{Field: err.Field, Message: err.Error(), IsRule: true})
		}
	}
	return wrong
}
