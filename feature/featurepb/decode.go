package featurepb

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

const (
	maxDepth  = 100 // of messages in messages; the limit of protobuf's other implementations
	maxFaults = 100 // told of one document
)

// faults collects what is wrong with a document.
type faults struct {
	what     string // the document: "schema"
	errs     []error
	count    int
	defaults int // values of them
}

func (f *faults) addf(format string, args ...any) {
	f.count++
	if f.count <= maxFaults {
		f.errs = append(f.errs, fmt.Errorf("%s: %w", f.what, fmt.Errorf(format, args...)))
	}
}

func (f *faults) err() error {
	if f.count > maxFaults {
		return errors.Join(append(slices.Clip(f.errs), fmt.Errorf("%s: %d more faults", f.what, f.count-maxFaults))...)
	}
	return errors.Join(f.errs...)
}

// decode fills m from text or binary and notes the faults. It returns false if
// nothing can be said of the content.
//
// A text has no control characters, and a binary message that has none is not
// known: the length of its first field or of a name in it would be one. So what
// looks like a text is read as one, and as binary if that fails.
func (f *faults) decode(b []byte, m proto.Message) bool {
	if utf8.Valid(b) && bytes.IndexFunc(b, control) < 0 {
		err := readText(b, m, false)
		if err == nil {
			return true
		}
		if readBinary(b, m) == nil && unknown(m.ProtoReflect(), "", func(string) {}) == 0 {
			return true
		}
		f.addf("text: %s", readable(err))
		return readText(b, m, true) == nil // an unknown field does not hide the other faults
	}
	if err := readBinary(b, m); err != nil {
		f.addf("neither text nor binary: %s", readable(err))
		return false
	}
	unknown(m.ProtoReflect(), "", func(field string) { f.addf("unknown field %s", field) })
	return true
}

func control(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f
}

func readBinary(b []byte, m proto.Message) error {
	return proto.UnmarshalOptions{RecursionLimit: maxDepth}.Unmarshal(b, m)
}

func readText(b []byte, m proto.Message, discard bool) error {
	if tooDeep(b) { // the runtime has no limit for what is unknown
		return fmt.Errorf("messages nest more than %d deep", maxDepth)
	}
	return prototext.UnmarshalOptions{RecursionLimit: maxDepth, DiscardUnknown: discard}.Unmarshal(b, m)
}

// tooDeep reports whether messages nest too deep in a text. It sees no more of it
// than strings, comments and braces.
func tooDeep(b []byte) bool {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch c := b[i]; c {
		case '{', '<':
			if depth++; depth > maxDepth {
				return true
			}
		case '}', '>':
			depth--
		case '#':
			if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
				i += n
			} else {
				return false
			}
		case '"', '\'':
			for i++; i < len(b) && b[i] != c && b[i] != '\n'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		}
	}
	return false
}

// unknown calls found with every unknown field in m and in what it holds, and
// returns how many there are. path is where m stands, "" or with a point at the end.
func unknown(m protoreflect.Message, path string, found func(field string)) (n int) {
	for b := m.GetUnknown(); len(b) > 0; n++ {
		num, _, size := protowire.ConsumeField(b)
		if size < 0 {
			break // the runtime keeps whole fields only
		}
		found(path + strconv.Itoa(int(num)))
		b = b[size:]
	}
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.Message() == nil:
		case fd.IsList():
			for i := range v.List().Len() {
				n += unknown(v.List().Get(i).Message(), path+string(fd.Name())+"["+strconv.Itoa(i)+"].", found)
			}
		default:
			n += unknown(v.Message(), path+string(fd.Name())+".", found)
		}
		return true
	})
	return n
}

var position = regexp.MustCompile(`\(line (\d+):(\d+)\): `)

// readable takes out of an error of the protobuf runtime what varies between
// builds: it puts another kind of space into its texts.
func readable(err error) string {
	s := strings.ReplaceAll(err.Error(), "\u00a0", " ")
	s = strings.TrimPrefix(s, "proto: ")
	return position.ReplaceAllString(s, "line $1, column $2: ")
}

// size returns a dimension or a row length as an int, if it is one.
func size(n int64) (int, bool) {
	return int(n), n >= 0 && n <= math.MaxInt32
}
