package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"

	"github.com/tfparse/tfparse/beam/internal/pipeline"
	"github.com/tfparse/tfparse/internal/storage"
)

var logLevel = flag.String("log_level", "none", "Messages of Beam to print: none, error, warn, info or debug.")

// setLogging sets the lowest level of the messages that Beam prints. The default is none: this program prints the cause of an
// error, and Beam would print it several times more, with the whole plan.
func setLogging(level string) error {
	switch level {
	case "none":
		log.SetLogger(silent{})
		slog.SetDefault(slog.New(slog.DiscardHandler))
		return nil
	case "debug", "info", "warn", "error":
		log.SetupLogging(level, "text")
		return nil
	}
	return fmt.Errorf("--log_level %s: want none, error, warn, info or debug", level)
}

type silent struct{}

// Log implements [log.Logger].
func (silent) Log(context.Context, log.Severity, int, string) {}

// known lists the runners that are linked, each with other names that Beam has for it.
var known = map[string][]string{
	"prism": {"PrismRunner"}, "flink": {"FlinkRunner"}, "spark": {"SparkRunner"}, "dataflow": {"DataflowRunner"}, "universal": {"PortableRunner", "portable"},
}

// setRunner checks the flags of Beam, and sets defaults for --runner and --worker_binary.
func setRunner() error {
	name := *runners.Runner
	for runner, others := range known {
		if name == "" && runner == "prism" || slices.Contains(others, name) {
			name = runner
		}
	}
	switch name {
	case "prism":
	case "flink", "spark", "universal":
		if *jobopts.Endpoint == "" {
			return fmt.Errorf("--runner %s needs --endpoint, the address of a job server, such as localhost:8099", name)
		}
	case "dataflow":
		for _, needed := range []string{"project", "region", "staging_location"} {
			if flag.Lookup(needed).Value.String() == "" {
				return fmt.Errorf("--runner dataflow needs --%s", needed)
			}
		}
		if !storage.Remote(*resultDir) {
			return errors.New("--runner dataflow needs --result_dir, a directory of gs:// for the result")
		}
	default:
		return fmt.Errorf("--runner %s: want prism, flink, spark, dataflow or universal", name)
	}
	*runners.Runner = name
	// Without a worker binary, Beam would compile this package again, from sources that only the build machine has.
	if *jobopts.WorkerBinary == "" && !jobopts.IsLoopback() && name != "prism" && runtime.GOOS == "linux" {
		if self, err := os.Executable(); err == nil {
			*jobopts.WorkerBinary = self
		}
	}
	return nil
}

// runPipeline runs a pipeline on the runner that --runner names.
func runPipeline(ctx context.Context, p *beam.Pipeline) error {
	if *jobopts.JobName == "" {
		*jobopts.JobName = unique("tfparsebeam-") // cancel finds the job by its name
		defer func() { *jobopts.JobName = "" }()
	}
	before := *jobopts.Endpoint // prism sets it
	remote := before != "" && *runners.Runner != "prism" && *runners.Runner != "dataflow"
	if remote {
		if err := reach(ctx, before); err != nil {
			return err
		}
	}
	_, err := pipeline.Run(ctx, *runners.Runner, p)
	if ctx.Err() == nil {
		if err != nil {
			return pipeline.Cause(err)
		}
		return nil
	}
	if remote { // prism ends with this process
		if err := cancel(before, *jobopts.JobName); err != nil {
			fmt.Fprintf(os.Stderr, "tfparsebeam: the job %s may still run: %v\n", *jobopts.JobName, strings.Join(strings.Fields(err.Error()), " "))
		}
	}
	return ctx.Err()
}

// reach returns an error if no server listens at an endpoint. Beam would try for two minutes, without a message.
func reach(ctx context.Context, endpoint string) error {
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	connection, err := new(net.Dialer).DialContext(ctx, "tcp", endpoint)
	if err != nil {
		return fmt.Errorf("--endpoint %s: no job server: %w", endpoint, err)
	}
	return connection.Close()
}

// cancel ends a job on a job server, and waits until it has ended.
func cancel(endpoint, name string) error {
	ctx, stop := context.WithTimeout(context.Background(), 15*time.Second)
	defer stop()
	connection, err := grpcx.Dial(ctx, endpoint, 5*time.Second)
	if err != nil {
		return err
	}
	defer connection.Close()
	client := jobpb.NewJobServiceClient(connection)
	jobs, err := client.GetJobs(ctx, &jobpb.GetJobsRequest{})
	if err != nil {
		return err
	}
	for _, job := range jobs.GetJobInfo() {
		if job.GetJobName() != name || ended(job.GetState()) {
			continue
		}
		if _, err := client.Cancel(ctx, &jobpb.CancelJobRequest{JobId: job.GetJobId()}); err != nil {
			return err
		}
		for {
			state, err := client.GetState(ctx, &jobpb.GetJobStateRequest{JobId: job.GetJobId()})
			if err != nil {
				return err
			}
			if ended(state.GetState()) {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	return nil
}

func ended(s jobpb.JobState_Enum) bool {
	switch s {
	case jobpb.JobState_DONE, jobpb.JobState_FAILED, jobpb.JobState_CANCELLED, jobpb.JobState_DRAINED:
		return true
	}
	return false
}
