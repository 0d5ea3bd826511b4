// Runs Argo CD's repo server and its plugin server, and asks them as Argo CD itself does.
//
// Argo CD's own program holds all of its servers in one, and takes long to build. Here are its commands of
// the two that a plugin meets, the store that the repo server keeps its answers in, and a client that hands
// on a question in JSON and prints the answer in JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	cmpserver "github.com/argoproj/argo-cd/v3/cmd/argocd-cmp-server/commands"
	reposerver "github.com/argoproj/argo-cd/v3/cmd/argocd-repo-server/commands"
	plugin "github.com/argoproj/argo-cd/v3/cmpserver/apiclient"
	repository "github.com/argoproj/argo-cd/v3/reposerver/apiclient"
	"github.com/argoproj/argo-cd/v3/util/cmp"
	"github.com/argoproj/argo-cd/v3/util/tls"
	"github.com/spf13/cobra"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
)

// question is what the client reads: what is asked of which server, how often at once, and for how long.
type question struct {
	Method  string        `json:"method"`
	Seconds time.Duration `json:"seconds"`
	Times   int           `json:"times"`
	// Of a plugin server: its socket, the repository that is sent and the Application's folder in it.
	Socket string   `json:"socket"`
	Root   string   `json:"root"`
	Folder string   `json:"folder"`
	Env    []string `json:"env"`
	// Of a repo server: its address, and the request.
	Address string          `json:"address"`
	Request json.RawMessage `json:"request"`
}

// answer is one line that the client prints.
type answer struct {
	Code   string `json:"code"`
	Error  string `json:"error,omitempty"`
	Answer any    `json:"answer,omitempty"`
}

func main() {
	root := &cobra.Command{Use: "argo-cd", SilenceUsage: true}
	root.AddCommand(cmpserver.NewCommand(), reposerver.NewCommand())
	root.AddCommand(&cobra.Command{
		Use:  "redis ADDRESS",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, words []string) error {
			if err := miniredis.NewMiniRedis().StartAddr(words[0]); err != nil {
				return err
			}
			select {}
		},
	})
	root.AddCommand(&cobra.Command{Use: "ask", Args: cobra.NoArgs, RunE: ask})
	if root.Execute() != nil {
		os.Exit(1)
	}
}

// ask puts the question of standard input as often as it says, all at once, and prints the answers.
func ask(*cobra.Command, []string) error {
	asked := question{Seconds: 300, Times: 1}
	decoder := json.NewDecoder(os.Stdin)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&asked); err != nil {
		return err
	}
	answers := make([]answer, asked.Times)
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() { answers[i] = asked.put() })
	}
	group.Wait()
	for _, each := range answers {
		if err := json.NewEncoder(os.Stdout).Encode(each); err != nil {
			return err
		}
	}
	return nil
}

func (asked question) put() answer {
	all, cancel := context.WithTimeout(context.Background(), asked.Seconds*time.Second)
	defer cancel()
	to := asked.plugin
	if asked.Address != "" {
		to = asked.repository
	}
	response, err := to(all)
	if err != nil {
		return answer{Code: status.Code(err).String(), Error: err.Error()}
	}
	return answer{Code: status.Code(nil).String(), Answer: response}
}

// stream is what all calls of a plugin server have: the repository goes out, and one answer comes back.
type stream[Response any] interface {
	cmp.StreamSender
	CloseAndRecv() (Response, error)
}

func (asked question) plugin(all context.Context) (any, error) {
	closer, client, err := plugin.NewConfigManagementPluginClientSet(asked.Socket).NewConfigManagementPluginClient()
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	switch asked.Method {
	case "generate":
		opened, err := client.GenerateManifest(all)
		return sent(all, asked, opened, err)
	case "match":
		opened, err := client.MatchRepository(all)
		return sent(all, asked, opened, err)
	case "parameters":
		opened, err := client.GetParametersAnnouncement(all)
		return sent(all, asked, opened, err)
	}
	return nil, fmt.Errorf("a plugin server has no method %q", asked.Method)
}

func sent[Response any](all context.Context, asked question, opened stream[Response], err error) (any, error) {
	if err != nil {
		return nil, err
	}
	if err := cmp.SendRepoStream(all, asked.Folder, asked.Root, opened, asked.Env, nil); err != nil {
		return nil, err
	}
	return opened.CloseAndRecv()
}

func (asked question) repository(all context.Context) (any, error) {
	plain := tls.Configuration{DisableTLS: true}
	closer, client, err := repository.NewRepoServerClientset(asked.Address, 0, plain).NewRepoServerClient()
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	switch asked.Method {
	case "generate":
		return called(all, asked, client.GenerateManifest)
	case "details":
		return called(all, asked, client.GetAppDetails)
	}
	return nil, fmt.Errorf("a repo server has no method %q", asked.Method)
}

func called[Request, Response any](
	all context.Context, asked question, method func(context.Context, *Request, ...grpc.CallOption) (*Response, error),
) (any, error) {
	request := new(Request)
	if err := json.Unmarshal(asked.Request, request); err != nil {
		return nil, err
	}
	return method(all, request)
}
