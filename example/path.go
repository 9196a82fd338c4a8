package example

import "strconv"

// A Path is the position of a fault within a record. A name that does not apply, or is not
// known, is empty, and such an index is -1: [PathTo] makes a Path with names alone. Errors of
// this package, of package feature and of package recordjson have one.
type Path struct {
	Record    int    // ordinal of the record among those of one call, such as feature.Parser.Parse
	Part      string // of the message: "context", "feature_lists", "examples[3]"; empty in an Example
	Feature   string // the name of the feature or feature list
	Key       string // the key in the message, where a spec gives the feature another name
	Step      int    // index of the step in a feature list, or of the example in a list of examples
	Partition int    // level of the row partition, 0 the outermost
	Value     int    // index of the value in the list
	Byte      int    // offset from the beginning of the message
}

// PathTo returns the path to a feature in a part of a message.
func PathTo(part, feature string) Path {
	return Path{Record: -1, Part: part, Feature: feature, Step: -1, Partition: -1, Value: -1, Byte: -1}
}

// Enclose moves the path of a fault in an encoded Example to the message that encloses the
// Example: the Example is a part of it and begins at offset.
func (p *Path) Enclose(part string, offset int) {
	p.Part = part
	if p.Byte >= 0 {
		p.Byte += offset
	}
}

// String returns the path from the outside in:
// `record 3: context: feature "a": step 2: byte 17`.
func (p Path) String() string {
	b := p.appendOuter(nil)
	if p.Byte >= 0 {
		return string(strconv.AppendInt(append(b, "byte "...), int64(p.Byte), 10))
	}
	return string(b[:max(len(b)-len(": "), 0)])
}

// appendOuter appends everything but the byte, each element with a colon after it.
func (p Path) appendOuter(b []byte) []byte {
	b = appendIndex(b, "record ", p.Record)
	if p.Part != "" {
		b = append(append(b, p.Part...), ": "...)
	}
	if p.Feature != "" {
		b = strconv.AppendQuote(append(b, "feature "...), p.Feature)
		if p.Key != "" && p.Key != p.Feature {
			b = append(strconv.AppendQuote(append(b, " (key "...), p.Key), ')')
		}
		b = append(b, ": "...)
	}
	b = appendIndex(b, "step ", p.Step)
	b = appendIndex(b, "partition ", p.Partition)
	return appendIndex(b, "value ", p.Value)
}

// appendIndex appends what an index counts, the index and a colon, if it is known.
func appendIndex(b []byte, counts string, i int) []byte {
	if i < 0 {
		return b
	}
	return append(strconv.AppendInt(append(b, counts...), int64(i), 10), ": "...)
}
