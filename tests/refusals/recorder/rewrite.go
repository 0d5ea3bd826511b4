package main

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sources are the package that records. Its own name is one that no package of Kubernetes has.
//
//go:embed record/*.go
var sources embed.FS

const (
	recordPackage = "pkg/gpuspecrecord"
	installs      = "pkg/apis/*/install"
)

// writeRecord puts the package that records into a tree, and one that has every kind registered.
func writeRecord(tree string) error {
	files, err := sources.ReadDir("record")
	if err != nil {
		return err
	}
	folder := filepath.Join(tree, recordPackage)
	if err := os.MkdirAll(filepath.Join(folder, "kinds"), 0o755); err != nil {
		return err
	}
	for _, file := range files {
		text, err := sources.ReadFile("record/" + file.Name())
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, file.Name()), text, 0o644); err != nil {
			return err
		}
	}
	kinds := "package kinds\n\nimport (\n"
	for _, found := range matches(tree, []string{installs}) {
		name, _ := filepath.Rel(tree, found)
		kinds += fmt.Sprintf("\t_ %q\n", module+"/"+filepath.ToSlash(name))
	}
	return os.WriteFile(filepath.Join(folder, "kinds", "kinds.go"), []byte(kinds+")\n"), 0o644)
}

// writeKindsTest lets the tests of a package know every kind: what they validate can be of any. The
// file is of the package outside, which may import what imports the package that is tested.
func writeKindsTest(beside string) error {
	file, err := parser.ParseFile(token.NewFileSet(), beside, nil, parser.PackageClauseOnly)
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(file.Name.Name, "_test") + "_test"
	text := fmt.Sprintf("package %s\n\nimport _ %q\n", name, module+"/"+recordPackage+"/kinds")
	return os.WriteFile(filepath.Join(filepath.Dir(beside), "gpuspec_kinds_test.go"), []byte(text), 0o644)
}

// instrument lets every function of a file that validates say what it is called with.
func instrument(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	type insertion struct {
		at   int
		text string
	}
	insertions := []insertion{{
		files.Position(file.Name.End()).Offset,
		fmt.Sprintf("\nimport gpuspecrecord %q\n", module+"/"+recordPackage),
	}}
	for _, declared := range file.Decls {
		function, ok := declared.(*ast.FuncDecl)
		if !ok || function.Body == nil || !validates(function.Name.Name) {
			continue
		}
		if names := parameters(function); len(names) > 0 {
			call := fmt.Sprintf(" gpuspecrecord.Called(%s);", strings.Join(names, ", "))
			insertions = append(insertions, insertion{files.Position(function.Body.Lbrace).Offset + 1, call})
		}
	}
	if len(insertions) == 1 {
		return nil
	}
	slices.Reverse(insertions)
	for _, one := range insertions {
		text = slices.Concat(text[:one.at], []byte(one.text), text[one.at:])
	}
	return os.WriteFile(path, text, 0o644)
}

func validates(name string) bool {
	return strings.HasPrefix(strings.ToLower(name), "validate")
}

func parameters(function *ast.FuncDecl) (names []string) {
	for _, field := range function.Type.Params.List {
		for _, name := range field.Names {
			if name.Name != "_" {
				names = append(names, name.Name)
			}
		}
	}
	return names
}
