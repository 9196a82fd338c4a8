package serving

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"runtime"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/prototext"

	"github.com/tfparse/tfparse/model"
	"github.com/tfparse/tfparse/proto/metadatapb"
)

// Run runs the service that the arguments of a command line describe until ctx ends. The error
// is [flag.ErrHelp] after -help.
func Run(ctx context.Context, args []string, log *slog.Logger) error {
	f := flag.NewFlagSet("tfparseserving", flag.ContinueOnError)
	cfg := Config{Columns: map[string]string{}, Outputs: map[string][]string{}}
	listen := f.String("listen", "localhost:8080", "`address` to listen at")
	spec := f.String("spec", "", "`file` with the feature spec of the records, as tfparse schema prints it")
	schema := f.String("schema", "", "`file` with a schema of TensorFlow Metadata that records must fit (default: none)")
	f.StringVar(&cfg.Model, "model", "", "`directory` of the SavedModel, for its signature")
	f.StringVar(&cfg.To.Name, "name", "", "`name` of the model at the model server")
	f.StringVar(&cfg.To.Signature, "signature", "", "`name` of the signature (default: serving_default)")
	f.Int64Var(&cfg.To.Version, "version", 0, "`version` of the model (default: the latest)")
	f.StringVar(&cfg.Backend, "backend", "localhost:8500", "`address` of the model server's gRPC port")
	f.StringVar(&cfg.BackendCA, "backend-ca", "", "`file` with the certificates of the model server's authority (default: no TLS)")
	f.Func("column", "`input=feature` for an input whose feature has another name; may be repeated", func(v string) error {
		return splitPair(v, func(name, value string) { cfg.Columns[name] = value })
	})
	f.TextVar(&cfg.Convert, "convert", model.NoConversion, "convert values to the dtype of their input, such as int32 or bool: `none`, exact (refuse values that the dtype cannot hold) or round (floats)")
	f.Func("output", "`name=values,splits,…`: a ragged output, its flat values and its row_splits, the outermost first; without \"=\" a dense output; may be repeated (default: all outputs, dense)", func(v string) error {
		if !strings.Contains(v, "=") {
			v += "=" + v
		}
		return splitPair(v, func(name, value string) { cfg.Outputs[name] = strings.Split(value, ",") })
	})
	f.Int64Var(&cfg.Limits.Body, "max-body", 4<<20, "largest body of a request, in `bytes`")
	f.IntVar(&cfg.Limits.Records, "max-records", 1024, "most `records` in a request")
	f.IntVar(&cfg.Limits.Batch, "max-batch", 64<<20, "largest batch in memory, in `bytes`")
	f.IntVar(&cfg.Limits.Answer, "max-answer", 64<<20, "largest answer of the model server, in `bytes`")
	f.IntVar(&cfg.Limits.Running, "max-running", 4*runtime.GOMAXPROCS(0), "most `requests` that are parsed and at the model server at once")
	f.IntVar(&cfg.Limits.Waiting, "max-waiting", 64, "most `requests` that send their body, wait or read their answer; more get 503")
	f.DurationVar(&cfg.Limits.Timeout, "timeout", 2*time.Second, "`time` for a request without the header Request-Timeout")
	f.DurationVar(&cfg.Limits.MaxTimeout, "max-timeout", 30*time.Second, "longest `time` that the header Request-Timeout may set")
	linger := f.Duration("linger", 0, "`time` between a signal and the close of the listener, for load balancers to see /readyz")
	drain := f.Duration("drain", 10*time.Second, "`time` after -linger for requests in progress to end")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	text, err := os.ReadFile(*spec)
	if err != nil {
		return fmt.Errorf("-spec: %w", err)
	}
	if err := json.Unmarshal(text, &cfg.Spec); err != nil {
		return fmt.Errorf("-spec %s: %w", *spec, err)
	}
	if *schema != "" {
		if text, err = os.ReadFile(*schema); err != nil {
			return fmt.Errorf("-schema: %w", err)
		}
		cfg.Schema = &metadatapb.Schema{}
		if err := prototext.Unmarshal(text, cfg.Schema); err != nil {
			return fmt.Errorf("-schema %s: %w", *schema, err)
		}
	}
	s, err := NewService(cfg, log)
	if err != nil {
		return err
	}
	defer s.Close()
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", *listen)
	if err != nil {
		return err
	}
	log.Info("listening", "address", ln.Addr().String(), "model", cfg.To.Name, "backend", cfg.Backend,
		"columns", s.binding.Columns(), "outputs", sortedNames(cfg.Outputs))
	return s.Serve(ctx, ln, *linger, *drain)
}

// splitPair splits "name=value".
func splitPair(v string, set func(name, value string)) error {
	name, value, ok := strings.Cut(v, "=")
	if !ok || name == "" || value == "" {
		return errors.New("want NAME=VALUE")
	}
	set(name, value)
	return nil
}
