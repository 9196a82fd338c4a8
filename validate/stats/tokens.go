package stats

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// tokenRules are what a natural_language_domain asks to be measured.
type tokenRules struct {
	words             *vocabulary     // nil: none is given, and a token is what stands in the data
	excluded, outside map[string]bool // tokens that do not count, and that no vocabulary has
	shorter           map[string]bool // tokens that do not count for the length
	wanted            []string        // tokens with constraints
}

// newTokenRules returns nil if nothing is to be measured, or nothing can be: a vocabulary is named and was not given.
func newTokenRules(d *metadatapb.NaturalLanguageDomain, all map[string]*vocabulary) *tokenRules {
	c, length := d.GetCoverage(), d.GetSequenceLengthConstraints()
	words := all[d.GetVocabulary()]
	if d.GetVocabulary() == "" && c == nil && length == nil && len(d.GetTokenConstraints()) == 0 || d.GetVocabulary() != "" && words == nil {
		return nil
	}
	t := &tokenRules{words: words, excluded: map[string]bool{}, outside: map[string]bool{}, shorter: map[string]bool{}}
	for _, s := range c.GetExcludedStringTokens() {
		t.excluded[textToken(s)] = true
	}
	for _, v := range c.GetExcludedIntTokens() {
		t.excluded[intToken(v)] = true
	}
	for _, s := range c.GetOovStringTokens() {
		t.outside[textToken(s)] = true
	}
	for _, s := range length.GetExcludedStringValue() {
		t.shorter[textToken(s)] = true
	}
	for _, v := range length.GetExcludedIntValue() {
		t.shorter[intToken(v)] = true
	}
	for _, k := range d.GetTokenConstraints() {
		if v, ok := k.GetValue().(*metadatapb.SequenceValueConstraints_IntValue); ok {
			t.wanted = append(t.wanted, intToken(v.IntValue))
		} else {
			t.wanted = append(t.wanted, textToken(k.GetStringValue()))
		}
	}
	slices.Sort(t.wanted)
	t.wanted = slices.Compact(t.wanted)
	return t
}

// Tokens of both kinds in one set.
func intToken(v int64) string   { return "i" + strconv.FormatInt(v, 10) }
func textToken(s string) string { return "s" + s }

// tokens counts the tokens of a feature that is a sequence of them.
type tokens struct {
	records         uint64
	inside, total   uint64 // tokens: of a vocabulary, and all that count
	length          uint64 // of those inside
	tokenLengths    lengthCounts
	sequenceLengths lengthCounts
	ranks           *sketch.Labels
	wanted          map[string]*tokenCounts
	reported        [2][]reportedSequence // of the least coverage, of the shortest tokens
	texts           bool                  // the feature is text, not numbers
}

// tokenCounts counts one token that has a constraint.
type tokenCounts struct {
	count       uint64   // occurrences
	sequences   uint64   // sequences with the token
	least, most uint64   // occurrences in one sequence
	positions   []uint64 // occurrences by their place in the sequence, in Options.Buckets equal parts
}

// A reportedSequence is an unusual sequence: the smaller the metric, the more unusual.
type reportedSequence struct {
	text   string
	metric float64
}

const (
	maxReported  = 5
	mostReported = 4096 // bytes of its text
)

func newTokens(kind example.Kind, o *Options) *tokens {
	return &tokens{ranks: sketch.NewLabels(o.shown()), wanted: map[string]*tokenCounts{}, texts: kind == example.BytesList}
}

// A token is one value and its vocabulary entry: a text and its number, or a number and its text; other is "" if the vocabulary has none.
type token struct{ own, other string }

// in reports whether a set has the token, as text or as a number.
func (s token) in(set map[string]bool) bool { return set[s.own] || s.other != "" && set[s.other] }

// text returns the token as text, "" if it is a number that stands for none.
func (s token) text() string {
	if s.own[0] == 's' {
		return s.own
	}
	return s.other
}

