package view

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/columnfile"
	"github.com/tfparse/tfparse/internal/detect"
	"github.com/tfparse/tfparse/internal/sniff"
	"github.com/tfparse/tfparse/tfrecord"
)

// A setAnswer is the answer of api/set.
type setAnswer struct {
	Title    string           `json:"title"`
	Type     string           `json:"type"`
	Files    []fileAnswer     `json:"files"`
	Sets     []string         `json:"sets"`
	Features []featureSummary `json:"features"`
	Pages    []string         `json:"pages"`
	Spec     *string          `json:"spec"`
	Exports  []string         `json:"exports"`
	Static   bool             `json:"static"`
	Matches  [][2]int64       `json:"matches"` // of the static page
}

// A fileAnswer is a file in the answer of api/set.
type fileAnswer struct {
	Name    string  `json:"name"`
	Set     int     `json:"set"`
	Size    int64   `json:"size"`
	Records *int64  `json:"records"` // number of all rows; nil: not known yet
	Known   int64   `json:"known"`   // number of rows that can be asked for at once
	Read    int64   `json:"read"`    // bytes that the scan has read, for its progress
	State   string  `json:"state"`
	Damaged int64   `json:"damaged"`
	Error   *string `json:"error"`
}

// A featureSummary describes a feature by the first records.
type featureSummary struct {
	ID      string  `json:"id"`
	Group   string  `json:"group"`
	Name    string  `json:"name"`
	Kind    string  `json:"kind"`
	Content *string `json:"content"` // of byte strings: JPEG, text
	Image   bool    `json:"image"`
	Audio   bool    `json:"audio"`
	Column  *string `json:"column"` // its column in the spec, or what it is in a column
	Classes bool    `json:"classes"`
}

// serveSet answers with the files and features.
func (h *Handler) serveSet(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, h.answerSet())
}

// answerSet describes the files and features.
func (h *Handler) answerSet() *setAnswer {
	a := &setAnswer{Title: visibleText(h.sets[0]), Type: h.kind.String(), Features: h.sample, Pages: []string{"features"}, Exports: h.exports()}
	for _, name := range h.sets {
		a.Sets = append(a.Sets, visibleText(name))
	}
	if h.kind == example.TypeRaw {
		a.Pages = []string{}
	} else {
		if h.opts.Schema != nil || h.opts.Rules != nil {
			a.Pages = append(a.Pages, "findings")
		}
		if len(h.opts.Against) > 0 {
			a.Pages = append(a.Pages, "compare")
		}
	}
	if h.parser != nil {
		if b, err := h.opts.Spec.MarshalJSON(); err == nil {
			text := string(b)
			a.Spec = &text
		}
	}
	for _, f := range h.files {
		a.Files = append(a.Files, f.answer())
	}
	return a
}

// answer describes the file.
func (f *recordFile) answer() fileAnswer {
	s, _ := f.status()
	a := fileAnswer{Name: visibleText(f.name), Set: f.set, Known: s.known, Read: f.read.Load(), State: "scanning", Damaged: s.damaged}
	f.data.mu.Lock()
	if f.data.info != nil {
		a.Size = f.data.info.Size()
	}
	f.data.mu.Unlock()
	if s.count >= 0 {
		a.Records, a.State, a.Known = &s.count, "complete", s.count
	}
	if s.state == failed {
		text := visibleText(s.err.Error())
		a.State, a.Error = "error", &text
	}
	return a
}

// exports returns the formats of api/export.
func (h *Handler) exports() []string {
	names := []string{"tfrecord", "jsonl"}
	if h.kind == example.TypeExample {
		names = append(names, "csv")
		if _, ok := columnfile.Find("parquet"); ok {
			names = append(names, "parquet")
		}
	}
	return names
}

// Limits of the sample that New reads.
const (
	sampleFiles   = 16  // of each data set
	sampleRecords = 100 // whose features are described
	typeRecords   = 8   // of each other file, whose type is compared
	sampleBytes   = 4 << 20
	sampleStored  = 64 << 20 // bytes of a file that are searched for records
)

// readSample finds out the message type and the features from the first records. It returns an error if files have records of different
// types: the page would leave out what the type of the others does not have.
func (h *Handler) readSample() error {
	var records [][]byte
	first, files := "", [2]int{}
	for _, f := range h.files {
		if files[f.set]++; files[f.set] > sampleFiles {
			continue
		}
		limit := sampleRecords
		if records != nil {
			limit = typeRecords
		}
		some := h.firstRecords(f, limit)
		if len(some) == 0 {
			continue
		}
		if records == nil {
			if records, first, h.kind = some, f.name, h.opts.Type; h.kind != example.TypeAuto {
				break
			}
			h.kind = likelyType(some)
			continue
		}
		kind := likelyType(some)
		if kind != h.kind && kind != example.TypeRaw && h.kind != example.TypeRaw && slices.ContainsFunc(some, func(rec []byte) bool { return !detect.ReadsAll(h.kind, rec) }) {
			return fmt.Errorf("%s has records of type %v, and %s of type %v: view them one by one", first, h.kind, f.name, kind)
		}
	}
	if h.kind == example.TypeAuto {
		h.kind = cmp.Or(h.opts.Type, example.TypeRaw)
	}
	h.sample = h.summarize(records)
	return nil
}

// likelyType returns the type that records show; TypeRaw if they show none.
func likelyType(records [][]byte) example.MessageType {
	if kind, ok := detect.MostLikely(records); ok {
		return kind
	}
	return example.TypeRaw
}

