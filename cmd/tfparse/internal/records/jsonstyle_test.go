package records

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
)

// JSON in colours without the colours is the original text.
func TestLook(t *testing.T) {
	files, err := filepath.Glob("../../../../testdata/*.tfrecord")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sample files: %v", err)
	}
	lines := []string{
		`{}`, `{"a":[]}`, `{"a":null,"b":[{"b64":"/w=="},"x"]}`, `{"a\"b{":["\\","\"","[1,2]"]}`,
		`{"string":{"string":[]}}`, `{"a":[NaN]}`, `{"a":[[],[[1,-2],[3]]],"b":{"values":[true,false,null,1e-7]}}`,
	}
	for _, f := range files {
		for _, args := range [][]string{{"cat", f}, {"cat", "--typed", "--with-position", f}} {
			stdout := printedBy(args...)
			for line := range bytes.Lines([]byte(stdout)) {
				lines = append(lines, string(bytes.TrimSuffix(line, []byte("\n"))))
			}
		}
	}
	escapes := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for _, line := range lines {
		in := []byte(line + "\n")
		colored := style{color: true}.appendStyled(nil, in)
		if got := escapes.ReplaceAll(colored, nil); !bytes.Equal(got, in) {
			t.Errorf("in colours %s became %s", in, got)
		}
	}
	for n := range 40 { // text that is no JSON is passed on, whatever it is
		const text = `{"a":[{"b64":"\"x"},1.5],"s":{"string":["`
		_ = style{color: true}.appendStyled(nil, []byte(text[:n]))
		_ = style{tree: &recordTree{width: 80, typed: n%2 == 0}}.appendStyled(nil, []byte(text[:n]))
	}
}

// printedBy runs a verb of this package and returns what it prints.
func printedBy(args ...string) string {
	var stdout bytes.Buffer
	a := cli.App{Texts: fstest.MapFS{}, Groups: func() []cli.Group { return []cli.Group{{Verbs: []*cli.Command{Cat()}}} }}
	a.Run(context.Background(), args, strings.NewReader(""), &stdout, io.Discard)
	return stdout.String()
}