// inside reports whether a token is of a vocabulary. A number never is without the vocabulary.
func (s token) inside(rules *tokenRules) bool {
	text := s.text()
	return text != "" && !rules.outside[text] && (rules.words == nil || s.other != "")
}

// add adds one record. Its text is kept whole, or as far as there is room.
func (t *tokens) add(e *entry, r *record, rules *tokenRules, o *Options) {
	t.records++
	n := e.hi - e.lo
	if n == 0 {
		return
	}
	all := make([]token, n)
	text := make([]string, n)
	known, letters := 0, 0
	for i := range all {
		if e.kind == example.Int64List {
			v := r.ints[e.lo+i]
			own := intToken(v)
			all[i], text[i] = token{own, rules.words.other(own, v)}, own[1:]
		} else {
			own := textToken(string(r.bytes[e.lo+i]))
			all[i] = token{own, rules.words.other(own, 0)}
		}
		if s := all[i].text(); s != "" {
			text[i] = pythonString(s[1:])
		}
		if all[i].inside(rules) {
			known++
			letters += len([]rune(all[i].text())) - 1
		}
	}
	for _, want := range rules.wanted {
		if own := (want[0] == 'i') == (e.kind == example.Int64List); own || rules.words != nil && len(rules.words.words) > 0 {
			t.constrained(want, all, o.Buckets)
		}
	}
	line := "[" + strings.Join(text, ", ") + "]"
	if len(line) > mostReported {
		line = strings.ToValidUTF8(line[:mostReported-3], "") + "…"
	}
	t.report(0, reportedSequence{line, float64(known) / float64(n)})
	t.report(1, reportedSequence{line, ratio(float64(letters), float64(known))})

	length := uint64(n)
	for _, s := range all {
		if s.in(rules.shorter) {
			length--
		}
	}
	t.sequenceLengths.add(int(length))
	for _, s := range all {
		if s.in(rules.excluded) {
			continue
		}
		t.total++
		if s.inside(rules) {
			text := s.text()
			t.inside++
			t.length += uint64(len([]rune(text)) - 1)
			t.tokenLengths.add(len([]rune(text)) - 1)
			t.ranks.Add([]byte(text[1:]), 1)
		}
	}
}

func (t *tokens) constrained(want string, all []token, buckets int) {
	w := t.wanted[want]
	fresh := w == nil
	if fresh {
		w = &tokenCounts{positions: make([]uint64, buckets)}
		t.wanted[want] = w
	}
	n := uint64(0)
	for i, s := range all {
		if s.own == want || s.other == want {
			n++
			w.positions[int(float64(i)/float64(len(all))*float64(buckets))]++
		}
	}
	w.count += n
	if n > 0 {
		w.sequences++
	}
	if fresh || n < w.least {
		w.least = n
	}
	w.most = max(w.most, n)
}

// report keeps the sequences of the smallest metrics, each once.
func (t *tokens) report(list int, r reportedSequence) {
	kept := t.reported[list]
	for _, k := range kept {
		if k.text == r.text {
			return
		}
	}
	kept = append(kept, r)
	slices.SortStableFunc(kept, func(a, b reportedSequence) int {
		switch {
		case a.metric < b.metric:
			return -1
		case a.metric > b.metric:
			return 1
		}
		return 0
	})
	t.reported[list] = kept[:min(len(kept), maxReported)]
}

func (t *tokens) merge(o *tokens) {
	t.records += o.records
	t.inside += o.inside
	t.total += o.total
	t.length += o.length
	t.tokenLengths.merge(&o.tokenLengths)
	t.sequenceLengths.merge(&o.sequenceLengths)
	t.ranks.Merge(o.ranks)
	for name, from := range o.wanted {
		to := t.wanted[name]
		if to == nil {
			t.wanted[name] = from
			continue
		}
		to.count += from.count
		to.sequences += from.sequences
		to.least = min(to.least, from.least)
		to.most = max(to.most, from.most)
		for i, n := range from.positions {
			to.positions[i] += n
		}
	}
	for i, list := range o.reported {
		for _, r := range list {
			t.report(i, r)
		}
	}
}

