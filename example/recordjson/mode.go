package recordjson

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tfparse/tfparse/internal/jsonscan"
)

// A BytesMode says how a byte string prints. Its text form is a
// word.
type BytesMode uint8

const (
	BytesAuto   BytesMode = iota // a JSON string if valid UTF-8, otherwise {"b64": "…"}
	BytesUTF8                    // a JSON string; anything but UTF-8 is ErrNotUTF8
	BytesBase64                  // always {"b64": "…"}
	BytesHex                     // always {"hex": "…"}
	BytesLen                     // the number of bytes
)

// An Int64Mode says how an int64 prints. Its text form is a word.
type Int64Mode uint8

const (
	Int64Number Int64Mode = iota // 17
	Int64String                  // "17", for readers that keep numbers as float64
)

// A NaNMode says how a float32 that is no finite number prints. Its text form
// is a word.
type NaNMode uint8

const (
	NaNString NaNMode = iota // "NaN", "Infinity", "-Infinity"
	NaNNull                  // null
	NaNError                 // an error that is ErrNotFinite
)

var (
	bytesNames = []string{"auto", "utf8", "base64", "hex", "len"}
	int64Names = []string{"number", "string"}
	nanNames   = []string{"string", "null", "error"}
)

// String gives the text form.
func (m BytesMode) String() string { return nameOf(bytesNames, m) }

// String gives the text form.
func (m Int64Mode) String() string { return nameOf(int64Names, m) }

// String gives the text form.
func (m NaNMode) String() string { return nameOf(nanNames, m) }

// MarshalText returns the text form of the mode.
func (m BytesMode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// MarshalText returns the text form of the mode.
func (m Int64Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// MarshalText returns the text form of the mode.
func (m NaNMode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText sets the mode from its text form.
func (m *BytesMode) UnmarshalText(text []byte) error { return setName(m, bytesNames, text) }

// UnmarshalText sets the mode from its text form.
func (m *Int64Mode) UnmarshalText(text []byte) error { return setName(m, int64Names, text) }

// UnmarshalText sets the mode from its text form.
func (m *NaNMode) UnmarshalText(text []byte) error { return setName(m, nanNames, text) }

func nameOf[T ~uint8](names []string, v T) string {
	if int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("invalid(%d)", v)
}

func setName[T ~uint8](v *T, names []string, text []byte) error {
	for i, name := range names {
		if name == string(text) {
			*v = T(i)
			return nil
		}
	}
	return fmt.Errorf("want one of %s, got %q", strings.Join(names, ", "), text)
}

// Options say how a Printer prints. The zero value is the default: the untyped
// form of every feature, nothing added.
type Options struct {
	Bytes    BytesMode
	Int64    Int64Mode
	NaN      NaNMode
	Typed    bool     // print the typed form, which loses nothing
	Select   []string // print these features only, as they are printed ("b64:…" included); nil: all
	Position bool     // begin every line with "_file", "_record", "_offset"
}

// Validate reports options that contradict each other: the typed form loses
// nothing, so it does not go with modes that do.
func (o *Options) Validate() error {
	switch {
	case o.Typed && o.Bytes == BytesLen:
		return errors.New("the typed form keeps every byte, which bytes as len does not")
	case o.Typed && o.NaN == NaNNull:
		return errors.New("the typed form distinguishes NaN from infinity, and nan as null does not")
	}
	for _, name := range o.Select {
		if _, err := jsonscan.ParseName(name); err != nil {
			return err
		}
	}
	return nil
}
