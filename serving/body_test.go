package serving

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
)

// code returns the fault in an answer. The test fails if the answer has none.
func code(t testing.TB, text string) (f fault) {
	t.Helper()
	var answer struct{ Error *fault }
	if err := json.Unmarshal([]byte(text), &answer); err != nil || answer.Error == nil || answer.Error.Code == "" || answer.Error.Message == "" {
		t.Errorf("not an error: %q: %v", text, err)
		return f
	}
	return *answer.Error
}

// with returns the first recipe with changed features.
func with(t testing.TB, change example.Example) []byte {
	t.Helper()
	var e example.Example
	if err := e.UnmarshalBinary(payloads(t)[0]); err != nil {
		t.Fatal(err)
	}
	for name, v := range change {
		if v.Kind() == 0 {
			delete(e, name)
			continue
		}
		e[name] = v
	}
	b, err := e.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBadBodies(t *testing.T) {
	cfg := config(t, recipes(t).listen(t))
	_, url := startService(t, cfg)
	file := data(t, "recipes.tfrecord")
	all := payloads(t)
	zipped := new(bytes.Buffer)
	z := gzip.NewWriter(zipped)
	z.Write(file)
	z.Close()
	flipped := bytes.Clone(file)
	flipped[len(all[0])+16+20] ^= 4 // in the payload of record 1
	ragged := with(t, example.Example{"steps/lengths": example.Int64s(6, 3, 4)})
	long := binary.LittleEndian.AppendUint64(nil, 1<<62)
	row := `{"title": "Toast", "minutes": 3, "servings": 1, "rating": 1}`
	for _, c := range []struct {
		name, media string
		body        []byte
		status      int
		code        string
		want        string // part of the error
	}{
		{"text", "text/plain", file, 415, "unsupported_type", `Content-Type \"text/plain\": want one of`},
		{"no type", "", file, 415, "unsupported_type", ""},
		{"broken type", ";;", file, 415, "unsupported_type", ""},
		{"parameter", "application/json; charset=utf-8", nil, 400, "bad_record", ""},
		{"empty", "application/x-tfrecord", nil, 400, "no_records", ""},
		{"empty lines", "application/x-ndjson", []byte("\n \r\n"), 400, "no_records", ""},
		{"cut frame", "application/x-tfrecord", file[:len(file)-1], 400, "bad_frame", `"record":11,"offset":5`},
		{"cut header", "application/x-tfrecord", file[:11], 400, "bad_frame", "ends inside a record"},
		{"flipped", "application/x-tfrecord", flipped, 400, "bad_frame", `"record":1,`},
		{"length", "application/x-tfrecord", append(long, 0, 0, 0, 0), 400, "bad_frame", ""},
		{"gzip", "application/x-tfrecord", zipped.Bytes(), 400, "bad_frame", "it looks like gzip"},
		{"json as records", "application/x-tfrecord", []byte(row), 400, "bad_frame", "it looks like json"},
		{"records as a message", "application/x-protobuf", file, 400, "bad_record", `"record":0,"offset":0`},
		{"json as a message", "application/x-protobuf", []byte(row), 400, "bad_record", ""},
		{"wrong dtype", "application/x-protobuf", with(t, example.Example{"minutes": example.Floats(3)}), 400, "bad_record", `"feature":"minutes"`},
		{"missing", "application/x-tfrecord", framed(t, all[0], with(t, example.Example{"title": {}})), 400, "bad_record", `"record":1,`},
		{"partition", "application/x-tfrecord", framed(t, all[0], all[1], ragged), 400, "bad_record", `"feature":"steps","key":"steps/lengths","partition":1`},
		{"schema", "application/x-protobuf", with(t, example.Example{"minutes": example.Int64s(-1)}), 422, "findings", `"rule":"INT_TYPE_SMALL_INT","feature":"minutes"`},
		{"no json", "application/json", []byte("{"), 400, "bad_record", `"column":`},
		{"two rows as one", "application/json", []byte(row + "\n" + row), 400, "bad_record", ""},
		{"list", "application/json", []byte("[" + row + "]"), 400, "bad_record", "want an object"},
		{"unknown member", "application/json", []byte(`{"size": 1}`), 400, "bad_record", "size"},
		{"second line", "application/x-ndjson", []byte(row + "\n\n" + `{"title": 1}`), 400, "bad_record", `"record":1,"offset":62,"feature":"title"`},
		{"deep", "application/json", []byte(`{"steps":[` + strings.Repeat("[", 100000)), 400, "bad_record", ""},
		{"size", "application/x-tfrecord", make([]byte, 1<<20+1), 413, "body_too_large", ""},
		{"records", "application/x-tfrecord", bytes.Repeat(framed(t, all[7]), 101), 413, "too_many_records", "at most 100"},
		{"rows", "application/x-ndjson", bytes.Repeat([]byte(row+"\n"), 101), 413, "too_many_records", ""},
	} {
		status, media, text := post(t, url, c.media, c.body)
		f := code(t, text)
		if status != c.status || media != "application/json" || f.Code != c.code || !strings.Contains(text, c.want) {
			t.Errorf("%s: got %d %s %s, want %d %s with %s", c.name, status, media, text, c.status, c.code, c.want)
		}
	}
	if status, _, text := post(t, url, "application/x-tfrecord", zipped.Bytes(), "Content-Encoding", "gzip"); status != 415 || code(t, text).Code != "unsupported_encoding" {
		t.Errorf("Content-Encoding: %d %s", status, text)
	}
	if status, _ := get(t, url+"/v1/predict"); status != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", status)
	}
	// The service still answers.
	if status, _, text := post(t, url, "application/x-tfrecord", file); status != 200 {
		t.Errorf("afterwards: %d %s", status, text)
	}
}

