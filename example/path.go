package example

import "strconv"

// A Path says where in a record something is. What does not apply, or is not known, is
// zero. Errors of this package and of package feature have one, and so has every error
// of theirs that wraps one.
type Path struct {
	Record    Index  // which of the records that were given to one call, such as feature.Parser.Parse
	Part      string // of the message: "context", "feature_lists", "examples[3]"; empty in an Example
	Feature   string // the name of the feature or feature list
	Key       string // the key in the message, where a spec gives the feature another name
	Step      Index  // of a feature list; or the example in a list of examples
	Partition Index  // the row partition, 0 the outermost
	Value     Index  // in the list
	Byte      Index  // from the beginning of the message
}

// An Index counts from 0, or is absent: the zero Index.
type Index struct{ next int }

// At returns the index i; a negative one is absent.
func At(i int) Index { return Index{max(i, -1) + 1} }

// Get returns the index; ok is false if it is absent.
func (x Index) Get() (i int, ok bool) { return max(x.next-1, 0), x.next > 0 }

// Known reports whether there is an index.
func (x Index) Known() bool { return x.next > 0 }

// Plus returns the index n further on; an absent one stays so.
func (x Index) Plus(n int) Index {
	if x.next > 0 {
		x.next += n
	}
	return x
}

// Or returns x, or y if x is absent.
func (x Index) Or(y Index) Index {
	if x.next > 0 {
		return x
	}
	return y
}

// String returns the number, or "unknown".
func (x Index) String() string {
	if x.next == 0 {
		return "unknown"
	}
	return strconv.Itoa(x.next - 1)
}

// String returns the path from the outside in, each part with a colon behind it but for
// the last: `record 3: context: feature "a": step 2: byte 17`.
func (p Path) String() string {
	b := p.appendOuter(nil)
	if p.Byte.Known() {
		b = append(append(b, "byte "...), p.Byte.String()...)
	} else if n := len(b) - len(": "); n >= 0 {
		b = b[:n]
	}
	return string(b)
}

// appendOuter appends everything but the byte, each part with a colon behind it.
func (p Path) appendOuter(b []byte) []byte {
	b = p.Record.append(b, "record ")
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
	b = p.Step.append(b, "step ")
	b = p.Partition.append(b, "partition ")
	return p.Value.append(b, "value ")
}

// append appends what is counted, the index and a colon, if there is one.
func (x Index) append(b []byte, what string) []byte {
	if x.next == 0 {
		return b
	}
	return append(strconv.AppendInt(append(b, what...), int64(x.next-1), 10), ": "...)
}
