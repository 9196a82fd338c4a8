package example

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/internal/canonical"
)

// A MessageType is the type of the message in a record. The text form is the value of flags and
// of members in JSON.
type MessageType uint8

// The messages of this package, and two types for other records:
// TypeAuto is for programs that detect the type from records, and records of TypeRaw are not decoded.
const (
	TypeAuto        MessageType = iota // the zero type; text "auto"
	TypeExample                        // Example; text "example"
	TypeSequence                       // SequenceExample; text "sequence"
	TypeExampleList                    // ExampleListWithContext; text "elwc"
	TypeRaw                            // any bytes; text "raw"
)

var typeTexts = [...]string{"auto", "example", "sequence", "elwc", "raw"}

// String gives the text form.
func (t MessageType) String() string {
	if int(t) < len(typeTexts) {
		return typeTexts[t]
	}
	return fmt.Sprintf("MessageType(%d)", uint8(t))
}

// MarshalText gives the text form.
func (t MessageType) MarshalText() ([]byte, error) {
	if int(t) >= len(typeTexts) {
		return nil, fmt.Errorf("example: no text for %v", t)
	}
	return []byte(typeTexts[t]), nil
}

// UnmarshalText reads the text form.
func (t *MessageType) UnmarshalText(b []byte) error {
	for i, text := range typeTexts {
		if string(b) == text {
			*t = MessageType(i)
			return nil
		}
	}
	return fmt.Errorf("want one of %s, got %q", strings.Join(typeTexts[:], ", "), b)
}

// Validate decodes everything in a message. If it returns nil, every feature has one value, the
// same for all decoders. Any bytes are valid as TypeRaw, and none as TypeAuto.
//
// Messages in canonical encoding take the fast path of package canonical. All others take the slow path, which also
// returns the errors.
func (t MessageType) Validate(msg []byte) error {
	switch t {
	case TypeExample:
		if canonical.CheckExample(msg) {
			return nil
		}
		return slowValidate(msg)
	case TypeSequence:
		if canonical.CheckSequence(msg) {
			return nil
		}
		return slowValidateSequence(msg)
	case TypeExampleList:
		if canonical.CheckList(msg) {
			return nil
		}
		return slowValidateList(msg)
	case TypeRaw:
		return nil
	}
	return fmt.Errorf("example: cannot validate as %v", t)
}

func slowValidate(msg []byte) error {
	var buf [64]Entry // more entries go to the heap
	return validateEntries(TypeExample.Collect(buf[:0], msg))
}

func validateEntries(entries []Entry, err error) error {
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := e.Feature.Validate(); err != nil {
			return addPath(err, "", string(e.Name))
		}
	}
	return nil
}

func slowValidateSequence(msg []byte) error {
	var buf [64]Entry
	if err := validateEntries(TypeSequence.Collect(buf[:0], msg)); err != nil {
		return addPath(err, "context", "")
	}
	var lists [64]FeatureListEntry
	found, err := CollectFeatureLists(lists[:0], msg)
	if err != nil {
		return err
	}
	for _, e := range found {
		s := e.List.Scan()
		for s.Next() {
			if err := s.Feature().Validate(); err != nil {
				return addPath(s.addStep(err), "feature_lists", string(e.Name))
			}
		}
		if err := s.Err(); err != nil {
			return addPath(err, "feature_lists", string(e.Name))
		}
	}
	return nil
}

func slowValidateList(msg []byte) error {
	s := ScanExamples(msg)
	for s.Next() {
		if err := slowValidate(s.Example()); err != nil {
			return encloseError(err, s.lo, s.partName())
		}
	}
	if err := s.Err(); err != nil {
		return err
	}
	ctx, _ := s.Context()
	return encloseError(slowValidate(ctx), s.ctxLo, "context")
}

// An Entry is a feature with its name. Both alias the message.
type Entry struct {
	Name    []byte
	Feature Feature
}

// A FeatureListEntry is a feature list with its name. Both alias the message.
type FeatureListEntry struct {
	Name []byte
	List FeatureList
}

