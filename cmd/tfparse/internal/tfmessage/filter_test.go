package tfmessage_test

import (
	"strings"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/tfmessage"
	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/internal/test/sample"
)

func newFilter(t *testing.T, typ tfmessage.Message, text string) (*tfmessage.Filter, error) {
	t.Helper()
	x, err := expr.Compile(text)
	if err != nil {
		t.Fatal(err)
	}
	return tfmessage.NewFilter(typ, x)
}

// TestFilter selects records of files whose lines testdata/messages/scalars.jsonl and testdata/models/logs.jsonl have.
func TestFilter(t *testing.T) {
	for _, c := range []struct {
		typ        tfmessage.Message
		file, text string
		want, errs int // number of records
	}{
		{tfmessage.Event, "messages/scalars.tfevents", `step >= -1 && wall_time > 1753099999.5`, 29, 0},
		{tfmessage.Event, "messages/scalars.tfevents", `any(summary.tag) == "accuracy"`, 1, 0},
		{tfmessage.Event, "messages/scalars.tfevents", `any(summary.tag) == "loss" && any(summary.value) == 0.1`, 1, 0},
		{tfmessage.Event, "messages/scalars.tfevents", `file_version =~ "^brain"`, 1, 0},
		{tfmessage.Event, "messages/scalars.tfevents", `summary.node_name == "layer_1"`, 1, 0},
		{tfmessage.Event, "messages/scalars.tfevents", `step == 1 && len(summary.value) == 1 && summary.value == 0`, 1, 0},
		{tfmessage.Event, "messages/scalars.tfevents", `any(summary.value) == 100`, 8, 0},
		{tfmessage.Event, "messages/scalars.tfevents", `any(summary.value) > 1000`, 1, 0}, // 2^63-1 beside a double
		{tfmessage.Event, "messages/scalars.tfevents", `log_message.level == 30 && log_message.message == "slow"`, 1, 0},
		{tfmessage.Event, "messages/scalars.tfevents", `any(summary.plugin) == "text"`, 1, 0},
		{tfmessage.PredictionLog, "models/logs.tfrecord", `has(predict_log.request.model_spec.name)`, 1, 0},
	} {
		f, err := newFilter(t, c.typ, c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		got, errs := 0, []error{}
		for _, rec := range sample.Records(t, c.file) {
			ok, err := f.Match(rec)
			if err != nil {
				errs = append(errs, err)
			}
			if ok {
				got++
			}
		}
		if got != c.want || len(errs) != c.errs {
			t.Errorf("%s: %d records, %v; want %d and %d errors", c.text, got, errs, c.want, c.errs)
		}
	}
	f, err := newFilter(t, tfmessage.Event, "step > 3")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Match([]byte{9, 0}); err == nil || !strings.Contains(err.Error(), "message does not decode: at byte 0: ") {
		t.Errorf("a truncated record: %v", err)
	}
}

func TestFilterNames(t *testing.T) {
	for _, c := range []struct {
		typ        tfmessage.Message
		text, want string
	}{
		{tfmessage.Event, `stepp > 1`, `no field "stepp" in Event; is it "step"?`},
		{tfmessage.Event, `summary.tags == "x"`, `no field "tags" in Event.summary; is it "tag"?`},
		{tfmessage.Event, `tag == "x"`, `no field "tag" in Event; is it "summary.tag"?`},
		{tfmessage.Event, `summary.value.tag == "x"`, `no field "summary.value.tag" in Event; is it "summary.tag"?`},
		{tfmessage.Event, `summary == 1`, `summary is a message; name a field in it`},
		{tfmessage.Event, `step.x == 1`, `step has no fields for expressions`},
		{tfmessage.Event, `has(graph_def)`, `expressions do not read graph_def`},
		{tfmessage.Event, `list(summary) == 1`, `list(summary) is for feature lists; write the field alone`},
		{tfmessage.TensorProto, `values == 1`, `a TensorProto has no fields for expressions`},
	} {
		if _, err := newFilter(t, c.typ, c.text); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}
