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

// tokenRules are the constraints of a natural_language_domain that need token statistics. Sets of tokens are in the form of
// intToken and textToken.
type tokenRules struct {
	vocabulary         *vocabulary     // nil: the domain names none; tokens are used as they are
	excluded           map[string]bool // tokens that are not counted
	outOfVocabulary    map[string]bool // tokens that mean out of vocabulary
	excludedFromLength map[string]bool // tokens that do not count for the length of a sequence
	constrained        []string        // tokens with constraints, sorted
}

// newTokenRules returns the rules of a domain. It returns nil if nothing is to be counted, or if Options.Vocabularies lacks the
// vocabulary.
func newTokenRules(d *metadatapb.NaturalLanguageDomain, all map[string]*vocabulary) *tokenRules {
	c, length := d.GetCoverage(), d.GetSequenceLengthConstraints()
	words := all[d.GetVocabulary()]
	if d.GetVocabulary() == "" && c == nil && length == nil && len(d.GetTokenConstraints()) == 0 || d.GetVocabulary() != "" && words == nil {
		return nil
	}
	t := &tokenRules{vocabulary: words, excluded: map[string]bool{}, outOfVocabulary: map[string]bool{}, excludedFromLength: map[string]bool{}}
	for _, s := range c.GetExcludedStringTokens() {
		t.excluded[textToken(s)] = true
	}
	for _, v := range c.GetExcludedIntTokens() {
		t.excluded[intToken(v)] = true
	}
	for _, s := range c.GetOovStringTokens() {
		t.outOfVocabulary[textToken(s)] = true
	}
	for _, s := range length.GetExcludedStringValue() {
		t.excludedFromLength[textToken(s)] = true
	}
	for _, v := range length.GetExcludedIntValue() {
		t.excludedFromLength[intToken(v)] = true
	}
	for _, k := range d.GetTokenConstraints() {
		if v, ok := k.GetValue().(*metadatapb.SequenceValueConstraints_IntValue); ok {
			t.constrained = append(t.constrained, intToken(v.IntValue))
		} else {
			t.constrained = append(t.constrained, textToken(k.GetStringValue()))
		}
	}
	slices.Sort(t.constrained)
	t.constrained = slices.Compact(t.constrained)
	return t
}

// intToken and textToken return tokens as strings with a prefix for the kind, so that sets can contain both.
func intToken(v int64) string   { return "i" + strconv.FormatInt(v, 10) }
func textToken(s string) string { return "s" + s }

// tokens counts the tokens of a feature whose lists of values are sequences of tokens.
type tokens struct {
	records               uint64                  // number of sequences, including empty ones
	inVocabulary, counted uint64                  // number of tokens in the vocabulary, and of all tokens, both without excluded tokens
	characters            uint64                  // number of characters of the tokens in the vocabulary
	tokenLengths          lengthCounts            // characters of the tokens in the vocabulary
	sequenceLengths       lengthCounts            // tokens in sequences that are not empty, without excludedFromLength
	labels                *sketch.Labels          // counts of the tokens in the vocabulary
	constrained           map[string]*tokenCounts // counts of each token with constraints
	reported              [2][]reportedSequence   // sequences with the least coverage, and with the shortest tokens
	isText                bool                    // the feature is text, not numbers
}

// tokenCounts counts one token with a constraint.
type tokenCounts struct {
	count       uint64   // number of occurrences
	sequences   uint64   // number of sequences with the token
	least, most uint64   // range of the number of occurrences in a sequence
	positions   []uint64 // number of occurrences by position in the sequence, in Options.Buckets equal parts
}

// A reportedSequence is a sequence that statistics list because its metric is among the lowest.
type reportedSequence struct {
	text   string
	metric float64 // coverage, or mean length of tokens
}

const (
	maxReportedSequences = 5    // sequences in each list
	maxReportedBytes     = 4096 // bytes of the text of a sequence
)

// newTokens returns empty tokens for a kind.
func newTokens(kind example.Kind, o *Options) *tokens {
	return &tokens{labels: sketch.NewLabels(o.minLabels()), constrained: map[string]*tokenCounts{}, isText: kind == example.BytesList}
}

// A token is one value with its vocabulary entry, in the form of intToken and textToken: a text and its number, or a number and its
// text. counterpart is "" if the vocabulary has no entry.
type token struct{ value, counterpart string }

