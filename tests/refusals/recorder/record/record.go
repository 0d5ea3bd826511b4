// Package gpuspecrecord writes down what tests of Kubernetes validate, as objects that a server is sent.
//
// Each test binary writes lines of JSON to a file of its own in the folder $RECORDED_TO: {"test", "object"}.
package gpuspecrecord

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"sync"
)

// Line is one object, and the test that validates it.
type Line struct {
	Test   string `json:"test"`
	Object any    `json:"object"`
}

var (
	lock  sync.Mutex
	seen  = map[string]bool{}
	lines *json.Encoder
)

// validates tells functions that call Called, and tests the ones of a test.
var validates = regexp.MustCompile(`^k8s\.io/kubernetes/pkg/(apis|registry)/.*\.[Vv]alidate\w*$`)
var tests = regexp.MustCompile(`\.(Test\w+)`)

// tested is the package whose tests run: `go test` runs them in its folder of the tree.
var tested = sync.OnceValue(func() string {
	folder, _ := os.Getwd()
	_, name, _ := strings.Cut(filepath.ToSlash(folder), "/kubernetes/")
	return name
})

// Called is told what a function that validates is called with. Recorded is what a test calls it with,
// and not what such functions call each other with, which are parts of the same.
func Called(arguments ...any) {
	test, inner := caller()
	if inner {
		return
	}
	for _, argument := range arguments {
		value := reflect.ValueOf(argument)
		for value.IsValid() && value.Kind() == reflect.Pointer && !value.IsNil() {
			value = value.Elem()
		}
		if !value.IsValid() || value.Kind() == reflect.Pointer {
			continue
		}
		if object := external(value); object != nil {
			write(Line{tested() + " " + test, object})
		}
	}
}

// caller is the test that is running, as far as the stack says, and whether another function that calls
// Called is around the one that did. A test that runs parts of itself by a helper is not on their stack.
func caller() (test string, inner bool) {
	counters := make([]uintptr, 64)
	frames := runtime.CallersFrames(counters[:runtime.Callers(4, counters)])
	for {
		frame, more := frames.Next()
		if validates.MatchString(frame.Function) && !strings.HasSuffix(frame.File, "_test.go") {
			return "", true
		}
		if found := tests.FindStringSubmatch(frame.Function); found != nil {
			return found[1], false
		}
		if !more {
			return "tests", false
		}
	}
}

func write(line Line) {
	lock.Lock()
	defer lock.Unlock()
	text, err := json.Marshal(line.Object)
	if err != nil || seen[string(text)] {
		return // what has no JSON, no server is sent
	}
	seen[string(text)] = true
	if lines == nil {
		file, err := os.CreateTemp(os.Getenv("RECORDED_TO"), "*.jsonl")
		if err != nil {
			panic(err)
		}
		lines = json.NewEncoder(file)
	}
	if err := lines.Encode(Line{line.Test, json.RawMessage(text)}); err != nil {
		panic(err)
	}
}
