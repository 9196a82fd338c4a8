package recordjson

import (
	"bytes"
	"strconv"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/namelist"
	"github.com/tfparse/tfparse/tfrecord"
)

// A Printer prints encoded messages of one type as JSON lines. It keeps
// scratch memory between calls: one Printer is for one goroutine at a time.
type Printer struct {
	typ      example.MessageType // not TypeAuto
	opts     Options             // copy of the caller's options
	selected *namelist.List      // the selected features; nil: all

	nameOrder nameOrder                  // sorts the features of a map; owns entries
	entries   []example.Entry            // features of the current map, sorted by name
	lists     []example.FeatureListEntry // feature lists of the message, sorted by name
	ints      []int64                    // values of an Int64List
	floats    []float32                  // values of a FloatList
	bytes     [][]byte                   // values of a BytesList; they alias the message
}

// NewPrinter returns a Printer of messages of type t, which is not [example.TypeAuto]. A nil opts means the
// defaults; opts must pass Validate.
func NewPrinter(t example.MessageType, opts *Options) *Printer {
	if t == example.TypeAuto || t > example.TypeRaw {
		panic("recordjson: a Printer needs the type of the messages")
	}
	p := &Printer{typ: t}
	if opts != nil {
		p.opts = *opts
	}
	if p.opts.Select != nil {
		p.selected, _ = namelist.Parse(p.opts.Select) // Validate reports the error
	}
	return p
}

// Append appends msg as one line of JSON, without the newline. The position is printed if Options.Position is set.
// On error dst is returned unchanged; the error is an [*Error], or an [*example.Error] if msg is not a valid
// message of the type.
func (p *Printer) Append(dst, msg []byte, pos tfrecord.Position) ([]byte, error) {
	line := append(dst, '{')
	if p.opts.Position {
		line = jsonscan.AppendPosition(line, pos.Name, pos.Record, pos.Offset)
	}
	line, err := p.appendMessage(line, msg)
	if err != nil {
		return dst, err
	}
	return append(line, '}'), nil
}

// appendMessage appends the members of the line.
func (p *Printer) appendMessage(dst, msg []byte) ([]byte, error) {
	switch p.typ {
	case example.TypeExample:
		return p.appendExample(dst, msg)
	case example.TypeSequence:
		return p.appendSequence(dst, msg)
	case example.TypeExampleList:
		return p.appendList(dst, msg)
	}
	return p.appendRaw(dst, msg), nil
}

// appendExample appends the features of an Example. Names that have another meaning at the top of a line are
// printed in their encoded form: those of position members, and those that would make the line look like another
// message.
func (p *Printer) appendExample(dst, msg []byte) ([]byte, error) {
	var err error
	if p.entries, err = p.nameOrder.collectSorted(example.TypeExample, msg); err != nil {
		return dst, err
	}
	start := len(dst)
	if dst, err = p.appendEntries(dst, "", true); err != nil {
		return dst, err
	}
	return escapeAmbiguous(dst, start), nil
}

