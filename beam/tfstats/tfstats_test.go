package tfstats_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/beam/internal/pipetest"
	"github.com/tfparse/tfparse/beam/tfrecordio"
	"github.com/tfparse/tfparse/beam/tfstats"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/pbtext"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

func TestMain(m *testing.M) { ptest.Main(m) }

const recipes = "../../testdata/recipes.tfrecord"

// built is the path of the command, whose output is the reference for statistics.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "tfparse")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "tfparse")
	build := exec.Command("go", "build", "-o", name, "./cmd/tfparse")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return name, nil
})

// run runs the command.
func run(t *testing.T, code int, args ...string) string {
	t.Helper()
	name, err := built()
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("%q: exit code %d, wanted %d: %s", args, got, code, stderr.String())
	}
	return stdout.String()
}

// shards writes the records of recipes to n files in turn, again and again, and returns the pattern of the files. Every third file is
// compressed with gzip, and the eighth file is empty.
func shards(t *testing.T, n int) string {
	t.Helper()
	data, err := os.ReadFile(recipes)
	if err != nil {
		t.Fatal(err)
	}
	var records [][]byte
	for rec, err := range tfrecord.NewReader(bytes.NewReader(data), nil).All() {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, bytes.Clone(rec))
	}
	dir := t.TempDir()
	for i := range n {
		var b bytes.Buffer
		w := tfrecord.NewWriter(&b, &tfrecord.WriterOptions{Compression: []tfrecord.Compression{tfrecord.None, tfrecord.None, tfrecord.GZIP}[i%3]})
		for k := range 3 {
			if i == 7 {
				break
			}
			if err := w.WriteRecord(records[(2*i+k*k)%len(records)]); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("in-%05d-of-%05d", i, n)), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, fmt.Sprintf("in@%d", n))
}

// TestFromFiles checks that the statistics are those of the command, byte for byte.
func TestFromFiles(t *testing.T) {
	schema := &metadatapb.Schema{}
	if text, err := os.ReadFile("../../testdata/recipes.schema.pbtxt"); err != nil {
		t.Fatal(err)
	} else if _, err := pbtext.Read(text, schema); err != nil {
		t.Fatal(err)
	}
	in, few := shards(t, 1000), shards(t, 9)
	for _, c := range []struct {
		flags string
		in    string
		opts  *tfstats.Options
	}{
		{"", in, nil},
		{"", few, &tfstats.Options{Compression: tfrecord.Auto}},
		{"--weight servings --top 3 --slice servings", few, &tfstats.Options{Statistics: &stats.Options{Weight: "servings", TopValues: 3, Slices: []stats.Slice{{"servings": nil}}, MaxSlices: 1000, SampleRate: 1, Buckets: 10, Quantiles: 100}}},
		{"--schema ../../testdata/recipes.schema.pbtxt", few, &tfstats.Options{Statistics: &stats.Options{Schema: schema}}},
		{"--max-features 4000 --sample-rate 0.5", in, &tfstats.Options{Statistics: &stats.Options{MaxFeatures: 4000, SampleRate: 0.5}}},
	} {
		want := filepath.Join(t.TempDir(), "want.pb")
		run(t, 0, append(append([]string{"stats", "-o", want}, strings.Fields(c.flags)...), c.in)...)
		wanted, err := os.ReadFile(want)
		if err != nil {
			t.Fatal(err)
		}
		p, s := beam.NewPipelineWithRoot()
		statistics, failures := tfstats.FromFiles(s, tfrecordio.Match(s, nil, c.in), c.opts)
		passert.Empty(s, failures)
		passert.Equals(s, beam.ParDo(s, binaryOf, statistics), wanted)
		pipetest.Run(t, p)
	}
}

