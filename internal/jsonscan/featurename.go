package jsonscan

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// namePrefix begins a feature name that is printed as base64.
const namePrefix = "b64:"

// AppendName appends a feature name as a JSON string. A name that is not
// UTF-8, or begins with "b64:", prints as "b64:" and its base64.
func AppendName(dst, name []byte) []byte {
	switch {
	case len(name) >= len(namePrefix) && string(name[:len(namePrefix)]) == namePrefix:
		return AppendEncodedName(dst, name)
	case IsPlain(name):
		return AppendPlain(dst, name)
	case !utf8.Valid(name):
		return AppendEncodedName(dst, name)
	}
	return AppendString(dst, name)
}

// AppendEncodedName appends any name as "b64:" and its base64.
func AppendEncodedName(dst, name []byte) []byte {
	dst = append(dst, '"')
	dst = append(dst, namePrefix...)
	dst = base64.StdEncoding.AppendEncode(dst, name)
	return append(dst, '"')
}

// DecodeName is ParseName for bytes: it returns printed itself or, if it begins with "b64:", dst with the decoded
// name appended.
func DecodeName(dst, printed []byte) ([]byte, error) {
	text, ok := bytes.CutPrefix(printed, []byte(namePrefix))
	if !ok {
		return printed, nil
	}
	dst, err := DecodeBase64(dst, text)
	if err != nil {
		return nil, fmt.Errorf("name %q: %w", printed, err)
	}
	return dst, nil
}

// ParseName returns the feature name for a name as AppendName prints it, from a line or a flag.
func ParseName(printed string) (string, error) {
	name, err := DecodeName(nil, []byte(printed))
	return string(name), err
}

// A Name is a string of any bytes, such as the name of a file, in a report that encoding/json prints. It prints as
// AppendName does.
type Name string

// MarshalJSON implements [encoding/json.Marshaler].
func (n Name) MarshalJSON() ([]byte, error) { return AppendName(nil, []byte(n)), nil }

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (n *Name) UnmarshalJSON(b []byte) error {
	var printed string
	if err := json.Unmarshal(b, &printed); err != nil {
		return err
	}
	name, err := ParseName(printed)
	*n = Name(name)
	return err
}

// AppendTopName is AppendName for the top of a line of package recordjson, where the names of position members are
// reserved: features with these names also print as "b64:" and their base64.
func AppendTopName(dst, name []byte) []byte {
	if IsPosition(name) {
		return AppendEncodedName(dst, name)
	}
	return AppendName(dst, name)
}

// IsPosition reports whether name is that of a position member: "_file",
// "_record" or "_offset".
func IsPosition(name []byte) bool {
	if len(name) == 0 || name[0] != '_' {
		return false
	}
	return string(name) == "_file" || string(name) == "_record" || string(name) == "_offset"
}
