// Command operator-judge says what a cluster with one operator answers to a create of each object: the API
// server with the operator's CustomResourceDefinitions, then its webhooks, then what its controllers check
// before they make anything; each with its own code. A build tag says which operator.
//
// Usage: operator-judge FOLDER <objects.jsonl. FOLDER has the definitions. Each line of output is a
// Verdict. What webhooks look up in a cluster is not there.
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"os"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
)

const most = 1 << 26 // bytes of one object

func main() {
	ctrl.SetLogger(logr.Discard())
	definitions := read(os.Args[1])
	operator := registered(running)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, most)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	write := json.NewEncoder(out)
	write.SetEscapeHTML(false)
	for lines.Scan() {
		check(write.Encode(create(definitions, operator, lines.Bytes())))
	}
	check(lines.Err())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