// isIn reports whether a set has the token as text or as a number.
func (s token) isIn(set map[string]bool) bool {
	return set[s.value] || s.counterpart != "" && set[s.counterpart]
}

// text returns the token as text, or "" if it is a number without text.
func (s token) text() string {
	if s.value[0] == 's' {
		return s.value
	}
	return s.counterpart
}

// inVocabulary reports whether a token is in the vocabulary. Without a vocabulary, texts count as in the vocabulary and numbers
// do not. Tokens in outOfVocabulary never count.
func (s token) inVocabulary(rules *tokenRules) bool {
	text := s.text()
	return text != "" && !rules.outOfVocabulary[text] && (rules.vocabulary == nil || s.counterpart != "")
}

// addSequence adds the sequence of one record.
func (t *tokens) addSequence(e *entry, r *record, rules *tokenRules, o *Options) {
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
			all[i], text[i] = token{own, rules.vocabulary.counterpart(own, v)}, own[1:]
		} else {
			own := textToken(string(r.bytes[e.lo+i]))
			all[i] = token{own, rules.vocabulary.counterpart(own, 0)}
		}
		if s := all[i].text(); s != "" {
			text[i] = pythonString(s[1:])
		}
		if all[i].inVocabulary(rules) {
			known++
			letters += len([]rune(all[i].text())) - 1
		}
	}
	for _, want := range rules.constrained {
		if own := (want[0] == 'i') == (e.kind == example.Int64List); own || rules.vocabulary != nil && len(rules.vocabulary.words) > 0 {
			t.countConstrained(want, all, o.Buckets)
		}
	}
	line := "[" + strings.Join(text, ", ") + "]"
	if len(line) > maxReportedBytes {
		line = strings.ToValidUTF8(line[:maxReportedBytes-3], "") + "…"
	}
	t.addReported(0, reportedSequence{line, float64(known) / float64(n)})
	t.addReported(1, reportedSequence{line, ratio(float64(letters), float64(known))})

	length := uint64(n)
	for _, s := range all {
		if s.isIn(rules.excludedFromLength) {
			length--
		}
	}
	t.sequenceLengths.addLength(int(length))
	for _, s := range all {
		if s.isIn(rules.excluded) {
			continue
		}
		t.counted++
		if s.inVocabulary(rules) {
			text := s.text()
			t.inVocabulary++
			t.characters += uint64(len([]rune(text)) - 1)
			t.tokenLengths.addLength(len([]rune(text)) - 1)
			t.labels.Add([]byte(text[1:]), 1)
		}
	}
}

