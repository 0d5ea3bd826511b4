// Command recorder makes a copy of Kubernetes' sources record what their own tests validate.
//
// Usage: recorder TREE. Printed are the packages whose tests then record; they write to $RECORDED_TO
// (record/record.go).
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const module = "k8s.io/kubernetes"

// tested are the folders whose tests validate objects, and tables of them.
var tested = []string{
	"pkg/apis/*/validation/*_test.go",
	"pkg/registry/*/*/strategy_test.go",
	"test/declarative_validation/*/*/*_test.go",
}

// validating are the files whose functions are told from here what they are called with.
var validating = []string{"pkg/apis/*/validation/*.go", "pkg/registry/*/*/strategy.go"}

func main() {
	log.SetFlags(0)
	tree := os.Args[1]
	check(writeRecord(tree))
	for _, file := range matches(tree, validating) {
		if !strings.HasSuffix(file, "_test.go") {
			check(instrument(file))
		}
	}
	var packages []string
	for _, file := range matches(tree, tested) {
		folder, _ := filepath.Rel(tree, filepath.Dir(file))
		if name := filepath.ToSlash(filepath.Join(module, folder)); !slices.Contains(packages, name) {
			packages = append(packages, name)
			check(writeKindsTest(file))
		}
	}
	fmt.Println(strings.Join(packages, "\n"))
}

func matches(tree string, patterns []string) (files []string) {
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join(tree, filepath.FromSlash(pattern)))
		check(err)
		files = append(files, found...)
	}
	return files
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
