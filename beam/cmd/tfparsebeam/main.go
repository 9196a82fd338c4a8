// Command tfparsebeam runs verbs of tfparse as pipelines of Apache Beam. Its verbs have the flags, outputs, messages and exit
// codes of tfparse; flags of Beam stand before or behind the verb:
//
//	tfparsebeam stats -o stats.pb 'train-*'
//	tfparsebeam --runner=flink --endpoint=localhost:8099 stats -o gs://bucket/stats.pb gs://bucket/train@1000
//
// Without --runner Beam's own runner, prism, runs in the process.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"github.com/tfparse/tfparse/cmd/tfparse/command"
	"github.com/tfparse/tfparse/store"
)

var logLevel = flag.String("log_level", "error", "Messages of Beam to print: debug, info, warn or error.")

func main() {
	verb, ofBeam := split(os.Args[1:], flag.CommandLine)
	flag.CommandLine.Init("tfparsebeam", flag.ContinueOnError)
	flag.CommandLine.Usage = func() {} // the error says what is wrong; --help belongs to the verbs
	if err := flag.CommandLine.Parse(ofBeam); err != nil {
		os.Exit(2) // Parse has printed it
	}
	if err := setLogging(*logLevel); err != nil {
		fmt.Fprintf(os.Stderr, "tfparsebeam: %v\n", err)
		os.Exit(2)
	}
	store.Register(nil) // gs://, s3:// and http, here and on the workers
	beam.Init()         // a worker stays in it
	os.Exit(command.MainOn(&pipelines{}, "tfparsebeam", verb))
}

// setLogging says from which level on Beam prints messages.
func setLogging(level string) error {
	switch level {
	case "debug", "info", "warn", "error":
		log.SetupLogging(level, "text")
		return nil
	}
	return fmt.Errorf("--log_level %s: want debug, info, warn or error", level)
}