// nlType is what the message is called where others look for it.
const nlType = "type.googleapis.com/tensorflow.metadata.v0.NaturalLanguageStatistics"

func (t *tokens) statistic(o *Options) (*metadatapb.CustomStatistic, error) {
	m := &metadatapb.NaturalLanguageStatistics{
		FeatureCoverage: ratio(float64(t.inside), float64(t.total)),
		AvgTokenLength:  ratio(float64(t.length), float64(t.inside)),
	}
	if all := t.sequenceLengths.summary(); len(all) > 0 {
		m.MinSequenceLength, m.MaxSequenceLength = int64(all[0].V), int64(all[len(all)-1].V)
	}
	for _, h := range []struct {
		to   **metadatapb.Histogram
		from *lengthCounts
	}{{&m.TokenLengthHistogram, &t.tokenLengths}, {&m.SequenceLengthHistogram, &t.sequenceLengths}} {
		if s := h.from.summary(); len(s) > 0 {
			*h.to = toHistogram(metadatapb.Histogram_QUANTILES, partsOf(s, o.Quantiles))
		}
	}
	for i, l := range t.frequent(o.RankedValues) {
		if i == 0 {
			m.RankHistogram = &metadatapb.RankHistogram{}
		}
		b := &metadatapb.RankHistogram_Bucket{LowRank: uint64(i), HighRank: uint64(i), Label: labelText(l.Key), SampleCount: l.Count}
		m.RankHistogram.Buckets = append(m.RankHistogram.Buckets, b)
	}
	for _, name := range slices.SortedFunc(maps.Keys(t.wanted), t.compare) {
		w := t.wanted[name]
		s := &metadatapb.NaturalLanguageStatistics_TokenStatistics{}
		if v, err := strconv.ParseInt(name[1:], 10, 64); name[0] == 'i' && err == nil {
			s.Token = &metadatapb.NaturalLanguageStatistics_TokenStatistics_IntToken{IntToken: v}
		} else {
			s.Token = &metadatapb.NaturalLanguageStatistics_TokenStatistics_StringToken{StringToken: name[1:]}
		}
		if w.sequences > 0 {
			s.Frequency = float64(w.count)
			s.FractionOfSequences = float64(w.sequences) / float64(t.records)
			s.PerSequenceMinFrequency, s.PerSequenceMaxFrequency = float64(w.least), float64(w.most)
			s.PerSequenceAvgFrequency = float64(w.count) / float64(w.sequences)
			s.Positions = &metadatapb.Histogram{}
			n := float64(len(w.positions))
			for i, count := range w.positions {
				if count > 0 {
					s.Positions.Buckets = append(s.Positions.Buckets, &metadatapb.Histogram_Bucket{LowValue: float64(i) / n, HighValue: float64(i+1) / n, SampleCount: float64(count)})
				}
			}
		}
		m.TokenStatistics = append(m.TokenStatistics, s)
	}
	for _, list := range t.reported {
		for _, r := range list {
			m.ReportedSequences = append(m.ReportedSequences, strings.ToValidUTF8(r.text, "�"))
		}
	}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("stats: %w", err)
	}
	return &metadatapb.CustomStatistic{Name: "nl_statistics", Val: &metadatapb.CustomStatistic_Any{Any: &anypb.Any{TypeUrl: nlType, Value: b}}}, nil
}

// frequent returns the most frequent tokens, of equal ones the smaller first: other than
// lists of values.
func (t *tokens) frequent(most int) []sketch.Label {
	all := t.ranks.Top(math.MaxInt, nil)
	slices.SortFunc(all, func(a, b sketch.Label) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Key, b.Key))
	})
	return all[:min(len(all), most)]
}

