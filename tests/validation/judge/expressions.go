package main

import (
	"encoding/json"
	"fmt"

	celgo "github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
)

// asked is an expression and the variables that it may use, each of no known type.
type asked struct {
	Expression string                 `json:"expression"`
	Variables  map[string]interface{} `json:"variables"`
}

// answer is what an expression comes to in the environment that a server gives it: the type that it
// was found to have and its value, or why it does not compile or evaluate.
type answer struct {
	Type    string `json:"type,omitempty"`
	Value   string `json:"value,omitempty"`
	Compile string `json:"compile,omitempty"`
	Error   string `json:"error,omitempty"`
}

var environments = map[string]*celgo.Env{}

func expression(line []byte) interface{} {
	var given asked
	check(json.Unmarshal(line, &given))
	env := with(given.Variables)
	ast, issues := env.Compile(given.Expression)
	if issues.Err() != nil {
		return answer{Compile: issues.Err().Error()}
	}
	kind := ast.OutputType().String()
	program, err := env.Program(ast)
	if err != nil {
		return answer{Type: kind, Error: err.Error()}
	}
	value, _, err := program.Eval(given.Variables)
	if err != nil {
		return answer{Type: kind, Error: err.Error()}
	}
	return answer{Type: kind, Value: fmt.Sprintf("%s: %v", value.Type().TypeName(), value.Value())}
}

// with is the environment of the newest version that has some variables.
func with(variables map[string]interface{}) *celgo.Env {
	key := ""
	options := []celgo.EnvOption{}
	for name := range variables {
		options = append(options, celgo.Variable(name, celgo.DynType))
	}
	names, err := json.Marshal(keys(variables))
	check(err)
	key = string(names)
	if found, ok := environments[key]; ok {
		return found
	}
	base := environment.MustBaseEnvSet(version.MajorMinor(1, 37))
	extended, err := base.Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0), EnvOptions: options})
	check(err)
	made, err := extended.Env(environment.StoredExpressions)
	check(err)
	environments[key] = made
	return made
}

func keys(variables map[string]interface{}) map[string]bool {
	found := map[string]bool{}
	for name := range variables {
		found[name] = true
	}
	return found
}