// Collect appends the features of an Example, or of the context of another message, to dst: sorted by the bytes of
// their names, each name once. Of a repeated name it returns the last feature, and the earlier features must decode
// (see [Feature.Replace]). It checks the framing of the whole message; the features themselves are checked when
// they are decoded. To read some of the features use Lookup or a Scanner, which accept anything in other features.
//
// The entries alias msg. On error dst is returned with its elements unchanged.
func (t MessageType) Collect(dst []Entry, msg []byte) ([]Entry, error) {
	s := t.Scan(msg)
	n := len(dst)
	sorted := true
	for s.Next() {
		name := s.Name()
		if len(dst) > n && bytes.Compare(dst[len(dst)-1].Name, name) >= 0 {
			sorted = false
		}
		dst = append(dst, Entry{name, s.Feature()})
	}
	if s.err != nil {
		return dst[:n], s.err
	}
	if sorted {
		return dst, nil
	}
	found := dst[n:]
	slices.SortFunc(found, func(x, y Entry) int {
		if c := bytes.Compare(x.Name, y.Name); c != 0 {
			return c
		}
		return cmp.Compare(x.Feature.off, y.Feature.off)
	})
	kept := 0
	for i, e := range found {
		if i+1 < len(found) && bytes.Equal(e.Name, found[i+1].Name) {
			f, err := found[i+1].Feature.Replace(e.Feature)
			if err != nil {
				return dst[:n], addPath(err, s.partName(), string(e.Name))
			}
			found[i+1].Feature = f
			continue
		}
		if e.Feature.flags&replaces != 0 && e.Feature.Kind() == Malformed {
			return dst[:n], addPath(e.Feature.Validate(), s.partName(), string(e.Name))
		}
		found[kept] = e
		kept++
	}
	return dst[:n+kept], nil
}

// CollectFeatureLists is [MessageType.Collect] for the feature lists of a SequenceExample.
func CollectFeatureLists(dst []FeatureListEntry, msg []byte) ([]FeatureListEntry, error) {
	n := len(dst)
	sorted := true
	s := ScanFeatureLists(msg)
	for s.Next() {
		name := s.Name()
		if len(dst) > n && bytes.Compare(dst[len(dst)-1].Name, name) >= 0 {
			sorted = false
		}
		dst = append(dst, FeatureListEntry{name, s.List()})
	}
	if err := s.Err(); err != nil {
		return dst[:n], err
	}
	if sorted {
		return dst, nil
	}
	found := dst[n:]
	slices.SortFunc(found, func(x, y FeatureListEntry) int {
		if c := bytes.Compare(x.Name, y.Name); c != 0 {
			return c
		}
		return cmp.Compare(x.List.off, y.List.off)
	})
	kept := 0
	for i, e := range found {
		if i+1 < len(found) && bytes.Equal(e.Name, found[i+1].Name) {
			if err := e.List.checkConforming(); err != nil {
				return dst[:n], addPath(err, "feature_lists", string(e.Name))
			}
			continue
		}
		found[kept] = e
		kept++
	}
	return dst[:n+kept], nil
}

// Lookup returns the feature of a name in an Example, or in the context
// of another message, and whether there is one. It checks the framing of the whole message and,
// for a repeated name, the earlier features; the feature itself is checked when it is decoded.
// Other features may hold anything. The feature aliases msg.
//
// Lookup reads the whole message each time. To read several features, scan
// once.
func (t MessageType) Lookup(msg []byte, name string) (found Feature, ok bool, err error) {
	s := t.Scan(msg)
	for s.Next() {
		if string(s.Name()) != name {
			continue
		}
		f := s.Feature()
		if ok {
			if f, err = f.Replace(found); err != nil {
				return Feature{}, false, addPath(err, s.partName(), name)
			}
		}
		found, ok = f, true
	}
	if s.err != nil {
		return Feature{}, false, s.err
	}
	return found, ok, nil
}
