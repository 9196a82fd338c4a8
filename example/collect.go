package example

import (
	"bytes"
	"cmp"
	"slices"
)

// An Entry is a name and the feature that stands for it. Both are lent.
type Entry struct {
	Name    []byte
	Feature Feature
}

// A FeatureListEntry is a name and the feature list that stands for it. Both are lent.
type FeatureListEntry struct {
	Name []byte
	List FeatureList
}

// Collect appends the features of an Example, or of the context of another
// message, to dst as a map holds them: names sorted by their bytes and each once.
// The last feature of a repeated name stands for it; all of them must be sound (see [Feature.Replace]). It checks
// the framing of the whole message, and duplicates; features are checked when
// they are decoded. Use it where every feature is wanted: a feature that
// is not requested may hold anything, also in a duplicate, and then Lookup or
// a Scanner with Replace is right.
//
// The entries alias msg. On error dst is returned with its elements as they
// were.
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
				return dst[:n], in(err, s.part(), string(e.Name))
			}
			found[i+1].Feature = f
			continue
		}
		if e.Feature.flags&replaces != 0 && e.Feature.Kind() == Malformed {
			return dst[:n], in(e.Feature.Validate(), s.part(), string(e.Name))
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
			if err := e.List.sound(); err != nil {
				return dst[:n], in(err, "feature_lists", string(e.Name))
			}
			continue
		}
		found[kept] = e
		kept++
	}
	return dst[:n+kept], nil
}

// Lookup finds the feature that stands for name in an Example, or in the context
// of another message, and whether there is one. It checks the framing of the whole message and, where the name
// is repeated, the earlier features of that name; other features may hold
// anything, and the feature itself is checked when it is decoded. It aliases
// msg.
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
				return Feature{}, false, in(err, s.part(), name)
			}
		}
		found, ok = f, true
	}
	if s.err != nil {
		return Feature{}, false, s.err
	}
	return found, ok, nil
}
