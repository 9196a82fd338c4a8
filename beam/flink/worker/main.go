// Command worker starts a worker of tfparsebeam for a job server of Flink, in an environment of the type PROCESS. The server names
// the service that knows its other addresses; a worker takes those as flags. This program asks the service, and becomes the worker.
//
// TFPARSEBEAM is the path of tfparsebeam. Beam's own program for this, boot, gets the worker from the server, in containers.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

func main() {
	id := flag.String("id", "", "Name of the worker.")
	provision := flag.String("provision_endpoint", "", "Address of the service that knows the other addresses.")
	flag.Parse()
	if err := become(*id, *provision, os.Getenv("TFPARSEBEAM")); err != nil {
		fmt.Fprintf(os.Stderr, "worker %s: %v\n", *id, err)
		os.Exit(1)
	}
}

// become replaces this process, whose ID the server knows and ends, with the worker. It returns only with an error.
func become(id, provision, program string) error {
	info, err := tools.ProvisionInfo(grpcx.WriteWorkerID(context.Background(), id), provision)
	if err != nil {
		return fmt.Errorf("no answer of %s: %w", provision, err)
	}
	env := append(os.Environ(), "RUNNER_CAPABILITIES="+strings.Join(info.GetRunnerCapabilities(), " "))
	return syscall.Exec(program, []string{
		program, "--worker=true", "--id=" + id,
		"--logging_endpoint=" + info.GetLoggingEndpoint().GetUrl(),
		"--control_endpoint=" + info.GetControlEndpoint().GetUrl(),
	}, env)
}