// TestLargeFiles compares statistics with those of the command for files of several portions, with too many distinct numbers for exact counts.
func TestLargeFiles(t *testing.T) {
	dir := t.TempDir()
	for i := range 2 {
		var b []byte
		for n := range 30_000 {
			rec, err := example.Example{
				"x":    example.Floats(float32(n*7919%30_011) / float32(i+3)),
				"word": example.Strings(fmt.Sprintf("word %d", n*104_729%9973)),
				"pad":  example.Strings(strings.Repeat("a", 100+n%50)),
			}.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			b = tfrecord.AppendRecord(b, rec)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("in", i)), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := filepath.Join(dir, "want.pb")
	run(t, 0, "stats", "-o", want, filepath.Join(dir, "in*"))
	wanted, err := os.ReadFile(want)
	if err != nil {
		t.Fatal(err)
	}
	p, s := beam.NewPipelineWithRoot()
	statistics, failures := tfstats.FromFiles(s, tfrecordio.Match(s, nil, filepath.Join(dir, "in*")), nil)
	passert.Empty(s, failures)
	passert.Equals(s, beam.ParDo(s, binaryOf, statistics), wanted)
	pipetest.Run(t, p)
}

func binaryOf(a *stats.Accumulator) ([]byte, error) {
	list, err := a.Statistics()
	if err != nil {
		return nil, err
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(list)
}

func examplesOf(a *stats.Accumulator) int { return int(a.Examples()) }

func textOf(f tfrecordio.Failure) string {
	return fmt.Sprint(filepath.Base(f.File), f.Record, " ", f.Offset, " ", f.End, " ", f.Records, " ", f.Class)
}

func init() {
	beam.RegisterFunction(binaryOf)
	beam.RegisterFunction(examplesOf)
	beam.RegisterFunction(textOf)
	beam.RegisterFunction(findingText)
	beam.RegisterFunction(countText)
	beam.RegisterFunction(anomaliesOf)
}

// TestFromNoFiles checks that the result for no files is the statistics of no records.
func TestFromNoFiles(t *testing.T) {
	p, s := beam.NewPipelineWithRoot()
	statistics, failures := tfstats.FromFiles(s, beam.CreateList(s, []tfrecordio.File{}), nil)
	passert.Empty(s, failures)
	passert.Equals(s, beam.ParDo(s, examplesOf, statistics), 0)
	pipetest.Run(t, p)
}

// damaged writes a file with a flipped bit in the second record, and with an invalid message after the last record.
func damaged(t *testing.T) (pattern string) {
	t.Helper()
	data, err := os.ReadFile(recipes)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	data = tfrecord.AppendRecord(data, []byte("\x0a\x05\xff"))
	for i := range 3 {
		b := bytes.Clone(data)
		if i == 1 {
			b[0x22a+30] ^= 4
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("in", i)), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "in*")
}

// TestFailures checks that damage is a failure with a position, and that the statistics describe all other records.
func TestFailures(t *testing.T) {
	in := damaged(t)
	misfit := func(name string) any { return name + "12 6293 -1 1 message" }
	p, s := beam.NewPipelineWithRoot()
	statistics, failures := tfstats.FromFiles(s, tfrecordio.Match(s, &tfrecordio.MatchOptions{KeepMissing: true}, in, filepath.Join(filepath.Dir(in), "nowhere")), nil)
	passert.Equals(s, beam.ParDo(s, examplesOf, statistics), 35)
	passert.Equals(s, beam.ParDo(s, textOf, failures), misfit("in0"), "in11 554 1178 1 payload_crc", misfit("in1"), misfit("in2"), "nowhere-1 -1 -1 -1 ")
	pipetest.Run(t, p)

}

const schemaText = `feature { name: "minutes" type: INT int_domain { max: 10 } presence { min_fraction: 1 } } ` +
	`feature { name: "rating" type: INT } feature { name: "tags" type: BYTES value_count { min: 1 max: 1 } }`

func findingText(f tfstats.Finding) string {
	return fmt.Sprint(f.File, f.Record, f.Offset, f.Length, f.Feature, f.Rule, f.Expected, f.Observed, f.Warning)
}

func countText(c tfstats.Count) string {
	return fmt.Sprint(c.Feature, c.Rule, c.Findings, c.Values, c.Records)
}

func anomaliesOf(a *metadatapb.Anomalies) string {
	var all []string
	for _, e := range a.GetAnomalyInfo() {
		for _, r := range e.GetValue().GetReason() {
			all = append(all, e.GetKey()+" "+r.GetType().String()+" "+r.GetDescription())
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// TestValidate checks that findings, counts and anomalies are those of the command.
func TestValidate(t *testing.T) {
	in := damaged(t)
	schema := &metadatapb.Schema{}
	if _, err := pbtext.Read([]byte(schemaText), schema); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "schema.pbtxt")
	if err := os.WriteFile(name, []byte(schemaText), 0o666); err != nil {
		t.Fatal(err)
	}
	var report struct {
		Findings []struct {
			Severity, Feature, Rule, Text, File string
			Expected, Observed                  any
			Record                              *int64
			Offset                              int64
			Length                              int
		}
		Counts []struct {
			Feature, Rule             string
			Findings, Values, Records uint64
		}
	}
	out := run(t, 1, "validate", "--records", "--max-findings", "3", "--format", "json", "--schema", name, in)
	d := json.NewDecoder(strings.NewReader(out))
	d.UseNumber()
	if err := d.Decode(&report); err != nil {
		t.Fatal(err)
	}
	var findings, counts []any
	var anomalies []string
	for _, f := range report.Findings {
		if f.Record == nil {
			anomalies = append(anomalies, f.Feature+" "+f.Rule+" "+f.Text)
			continue
		}
		findings = append(findings, fmt.Sprint(f.File, *f.Record, f.Offset, f.Length, f.Feature, f.Rule, f.Expected, f.Observed, f.Severity == "warning"))
	}
	for _, c := range report.Counts {
		if c.Records > 0 {
			counts = append(counts, fmt.Sprint(c.Feature, c.Rule, c.Findings, c.Values, c.Records))
		}
	}
	if len(findings) < 20 || len(counts) < 10 || len(anomalies) < 10 {
		t.Fatalf("%d findings, %d counts, %d anomalies", len(findings), len(counts), len(anomalies))
	}
	slices.Sort(anomalies)
	p, s := beam.NewPipelineWithRoot()
	v := tfstats.Validate(s, tfrecordio.Match(s, nil, in), schema, &tfstats.ValidateOptions{MaxFindings: 3})
	passert.Equals(s, beam.ParDo(s, findingText, v.Findings), findings...)
	passert.Equals(s, beam.ParDo(s, countText, v.Counts), counts...)
	passert.Equals(s, beam.ParDo(s, anomaliesOf, v.Anomalies), strings.Join(anomalies, "\n"))
	passert.Equals(s, beam.ParDo(s, examplesOf, v.Statistics), 35)
	passert.Count(s, v.Failures, "failures", 4)
	result := pipetest.Run(t, p)
	counted := map[string]int64{}
	for _, c := range result.Metrics().AllMetrics().Counters() {
		counted[c.Name()] += c.Result()
	}
	all := int64(0)
	for _, c := range report.Counts {
		all += int64(c.Findings)
	}
	if counted["records"] != 38 || counted["skipped"] != 4 || counted["findings"] != all {
		t.Errorf("counters %v; the command has %d findings", counted, all)
	}
}

// TestPanics checks that invalid options panic when the pipeline is made.
func TestPanics(t *testing.T) {
	for name, f := range map[string]func(s beam.Scope, files beam.PCollection){
		"options": func(s beam.Scope, files beam.PCollection) {
			tfstats.FromFiles(s, files, &tfstats.Options{Statistics: &stats.Options{SampleRate: 2}})
		},
		"environment": func(s beam.Scope, files beam.PCollection) {
			tfstats.Validate(s, files, &metadatapb.Schema{}, &tfstats.ValidateOptions{Environment: "nowhere"})
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			_, s := beam.NewPipelineWithRoot()
			f(s, beam.CreateList(s, []tfrecordio.File{}))
		}()
	}
}
