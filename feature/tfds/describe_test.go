package tfds_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/feature/tfds"
)

// TestTree compares the features and the splits of directories with what TensorFlow Datasets prints.
func TestTree(t *testing.T) {
	d := json.NewDecoder(bytes.NewReader(read(t, testdata+"/infos.jsonl")))
	for n := 0; ; n++ {
		var want struct {
			Dir, Features string
			Splits        map[string]string
		}
		if err := d.Decode(&want); err == io.EOF {
			if n != 4 {
				t.Errorf("%d directories", n)
			}
			return
		} else if err != nil {
			t.Fatal(err)
		}
		dir := testdata + "/" + want.Dir + "/"
		tree, err := tfds.Tree(read(t, dir+tfds.FeaturesFile))
		if err != nil || tree != want.Features {
			t.Errorf("%s: %v: got\n%s\nwant\n%s", want.Dir, err, tree, want.Features)
		}
		info, err := tfds.ParseInfo(read(t, dir+tfds.InfoFile))
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, s := range info.Splits {
			got[s.Name] = fmt.Sprintf("<SplitInfo num_examples=%d, num_shards=%d>", s.Total, len(s.Files))
		}
		if fmt.Sprint(got) != fmt.Sprint(want.Splits) {
			t.Errorf("%s: got %v, want %v", want.Dir, got, want.Splits)
		}
	}
}

// TestColumns finds the columns of booleans, of uint64 and of labels, whose files exist.
func TestColumns(t *testing.T) {
	columns, err := tfds.Columns(read(t, testdata+"/more/2.0.0/"+tfds.FeaturesFile))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{"map[a/b/c:{invalid a-b.c.labels.txt 2 []  false}", "a/d/e:{invalid a-d-e.labels.txt 2 []  false}", "big:{uint64  0 []  false}",
		"columns:{invalid  0 [2 -1]  false}", "dynamic/shape:{invalid  0 []  true}", "dynamic/value:{invalid  0 [] dynamic false}", "flags:{bool  0 []  false}",
		"label:{invalid label.labels.txt 2 []  false}", "objects/kind:{invalid objects-kind.labels.txt 3 []  false}", "objects/parts:{invalid objects-parts.labels.txt 2 []  false}]"}, " ")
	if got := fmt.Sprint(columns); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for name, column := range columns {
		if column.Labels != "" && len(tfds.ParseLabels(read(t, testdata+"/more/2.0.0/"+column.Labels))) != column.Classes {
			t.Errorf("%s: the file has not the names of %d classes", name, column.Classes)
		}
	}
	if got := tfds.ParseLabels(read(t, testdata+"/more/2.0.0/objects-kind.labels.txt")); fmt.Sprintf("%q", got) != `["car" "bus, red" "é"]` {
		t.Errorf("labels %q", got)
	}
}