// compare orders tokens with a constraint: those of the kind of the feature first,
// integers by their value.
func (t *tokens) compare(a, b string) int {
	if a[0] != b[0] && t.texts {
		a, b = b, a // s is behind i
	}
	if a[0] == 'i' && b[0] == 'i' {
		x, _ := strconv.ParseInt(a[1:], 10, 64)
		y, _ := strconv.ParseInt(b[1:], 10, 64)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	}
	return strings.Compare(a, b)
}

// pythonString quotes s as Python would for most texts.
func pythonString(s string) string {
	quote := "'"
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = `"`
	}
	s = strings.ReplaceAll(s, `\`, `\\`)
	if quote == "'" {
		s = strings.ReplaceAll(s, "'", `\'`)
	}
	return quote + strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s) + quote
}

func (t *tokens) appendState(b []byte) []byte {
	for _, v := range []uint64{t.records, t.inside, t.total, t.length} {
		b = sketch.AppendUint(b, v)
	}
	a := level{lengths: t.tokenLengths}
	b = a.appendState(b)
	a = level{lengths: t.sequenceLengths}
	b = a.appendState(b)
	b = t.ranks.AppendState(b)
	b = sketch.AppendUint(b, uint64(len(t.wanted)))
	for _, name := range slices.Sorted(maps.Keys(t.wanted)) {
		w := t.wanted[name]
		b = sketch.AppendString(b, name)
		for _, v := range []uint64{w.count, w.sequences, w.least, w.most} {
			b = sketch.AppendUint(b, v)
		}
		for _, n := range w.positions {
			b = sketch.AppendUint(b, n)
		}
	}
	for _, list := range t.reported {
		b = sketch.AppendUint(b, uint64(len(list)))
		for _, r := range list {
			b = sketch.AppendFloat(sketch.AppendString(b, r.text), r.metric)
		}
	}
	return b
}

func readTokens(in *sketch.Decoder, kind example.Kind, o *Options) *tokens {
	t, buckets := newTokens(kind, o), o.Buckets
	for _, p := range []*uint64{&t.records, &t.inside, &t.total, &t.length} {
		*p = in.Uint()
	}
	t.tokenLengths = readLevel(in).lengths
	t.sequenceLengths = readLevel(in).lengths
	t.ranks = in.Labels(o.shown())
	for range in.Count(5 + buckets) {
		name := in.String()
		if name == "" {
			in.Fail()
			return t
		}
		w := &tokenCounts{count: in.Uint(), sequences: in.Uint(), least: in.Uint(), most: in.Uint()}
		for range buckets {
			if in.Err() != nil {
				return t
			}
			w.positions = append(w.positions, in.Uint())
		}
		t.wanted[name] = w
	}
	for i := range t.reported {
		for range min(in.Count(9), maxReported) {
			t.reported[i] = append(t.reported[i], reportedSequence{in.String(), in.Float()})
		}
	}
	return t
}

// A vocabulary is the tokens that Options.Vocabularies has under a name: what a number
// stands for, and which number a word has, the last one if it is there several times.
type vocabulary struct {
	words   []string
	numbers map[string]int64
}

// newVocabularies returns the vocabularies by their names.
func newVocabularies(all map[string][]string) map[string]*vocabulary {
	out := make(map[string]*vocabulary, len(all))
	for name, words := range all {
		v := &vocabulary{words: words, numbers: make(map[string]int64, len(words))}
		for i, w := range words {
			v.numbers[w] = int64(i)
		}
		out[name] = v
	}
	return out
}

// other returns the token of the other kind that stands for a token, "" if there is none.
func (v *vocabulary) other(token string, number int64) string {
	if v == nil {
		return ""
	}
	if token[0] == 's' {
		if n, ok := v.numbers[token[1:]]; ok {
			return intToken(n)
		}
		return ""
	}
	if number >= 0 && number < int64(len(v.words)) {
		return textToken(v.words[number])
	}
	return ""
}

// cloneVocabularies copies the tokens of all vocabularies.
func cloneVocabularies(all map[string][]string) map[string][]string {
	out := maps.Clone(all)
	for name, words := range out {
		out[name] = append([]string(nil), words...)
	}
	return out
}