// countConstrained counts a token with a constraint in a sequence.
func (t *tokens) countConstrained(want string, all []token, buckets int) {
	w := t.constrained[want]
	fresh := w == nil
	if fresh {
		w = &tokenCounts{positions: make([]uint64, buckets)}
		t.constrained[want] = w
	}
	n := uint64(0)
	for i, s := range all {
		if s.value == want || s.counterpart == want {
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

// addReported adds a sequence to a list of reported sequences, which keeps the lowest metrics without duplicate texts.
func (t *tokens) addReported(list int, r reportedSequence) {
	reported := t.reported[list]
	for _, k := range reported {
		if k.text == r.text {
			return
		}
	}
	reported = append(reported, r)
	slices.SortStableFunc(reported, func(a, b reportedSequence) int {
		switch {
		case a.metric < b.metric:
			return -1
		case a.metric > b.metric:
			return 1
		}
		return 0
	})
	t.reported[list] = reported[:min(len(reported), maxReportedSequences)]
}

// mergeTokens adds the counts of o.
func (t *tokens) mergeTokens(o *tokens) {
	t.records += o.records
	t.inVocabulary += o.inVocabulary
	t.counted += o.counted
	t.characters += o.characters
	t.tokenLengths.mergeLengths(&o.tokenLengths)
	t.sequenceLengths.mergeLengths(&o.sequenceLengths)
	t.labels.Merge(o.labels)
	for name, from := range o.constrained {
		to := t.constrained[name]
		if to == nil {
			t.constrained[name] = from
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
			t.addReported(i, r)
		}
	}
}

// nlType is the type URL of the message, as TensorFlow Data Validation writes it.
const nlType = "type.googleapis.com/tensorflow.metadata.v0.NaturalLanguageStatistics"

// statistic returns the counts as the custom statistic nl_statistics.
func (t *tokens) statistic(o *Options) (*metadatapb.CustomStatistic, error) {
	m := &metadatapb.NaturalLanguageStatistics{
		FeatureCoverage: ratio(float64(t.inVocabulary), float64(t.counted)),
		AvgTokenLength:  ratio(float64(t.characters), float64(t.inVocabulary)),
	}
	if all := t.sequenceLengths.summary(); len(all) > 0 {
		m.MinSequenceLength, m.MaxSequenceLength = int64(all[0].V), int64(all[len(all)-1].V)
	}
	for _, h := range []struct {
		to   **metadatapb.Histogram
		from *lengthCounts
	}{{&m.TokenLengthHistogram, &t.tokenLengths}, {&m.SequenceLengthHistogram, &t.sequenceLengths}} {
		if s := h.from.summary(); len(s) > 0 {
			*h.to = toHistogram(metadatapb.Histogram_QUANTILES, equalWeightBuckets(s, o.Quantiles))
		}
	}
	for i, l := range t.topTokens(o.RankedValues) {
		if i == 0 {
			m.RankHistogram = &metadatapb.RankHistogram{}
		}
		b := &metadatapb.RankHistogram_Bucket{LowRank: uint64(i), HighRank: uint64(i), Label: labelText(l.Key), SampleCount: l.Count}
		m.RankHistogram.Buckets = append(m.RankHistogram.Buckets, b)
	}
	for _, name := range slices.SortedFunc(maps.Keys(t.constrained), t.compareNames) {
		w := t.constrained[name]
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

// topTokens returns the most frequent tokens, equal counts in ascending order of the tokens: the order of other lists
// of values is descending.
func (t *tokens) topTokens(most int) []sketch.Label {
	all := t.labels.Top(math.MaxInt, nil)
	slices.SortFunc(all, func(a, b sketch.Label) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Key, b.Key))
	})
	return all[:min(len(all), most)]
}

// compareNames orders tokens with constraints: tokens of the feature's kind come first; integers are in order of value.
func (t *tokens) compareNames(a, b string) int {
	if a[0] != b[0] && t.isText {
		a, b = b, a // texts first: 's' sorts after 'i'
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

// pythonString quotes s as Python does for most texts.
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

// appendState appends the encoding of t.
func (t *tokens) appendState(b []byte) []byte {
	for _, v := range []uint64{t.records, t.inVocabulary, t.counted, t.characters} {
		b = sketch.AppendUint(b, v)
	}
	a := level{lengths: t.tokenLengths}
	b = a.appendState(b)
	a = level{lengths: t.sequenceLengths}
	b = a.appendState(b)
	b = t.labels.AppendState(b)
	b = sketch.AppendUint(b, uint64(len(t.constrained)))
	for _, name := range slices.Sorted(maps.Keys(t.constrained)) {
		w := t.constrained[name]
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

// readTokens decodes tokens.
func readTokens(in *sketch.Decoder, kind example.Kind, o *Options) *tokens {
	t, buckets := newTokens(kind, o), o.Buckets
	for _, p := range []*uint64{&t.records, &t.inVocabulary, &t.counted, &t.characters} {
		*p = in.Uint()
	}
	t.tokenLengths = readLevel(in).lengths
	t.sequenceLengths = readLevel(in).lengths
	t.labels = in.Labels(o.minLabels())
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
		t.constrained[name] = w
	}
	for i := range t.reported {
		for range min(in.Count(9), maxReportedSequences) {
			t.reported[i] = append(t.reported[i], reportedSequence{in.String(), in.Float()})
		}
	}
	return t
}

// A vocabulary maps numbers to words and words to numbers. It is one of Options.Vocabularies.
type vocabulary struct {
	words   []string         // the index of a word is its number
	numbers map[string]int64 // the number of each word; of a repeated word, the last number
}

// newVocabularies returns the vocabularies by name.
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

// counterpart returns the text of a number, or the number of a text, as a token. It returns "" if the vocabulary has
// none.
func (v *vocabulary) counterpart(token string, number int64) string {
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

// cloneVocabularies returns a deep copy.
func cloneVocabularies(all map[string][]string) map[string][]string {
	out := maps.Clone(all)
	for name, words := range out {
		out[name] = append([]string(nil), words...)
	}
	return out
}