// firstRecords returns the first records of a file; none if it cannot be read.
func (h *Handler) firstRecords(f *recordFile, limit int) (records [][]byte) {
	size, err := f.data.Size()
	if err != nil {
		return nil
	}
	bytes := 0
	reader := tfrecord.NewReader(io.NewSectionReader(f.data, 0, min(size, sampleStored)), &tfrecord.ReaderOptions{MaxRecordSize: h.opts.MaxBytes})
	for rec := range reader.Recover() {
		if rec.Skipped != nil {
			continue
		}
		records = append(records, slices.Clone(rec.Record))
		if bytes += len(rec.Record); len(records) == limit || bytes >= sampleBytes {
			break
		}
	}
	return records
}

// A featureKey identifies a feature.
type featureKey struct{ group, name string }

// A sampledFeature is what the first records have of a feature.
type sampledFeature struct {
	featureSummary
	contents map[string]int // number of values by their content, of the first value of each record
}

// summarize describes the features of some records, sorted by group and name.
func (h *Handler) summarize(records [][]byte) []featureSummary {
	found := map[featureKey]*sampledFeature{}
	add := func(group string, name []byte, f example.Feature) {
		key := featureKey{group, string(name)}
		s := found[key]
		if s == nil {
			s = &sampledFeature{contents: map[string]int{}}
			s.featureSummary = featureSummary{ID: featureID(group, key.name), Group: group, Name: visibleText(key.name), Kind: kindName(example.Unset), Classes: h.opts.Classes[key.name] != nil}
			found[key] = s
		}
		s.add(f)
	}
	scan := func(group string, s example.Scanner) {
		for s.Next() {
			add(group, s.Name(), s.Feature())
		}
	}
	for _, rec := range records {
		switch h.kind {
		case example.TypeExample:
			scan(groupFeatures, h.kind.Scan(rec))
		case example.TypeSequence:
			scan(groupContext, h.kind.Scan(rec))
			for lists := example.ScanFeatureLists(rec); lists.Next(); {
				n := 0
				for steps := lists.List().Scan(); steps.Next() && n < 4; n++ {
					add(groupLists, lists.Name(), steps.Feature())
				}
				if n == 0 {
					add(groupLists, lists.Name(), example.Feature{})
				}
			}
		case example.TypeExampleList:
			scan(groupContext, h.kind.Scan(rec))
			n := 0
			for list := example.ScanExamples(rec); list.Next() && n < 16; n++ {
				scan(groupExamples, example.TypeExample.Scan(list.Example()))
			}
		}
	}
	columns := h.columnTexts()
	all := []featureSummary{}
	for key, s := range found {
		if text, ok := columns[key]; ok {
			s.Column = &text
		}
		all = append(all, s.featureSummary)
	}
	slices.SortFunc(all, func(a, b featureSummary) int { return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.ID, b.ID)) })
	return all
}

// add adds a value of the feature. Content becomes the most frequent one that is not an empty string.
func (s *sampledFeature) add(f example.Feature) {
	switch kind := kindName(f.Kind()); {
	case f.Kind() == example.Unset || f.Kind() == example.Malformed:
		return
	case s.Kind == kindName(example.Unset):
		s.Kind = kind
	case s.Kind != kind:
		s.Kind = "mixed"
	}
	if n, err := f.Len(); err != nil || n == 0 || f.Kind() != example.BytesList {
		return
	}
	c := describeBytes(firstValue(f))
	name, _, _ := strings.Cut(c.Content, " ") // without the size of an image
	if name == sniff.Empty.String() {
		return
	}
	if s.contents[name]++; s.Content == nil || s.contents[name] > s.contents[*s.Content] {
		s.Content, s.Image, s.Audio = &name, c.Image, c.Audio
	}
}

// columnTexts describes the column of each feature that the spec reads.
func (h *Handler) columnTexts() map[featureKey]string {
	texts := map[featureKey]string{}
	for group, features := range h.opts.Spec.Groups() {
		for name, f := range features {
			part := columnGroups[group]
			text := columnText(f)
			switch f := f.(type) {
			case feature.Sparse:
				texts[featureKey{part, f.ValueKey}] = text
				for _, key := range f.IndexKeys {
					texts[featureKey{part, key}] = "indices of " + visibleText(name)
				}
			case feature.Ragged:
				texts[featureKey{part, cmp.Or(f.ValueKey, name)}] = text
				for _, p := range f.Partitions {
					if kind, key := feature.PartitionKey(p); key != "" {
						texts[featureKey{part, key}] = kind + " of " + visibleText(name)
					}
				}
			default:
				texts[featureKey{part, name}] = text
			}
		}
	}
	return texts
}

// columnText describes a column: its kind, dtype and shape.
func columnText(f feature.Feature) string {
	shape := ""
	switch f := f.(type) {
	case feature.FixedLen:
		shape = fmt.Sprint(f.Shape)
	case feature.FixedLenSequence:
		shape = fmt.Sprint(f.Shape)
	case feature.Sparse:
		shape = fmt.Sprint(f.Size)
	case feature.Ragged:
		var axes []string
		for _, p := range f.Partitions {
			name, _ := feature.PartitionKey(p)
			if n, ok := p.(feature.UniformRowLength); ok {
				name = fmt.Sprint(int64(n))
			}
			axes = append(axes, name)
		}
		shape = fmt.Sprint(axes)
	}
	if shape == "[]" {
		shape = ""
	}
	return strings.TrimSpace(fmt.Sprintf("%s %v %s", columnKind(f), feature.DTypeOf(f), strings.ReplaceAll(shape, " ", ",")))
}
