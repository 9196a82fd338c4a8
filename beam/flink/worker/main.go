// Command worker starts a worker of tfparsebeam for a job server of Flink, in an environment of the type PROCESS. The job server passes
// the address of its provision service; a worker needs the logging and control addresses as flags. This program gets these addresses
// from the provision service, and then becomes the worker.
//
// TFPARSEBEAM is the path of tfparsebeam. Beam's own program for this task, boot, runs in containers and gets the worker from the server.
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
	provision := flag.String("provision_endpoint", "", "Address of the provision service, which knows the other addresses.")
	flag.Parse()
	if err := become(*id, *provision, os.Getenv("TFPARSEBEAM")); err != nil {
		fmt.Fprintf(os.Stderr, "worker %s: %v\n", *id, err)
		os.Exit(1)
	}
}

// become replaces this process with the worker, under the same process ID, so that the server can end it. It returns only on an error.
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
