package conformance

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

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
	compared := 0
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
		options := &statisticsOptions{Options: stats.Options{Quantiles: 10}}
		if c.Options.Schema != nil {
			options.Schema = &metadatapb.Schema{}
			for name, kind := range c.Options.Schema {
				options.Features = append(options.Features, name)
				options.Schema.Feature = append(options.Schema.Feature, &metadatapb.Feature{Name: &name, Type: metadatapb.FeatureType(metadatapb.FeatureType_value[kind]).Enum()})
			}
		}
		got, bad, err := accumulate(&options.Options, records, false)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if err := compareStatistics("csv/"+c.Name, options, want, got, bad, records); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		compared++
	}
	if compared < 100 {
		t.Errorf("compared %d cases", compared)
	}
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