// appendSequence appends "context" and "feature_lists", whether or not the message has them: in this message absent
// and empty are the same.
func (p *Printer) appendSequence(dst, msg []byte) ([]byte, error) {
	var err error
	if p.entries, err = p.nameOrder.collectSorted(example.TypeSequence, msg); err != nil {
		return dst, err
	}
	if p.lists, err = example.CollectFeatureLists(p.lists[:0], msg); err != nil {
		return dst, err
	}
	dst = append(appendComma(dst), `"context":{`...)
	if dst, err = p.appendEntries(dst, "context", false); err != nil {
		return dst, err
	}
	dst = append(dst, `},"feature_lists":{`...)
	for i := range p.lists {
		entry := &p.lists[i]
		if p.selected != nil && !p.selected.Includes(entry.Name) {
			continue
		}
		dst = append(jsonscan.AppendName(appendComma(dst), entry.Name), ':')
		if dst, err = p.appendSteps(dst, entry); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

func (p *Printer) appendSteps(dst []byte, entry *example.FeatureListEntry) ([]byte, error) {
	dst = append(dst, '[')
	steps := entry.List.Scan()
	for steps.Next() {
		if steps.Index() > 0 {
			dst = append(dst, ',')
		}
		var value int
		var err error
		if dst, value, err = p.appendFeature(dst, steps.Feature()); err != nil {
			return dst, addPath(err, "feature_lists", string(entry.Name), steps.Index(), value)
		}
	}
	if err := steps.Err(); err != nil {
		return dst, addPath(err, "feature_lists", string(entry.Name), -1, -1)
	}
	return append(dst, ']'), nil
}

// appendList appends "context", if the message has one, and "examples".
func (p *Printer) appendList(dst, msg []byte) ([]byte, error) {
	examples := example.ScanExamples(msg)
	for examples.Next() {
	}
	err := examples.Err()
	if err != nil {
		return dst, err
	}
	if context, ok := examples.Context(); ok {
		dst = append(appendComma(dst), `"context":{`...)
		if dst, err = p.appendNested(dst, context, "context"); err != nil {
			if whole := example.TypeExampleList.Validate(msg); whole != nil {
				err = whole // its offsets are in msg, not just in the context
			}
			return dst, err
		}
		dst = append(dst, '}')
	}
	dst = append(appendComma(dst), `"examples":[`...)
	examples = example.ScanExamples(msg)
	for examples.Next() {
		if examples.Index() > 0 {
			dst = append(dst, ',')
		}
		if dst, err = p.appendNested(append(dst, '{'), examples.Example(), ""); err != nil {
			return dst, encloseError(err, examples.Index(), examples.Offset())
		}
		dst = append(dst, '}')
	}
	return append(dst, ']'), examples.Err()
}

// appendNested appends the features of an Example inside another message.
func (p *Printer) appendNested(dst, msg []byte, part string) ([]byte, error) {
	var err error
	if p.entries, err = p.nameOrder.collectSorted(example.TypeExample, msg); err != nil {
		return dst, addPath(err, part, "", -1, -1)
	}
	return p.appendEntries(dst, part, false)
}

// appendRaw appends the bytes themselves. They are base64 unless the options ask for hexadecimal or their number: a
// line is an object, never a string.
func (p *Printer) appendRaw(dst, msg []byte) []byte {
	dst = appendComma(dst)
	switch p.opts.Bytes {
	case BytesHex:
		return jsonscan.AppendHexMember(dst, msg)
	case BytesLen:
		return strconv.AppendInt(append(dst, `"len":`...), int64(len(msg)), 10)
	}
	return jsonscan.AppendBase64Member(dst, msg)
}

// appendEntries appends the selected entries of p.entries as members. At the top of a line the names of position
// members are reserved.
func (p *Printer) appendEntries(dst []byte, part string, top bool) ([]byte, error) {
	for i := range p.entries {
		entry := &p.entries[i]
		if p.selected != nil && !p.selected.Includes(entry.Name) {
			continue
		}
		dst = appendComma(dst)
		if top {
			dst = jsonscan.AppendTopName(dst, entry.Name)
		} else {
			dst = jsonscan.AppendName(dst, entry.Name)
		}
		var value int
		var err error
		if dst, value, err = p.appendFeature(append(dst, ':'), entry.Feature); err != nil {
			return dst, addPath(err, part, string(entry.Name), -1, value)
		}
	}
	return dst, nil
}

// appendComma appends the comma between two members.
func appendComma(dst []byte) []byte {
	if n := len(dst); n > 0 && dst[n-1] != '{' {
		return append(dst, ',')
	}
	return dst
}

// escapeAmbiguous keeps the reader from taking the features of an Example, which
// were appended from start on, for another message: a lone empty list called
// "examples" would be an ExampleListWithContext, and, in the typed form,
// "context" beside an empty "feature_lists" a SequenceExample. Such a name is
// printed in its encoded form.
func escapeAmbiguous(dst []byte, start int) []byte {
	members := bytes.TrimPrefix(dst[start:], []byte{','})
	if string(members) == `"examples":[]` {
		dst = dst[:len(dst)-len(members)]
		return append(jsonscan.AppendEncodedName(dst, []byte("examples")), `:[]`...)
	}
	if !bytes.HasPrefix(members, []byte(`"context":{`)) {
		return dst
	}
	for _, kind := range [...]string{int64Member, float32Member, stringMember} {
		empty := `{"` + kind + `":[]}`
		if rest, ok := bytes.CutSuffix(members, []byte(`,"feature_lists":`+empty)); ok {
			dst = dst[:len(dst)-len(members)+len(rest)+1]
			dst = append(jsonscan.AppendEncodedName(dst, []byte("feature_lists")), ':')
			return append(dst, empty...)
		}
	}
	return dst
}
