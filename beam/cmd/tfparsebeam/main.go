// Command tfparsebeam runs verbs of tfparse as pipelines of Apache Beam. Its verbs have the flags, outputs, messages and exit
// codes of tfparse; flags of Beam stand before or behind the verb:
//
//	tfparsebeam stats -o stats.pb 'train-*'
//	tfparsebeam --runner=flink --endpoint=localhost:8099 --environment_type=LOOPBACK stats -o stats.pb 'train-*'
//
// Without --runner Beam's own runner, prism, runs in the process, with all elements of the pipeline in memory.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/tfparse/tfparse/cmd/tfparse/command"
	"github.com/tfparse/tfparse/store"
)

// about is the end of the help.
const about = `
Flags of Apache Beam, which stand before or behind the command:

  --runner NAME             prism (the default), flink, spark, dataflow or universal. prism
                            runs in this process, and keeps what moves between workers in
                            memory: with convert and shuffle some 15 times the bytes of records
  --endpoint HOST:PORT      job server of flink, spark and universal
  --environment_type TYPE   where workers run: DOCKER (the default, except with prism),
                            LOOPBACK (in this process), PROCESS or EXTERNAL
  --environment_config X    image, command or address for --environment_type
  --worker_binary FILE      program for workers that are not in this process (this program,
                            on Linux)
  --parallelism N           how many workers Flink divides the work among
  --project P --region R --staging_location gs://B/D
                            what dataflow needs, with --result_dir
  --result_dir DIR          where the pipeline leaves its result for this process, which
                            removes it; workers on other machines need one that they share,
                            such as gs://B/D
  --log_level LEVEL         messages of Beam to print: none (the default), error, warn, info
                            or debug

Beam has more flags: see its documentation.
`

func main() {
	verb, ofBeam := split(os.Args[1:], flag.CommandLine)
	flag.CommandLine.Init("tfparsebeam", flag.ContinueOnError)
	flag.CommandLine.Usage = func() {} // the error says what is wrong; --help belongs to the verbs
	if err := flag.CommandLine.Parse(ofBeam); err != nil {
		os.Exit(2) // Parse has printed it
	}
	store.Register(nil) // gs://, s3:// and http, here and on the workers
	beam.Init()         // a worker stays in it; it sets the level of messages, too
	if err := errors.Join(setLogging(*logLevel), setRunner()); err != nil {
		usage(err)
	}
	clean := ownTemporary()
	on := &pipelines{}
	code := command.MainOn(on, "tfparsebeam", about, verb)
	on.wait(20 * time.Second) // for the end of what was interrupted
	clean()
	os.Exit(code)
}

// usage ends the process because of a mistake on the command line.
func usage(err error) {
	fmt.Fprintf(os.Stderr, "tfparsebeam: %v; see tfparsebeam --help\n", err)
	os.Exit(2)
}

// ownTemporary makes a directory for all temporary files of the process, those of Beam too, which it does not remove.
func ownTemporary() (remove func()) {
	dir, err := os.MkdirTemp("", "tfparsebeam-")
	if err != nil {
		return func() {} // what needs one will say so
	}
	for _, name := range []string{"TMPDIR", "TMP"} { // of Unix and of Windows
		os.Setenv(name, dir)
	}
	return func() { os.RemoveAll(dir) }
}
