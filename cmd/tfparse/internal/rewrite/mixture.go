package rewrite

import (
	"fmt"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
)

// A joining copies records as a copying does, and notes which message each file holds, by its first records: a
// file of Examples and SequenceExamples is hard to read, and nothing else would say that it was made.
type joining struct {
	copying
	first [][]byte // records of the file at hand, copies
	bytes int      // of them
	found [example.TypeExampleList + 1]struct {
		files int64
		first string
	}
}

// What is kept of a file: enough to see what it holds.
const (
	lookRecords = 16
	lookBytes   = 64 << 10
)

func (v *joining) Record(rec []byte, pos tfrecord.Position) error {
	if len(v.first) < lookRecords && v.bytes+len(rec) <= lookBytes {
		v.first = append(v.first, append([]byte{}, rec...))
		v.bytes += len(rec)
	}
	return v.copying.Record(rec, pos)
}

func (v *joining) End(f *recordscan.File) error {
	if t, ok := example.DetectMost(v.first); ok && int(t) < len(v.found) {
		of := &v.found[t]
		if of.files++; of.files == 1 {
			of.first = f.Name
		}
	}
	v.first, v.bytes = nil, 0
	return v.copying.End(f)
}

// warn warns if the files hold different messages.
func (v *joining) warn(c *console.Console) {
	var parts []string
	for t, of := range v.found {
		if of.files > 0 {
			parts = append(parts, fmt.Sprintf("%v in %s (%s)", example.MessageType(t), cli.Plural(of.files, "file"), of.first))
		}
	}
	if len(parts) > 1 {
		c.Print("the files hold different messages: " + strings.Join(parts, ", ") + "; a parser takes one")
	}
}
