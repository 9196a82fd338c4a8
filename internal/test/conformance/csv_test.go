package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/cmd/tfparse/command"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordcsv"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/stats"
)

// TestStatisticsOfCSV compares statistics of CSV with those of TFDV's generate_statistics_from_csv, for the files that both
// take. Types and values are compared in package recordcsv.
func TestStatisticsOfCSV(t *testing.T) {
	root, err := testkit.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := testkit.ReadFile(filepath.Join(root, "testdata", "csv.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	compared, run := 0, 0
	for line := range bytes.Lines(text) {
		var c struct {
			Name    string
			Files   [][]byte
			Options struct {
				Delimiter          string
				ColumnNames        []string          `json:"column_names"`
				Schema             map[string]string `json:"schema"`
				Multivalent        []string          `json:"multivalent_columns"`
				SecondaryDelimiter string            `json:"secondary_delimiter"`
			}
			Expect struct{ Statistics []byte }
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		if c.Expect.Statistics == nil || differentCSV[c.Name] != "" {
			continue
		}
		o := &recordcsv.Options{Columns: c.Options.ColumnNames, Multivalent: c.Options.Multivalent, TFDV: true}
		if c.Options.Delimiter != "" {
			o.Delimiter, _ = utf8.DecodeRuneInString(c.Options.Delimiter)
		}
		if c.Options.SecondaryDelimiter != "" {
			o.SecondaryDelimiter, _ = utf8.DecodeRuneInString(c.Options.SecondaryDelimiter)
		}
		records, err := csvRecords(c.Files, o, c.Options.Schema)
		if err != nil {
			continue // one of the differences, which package recordcsv tests
		}
		want := &metadatapb.DatasetFeatureStatisticsList{}
		if err := proto.Unmarshal(c.Expect.Statistics, want); err != nil {
			t.Fatal(err)
		}
		options := &stats.Options{TFDV: true}
		if c.Options.Schema != nil {
			options.FeatureAllowlist = []string{}
			options.Schema = &metadatapb.Schema{}
			for name, kind := range c.Options.Schema {
				options.FeatureAllowlist = append(options.FeatureAllowlist, name)
				options.Schema.Feature = append(options.Schema.Feature, &metadatapb.Feature{Name: &name, Type: metadatapb.FeatureType(metadatapb.FeatureType_value[kind]).Enum()})
			}
		}
		got, err := accumulate(options, records, false)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		tolerance := tolerance{values: numbersOf(records)}
		if c.Options.Schema == nil {
			byCommand := commandCSV(t, c.Files, c.Options.Delimiter, o)
			wanted := proto.CloneOf(want)
			for i, w := range wanted.Datasets {
				tolerance.dataset(w, byCommand.Datasets[i])
			}
			if d := diff(wanted, byCommand); d != "" {
				t.Errorf("%s: tfparse stats: want -, got +:\n%s", c.Name, shorten(d))
			}
			run++
		}
		for i, w := range want.Datasets {
			// TFDV has the features in the order of the columns, for CSV only. So has the command.
			for _, d := range []*metadatapb.DatasetFeatureStatistics{w, got.Datasets[i]} {
				slices.SortFunc(d.Features, func(a, b *metadatapb.FeatureNameStatistics) int {
					return strings.Compare(a.GetPath().GetStep()[0], b.GetPath().GetStep()[0])
				})
			}
			tolerance.dataset(w, got.Datasets[i])
		}
		if d := diff(want, got); d != "" {
			t.Errorf("%s: want -, got +:\n%s", c.Name, shorten(d))
		}
		compared++
	}
	if compared < 100 || run < 80 {
		t.Errorf("compared %d cases, and %d of the command", compared, run)
	}
}

// commandCSV returns the statistics that the command makes of files.
func commandCSV(t *testing.T, files [][]byte, delimiter string, o *recordcsv.Options) *metadatapb.DatasetFeatureStatisticsList {
	t.Helper()
	dir := t.TempDir()
	out := filepath.Join(dir, "out.pb")
	args := []string{"stats", "--compat", "tfdv", "--batch-size", "1000000", "--on-error", "stop", "-o", out}
	if delimiter != "" {
		args = append(args, "--csv-delimiter", delimiter)
	}
	if o.Columns != nil {
		args = append(args, "--csv-columns", strings.Join(o.Columns, ","))
	}
	if o.Multivalent != nil {
		args = append(args, "--csv-multivalent", strings.Join(o.Multivalent, ","), "--csv-list-delimiter", string(o.SecondaryDelimiter))
	}
	for i, f := range files {
		name := filepath.Join(dir, fmt.Sprintf("in-%d.csv", i))
		if err := os.WriteFile(name, f, 0o666); err != nil {
			t.Fatal(err)
		}
		args = append(args, name)
	}
	var stderr bytes.Buffer
	if code := command.Program().Run(t.Context(), args, strings.NewReader(""), io.Discard, &stderr); code != 0 {
		t.Fatalf("tfparse %s: exit code %d: %s", strings.Join(args, " "), code, stderr.Bytes())
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	list := &metadatapb.DatasetFeatureStatisticsList{}
	if err := proto.Unmarshal(b, list); err != nil {
		t.Fatal(err)
	}
	return list
}

// differentCSV has cases whose statistics differ, and why.
var differentCSV = map[string]string{
	"byte order mark":         "TFDV takes it for a part of the first name",
	"schema INT of missing":   "a feature without a value has no type in records, and TFDV calls that a string",
	"schema FLOAT of missing": "the same",
}

// csvRecords reads CSV; a schema, if not nil, has the types.
func csvRecords(files [][]byte, o *recordcsv.Options, schema map[string]string) ([][][]byte, error) {
	inferrer := recordcsv.NewInferrer(o)
	for _, f := range files {
		if err := inferrer.Read(bytes.NewReader(f), nil); err != nil {
			return nil, err
		}
	}
	kinds := map[string]example.Kind{}
	for name, kind := range schema {
		kinds[name] = map[string]example.Kind{"INT": example.Int64List, "FLOAT": example.FloatList, "BYTES": example.BytesList}[kind]
	}
	columns := inferrer.Columns(kinds)
	var all [][][]byte
	for _, f := range files {
		records := [][]byte{}
		for r := recordcsv.NewReader(bytes.NewReader(f), columns, o); ; {
			rec, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				return nil, err
			}
			records = append(records, bytes.Clone(rec))
		}
		all = append(all, records)
	}
	return all, nil
}
