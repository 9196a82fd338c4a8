package testkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Case is one line of a file of vectors.
type Case struct {
	Dir, File string
	Line      int
	Name      string
	Tags      []string

	members map[string]json.RawMessage // everything, as it stands in the line
	ours    map[string]json.RawMessage // nil if TensorFlow's outcome is required
}

// A Want is the outcome that a case requires of us: TensorFlow's, or the one
// that stands in "ours" where we deliberately differ.
type Want struct {
	Fail   bool            // an error is required
	Error  json.RawMessage // what is said about the error; nil if Fail is false
	Expect json.RawMessage // the expected value; nil if there is none
	Ours   bool            // not what TensorFlow does
	Why    string          // why not
}

func parseCase(line []byte) (*Case, error) {
	c := &Case{}
	if err := unmarshalStrict(line, &c.members); err != nil {
		return nil, err
	}
	if err := c.Decode("name", &c.Name); err != nil {
		return nil, err
	}
	if c.Name == "" {
		return nil, errors.New("a case without a name")
	}
	if c.Has("tags") {
		if err := c.Decode("tags", &c.Tags); err != nil {
			return nil, err
		}
	}
	if c.Has("ours") {
		if err := c.Decode("ours", &c.ours); err != nil {
			return nil, err
		}
	}
	w := c.Want()
	if !w.Fail && w.Expect == nil {
		return nil, fmt.Errorf("case %q expects nothing", c.Name)
	}
	return c, nil
}

// Want returns the outcome that is required.
func (c *Case) Want() Want {
	from, w := c.members, Want{}
	if c.ours != nil {
		from, w.Ours = c.ours, true
		// A case without a reason is still a case: the text is information.
		_ = json.Unmarshal(c.ours["why"], &w.Why)
	}
	w.Expect = from["expect"]
	if e, ok := from["error"]; ok && string(e) != "false" {
		w.Fail, w.Error = true, e
	}
	return w
}

// Tagged reports whether the case has the tag.
func (c *Case) Tagged(tag string) bool { return slices.Contains(c.Tags, tag) }

// Has reports whether the case has the member.
func (c *Case) Has(member string) bool { _, ok := c.members[member]; return ok }

// HasOurs reports whether "ours" has the member.
func (c *Case) HasOurs(member string) bool { _, ok := c.ours[member]; return ok }

// Decode stores a member of the case in v. An object with a member that v does
// not know is an error.
func (c *Case) Decode(member string, v any) error { return decodeMember(c.members, member, v) }

// DecodeOurs does what Decode does for a member of "ours".
func (c *Case) DecodeOurs(member string, v any) error { return decodeMember(c.ours, member, v) }

func decodeMember(from map[string]json.RawMessage, member string, v any) error {
	raw, ok := from[member]
	if !ok {
		return Fault(fmt.Errorf("no member %q", member))
	}
	if err := unmarshalStrict(raw, v); err != nil {
		return Fault(fmt.Errorf("member %q: %w", member, err))
	}
	return nil
}

// Path returns the path of a file that the case names by its path beside the vectors. It
// may be compressed. If it is not there, because the vectors were moved alone, it is the
// first of that name in Folder.
func (c *Case) Path(name string) (string, error) {
	beside := filepath.Join(c.Dir, filepath.FromSlash(name))
	for _, path := range []string{beside, beside + ".gz"} {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	dir, _, err := Folder()
	if err != nil {
		return "", Fault(err)
	}
	found := ""
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.TrimSuffix(e.Name(), ".gz") == strings.TrimSuffix(filepath.Base(beside), ".gz") {
			found = path
			return filepath.SkipAll
		}
		return err
	})
	if err == nil && found == "" {
		err = fmt.Errorf("%s: %w, neither there nor elsewhere in %s", beside, fs.ErrNotExist, dir)
	}
	return found, Fault(err)
}

// Values decodes a member that is a list of values, such as "args". An absent
// member is an empty list.
func (c *Case) Values(member string) ([]Value, error) {
	if !c.Has(member) {
		return nil, nil
	}
	var raw []json.RawMessage
	if err := c.Decode(member, &raw); err != nil {
		return nil, err
	}
	out := make([]Value, len(raw))
	for i, r := range raw {
		v, err := ParseValue(r)
		if err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", member, i, err)
		}
		out[i] = v
	}
	return out, nil
}

// NamedValues decodes a member that is an object of values, such as "kwargs".
// An absent member is an empty object.
func (c *Case) NamedValues(member string) (map[string]Value, error) {
	if !c.Has(member) {
		return nil, nil
	}
	return parseNamedValues(c.members[member])
}

// unmarshalStrict reads one JSON value. It refuses members that v does not know
// and anything after the value; numbers in an any stay as they are written.
func unmarshalStrict(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows the JSON value")
	}
	return nil
}

// A faultError says that a case could not be run at all.
type faultError struct{ err error }

func (e *faultError) Error() string { return "the case cannot be run: " + e.err.Error() }
func (e *faultError) Unwrap() error { return e.err }

// Fault marks an error that is not an outcome of what is tested: an argument
// that could not be read, a file that is not there. A case that ends in one has
// failed even if it expects an error.
func Fault(err error) error {
	if err == nil {
		return nil
	}
	return &faultError{err}
}

// ErrUnknown marks a kind of case that no test can run.
var ErrUnknown = errors.New("unknown kind of case")

// Unknown returns an error that counts the case as unknown.
func Unknown(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnknown, fmt.Sprintf(format, args...))
}
