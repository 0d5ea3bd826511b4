// Command create-judge says what an API server of one minor answers to a create of each object, with
// strict field validation and the server's default flags: with its own code, up to where it stores.
//
// Usage: create-judge <objects.jsonl, or create-judge -yaml <documents.yaml, or create-judge -kinds.
// Each line of output is a Verdict; of -kinds, a kind that is served.
//
// What needs a cluster is not judged: admission plugins, whether what an object names is there, and
// which addresses and node ports Services may have.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log"
	"os"
	"runtime/debug"

	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/capabilities"
)

const most = 1 << 26 // bytes of one object

func main() {
	debug.SetGCPercent(400) // what one create leaves is garbage, and nothing else is
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	asYAML := flag.Bool("yaml", false, "read YAML documents")
	list := flag.Bool("kinds", false, "list what is served")
	flag.Parse()

	capabilities.Setup(true, 0) // every distribution starts its server with --allow-privileged
	kinds, err := served()
	check(err)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	write := json.NewEncoder(out)
	write.SetEscapeHTML(false)
	if *list {
		for _, kind := range sorted(kinds) {
			check(write.Encode(kind))
		}
		return
	}
	judge := judge{kinds: kinds, mediaType: runtime.ContentTypeJSON}
	next := lines(os.Stdin)
	if *asYAML {
		judge.mediaType = runtime.ContentTypeYAML
		next = utilyaml.NewYAMLReader(bufio.NewReader(os.Stdin)).Read
	}
	for {
		text, err := next()
		if errors.Is(err, io.EOF) {
			return
		}
		check(err)
		check(write.Encode(judge.create(text)))
	}
}

func lines(from io.Reader) func() ([]byte, error) {
	scanner := bufio.NewScanner(from)
	scanner.Buffer(nil, most)
	return func() ([]byte, error) {
		if !scanner.Scan() {
			return nil, cmp.Or(scanner.Err(), io.EOF)
		}
		return scanner.Bytes(), nil
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