// TestCutAndFlipped sends a body truncated at every byte, and a body with each byte damaged: all answers have the status 200, 400, 413
// or 422.
func TestCutAndFlipped(t *testing.T) {
	_, url := startService(t, config(t, recipes(t).listen(t)))
	row := []byte(`{"title":"Toast","minutes":3,"servings":1,"rating":1.5,"steps":[[["a","\u00e9"]],[]],"amounts":[1,2.5]}`)
	for media, body := range map[string][]byte{"application/x-protobuf": payloads(t)[7], "application/x-tfrecord": framed(t, payloads(t)[7]), "application/json": row} {
		for i := range body {
			bad := bytes.Clone(body)
			bad[i] ^= 1 << (i % 8)
			for _, b := range [][]byte{body[:i], bad} {
				status, _, text := post(t, url, media, b)
				switch status {
				case 200, 400, 413, 422:
				default:
					t.Fatalf("%s, byte %d: %d %s", media, i, status, text)
				}
				if status != 200 {
					code(t, text)
				}
			}
		}
	}
}

// TestAmplified sends small bodies that would become large batches.
func TestAmplified(t *testing.T) {
	cfg := config(t, recipes(t).listen(t))
	cfg.Schema = nil
	cfg.Limits.Batch = 1 << 20
	cfg.Spec.Features["rows"] = feature.Ragged{DType: feature.Int64, ValueKey: "rows/v", Partitions: []feature.Partition{feature.ValueRowIDs("rows/ids")}}
	cfg.Spec.Features["padded"] = feature.FixedLenSequence{DType: feature.Int64}
	_, url := startService(t, cfg)
	declares := func(n int64) []byte {
		return with(t, example.Example{"rows/v": example.Int64s(1), "rows/ids": example.Int64s(n)})
	}
	padded := bytes.Repeat(framed(t, payloads(t)[7]), 99)
	padded = append(padded, framed(t, with(t, example.Example{"padded": example.Int64s(make([]int64, 1000)...)}))...)
	row := `{"title": "Toast", "minutes": 3, "servings": 1}` + "\n"
	rows := strings.Repeat(row, 99) + strings.Replace(row, "{", `{"padded": [`+strings.Repeat("0,", 1000)+"0],", 1)
	for _, c := range []struct {
		name, media string
		body        []byte
		code        string
	}{
		{"rows of one record", "application/x-protobuf", declares(1 << 15), "bad_record"},
		{"rows of all records", "application/x-tfrecord", bytes.Repeat(framed(t, declares(1<<14-2)), 100), "batch_too_large"},
		{"padding", "application/x-tfrecord", padded, "bad_record"},
		{"padding of JSON", "application/x-ndjson", []byte(rows), "bad_record"},
	} {
		status, _, text := post(t, url, c.media, c.body)
		if f := code(t, text); status != 413 || f.Code != c.code || f.Record == nil {
			t.Errorf("%s: %d %s, want 413 %s", c.name, status, text, c.code)
		}
	}
}

// TestStaticRows has a model with a fixed number of rows.
func TestStaticRows(t *testing.T) {
	cfg := config(t, "localhost:1")
	cfg.Model, cfg.Schema, cfg.Outputs = "../testdata/models/static_rows", nil, nil
	cfg.Spec = feature.Spec{Features: feature.Features{"x": feature.VarLen{DType: feature.Float32}}}
	_, url := startService(t, cfg)
	status, _, text := post(t, url, "application/x-ndjson", []byte("{\"x\":[1]}\n{\"x\":[]}\n"))
	if f := code(t, text); status != 400 || f.Code != "does_not_fit_model" || f.Input != "x" || f.Want != "4 rows" {
		t.Errorf("%d %s", status, text)
	}
}

// TestBodyWithoutEnd sends a body that is larger than the limit, without Content-Length.
func TestBodyWithoutEnd(t *testing.T) {
	_, url := startService(t, config(t, "localhost:1"))
	r, err := http.NewRequest("POST", url+"/v1/predict", io.MultiReader(bytes.NewReader(make([]byte, 1<<20)), strings.NewReader("x")))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-tfrecord")
	if answer := do(t, r); answer.status != 413 || code(t, answer.text).Code != "body_too_large" {
		t.Errorf("%d %s", answer.status, answer.text)
	}
}
