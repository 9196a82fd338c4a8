package rules

import (
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/tfparse/tfparse/internal/pbtext"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/cformat"
	"github.com/tfparse/tfparse/validate/internal/domain"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// setSemanticDomain gives a feature without a domain the domain that the statistics detected in its values. It reports
// whether it set a domain.
func setSemanticDomain(compat bool, f *pb.Feature, v *view.Feature) bool {
	text := ""
	for _, s := range v.Stats.GetCustomStats() {
		if s.GetName() != "domain_info" {
			continue
		}
		if text != "" {
			return false // ambiguous
		}
		text = s.GetStr()
	}
	if text == "" || f.DomainInfo != nil {
		return false
	}
	var detected pb.Feature
	if pbtext.Unmarshal([]byte(text), &detected) != nil {
		return false
	}
	fields := 0
	detected.ProtoReflect().Range(func(protoreflect.FieldDescriptor, protoreflect.Value) bool {
		fields++
		return true
	})
	if fields != 1 || detected.DomainInfo == nil {
		return false
	}
	switch detected.DomainInfo.(type) {
	case *pb.Feature_AudioDomain, *pb.Feature_VideoDomain, *pb.Feature_ContentChunkDomain:
		if compat {
			return false // TensorFlow Data Validation does not know these domains
		}
	}
	if detected.GetTimeDomain() != nil && !compat && v.Custom("time_match_ratio").GetNum() < 1 {
		return false // native: all values must fit a time_domain; TensorFlow Data Validation accepts 80%
	}
	f.DomainInfo = detected.DomainInfo
	return true
}

// checkImages checks the formats and sizes of images.
func (e *entry) checkImages(d *pb.ImageDomain) {
	h := e.view.Custom(domain.ImageFormats)
	if !e.Compat && !Ignored(e.feature) { // native: TensorFlow Data Validation reports nothing
		if h == nil && d.MinimumSupportedImageFraction != nil {
			e.report("notMeasured", "minimum_supported_image_fraction", "--schema")
		}
		if e.view.Stats.GetBytesStats() == nil && d.MaxImageByteSize != nil {
			e.report("notMeasured", "max_image_byte_size", "--schema")
		}
	}
	if h != nil && d.MinimumSupportedImageFraction != nil {
		var known, unknown float32
		for _, b := range h.GetRankHistogram().GetBuckets() {
			if b.GetLabel() == domain.Unknown {
				unknown = float32(float64(unknown) + b.GetSampleCount())
			} else {
				known = float32(float64(known) + b.GetSampleCount())
			}
		}
		got, want := known/(known+unknown), float64(d.GetMinimumSupportedImageFraction())
		atLeast(e, &d.MinimumSupportedImageFraction, got, "fewImages", cformat.Fixed(float64(got)), cformat.Fixed(want), percent(float64(got)), percent(want))
	}
	got := e.view.Stats.GetBytesStats().GetMaxNumBytesInt()
	atMost(e, &d.MaxImageByteSize, got, "largeImage", got, d.GetMaxImageByteSize())
}

// checkLanguage checks the tokens of text. It reports whether the domain must be dropped.
func (e *entry) checkLanguage(d *pb.NaturalLanguageDomain) (drop bool) {
	var stats pb.NaturalLanguageStatistics
	found := false
	if c := e.view.Custom("nl_statistics"); c != nil {
		a := c.GetAny()
		if !strings.HasSuffix(a.GetTypeUrl(), "/tensorflow.metadata.v0.NaturalLanguageStatistics") || proto.Unmarshal(a.GetValue(), &stats) != nil {
			return false
		}
		found = true
	}
	c, length := d.GetCoverage(), d.GetSequenceLengthConstraints()
	if e.Compat {
		length = nil // TensorFlow Data Validation ignores length constraints
	}
	if !found && (c != nil && (c.MinCoverage != nil || c.MinAvgTokenLength != nil) || len(d.GetTokenConstraints()) > 0 || length.GetMinSequenceLength() > 0 || length.GetMaxSequenceLength() > 0) {
		return e.reportNoTokens(d)
	}
	if length != nil && stats.GetSequenceLengthHistogram() != nil {
		least, most := stats.GetMinSequenceLength(), stats.GetMaxSequenceLength()
		atLeast(e, &length.MinSequenceLength, least, "shortSequence", least, length.GetMinSequenceLength())
		atMost(e, &length.MaxSequenceLength, most, "longSequence", most, length.GetMaxSequenceLength())
	}
	if c != nil {
		got, want := stats.GetFeatureCoverage(), float64(c.GetMinCoverage())
		if c.MinCoverage != nil && got < want {
			e.report("lowCoverage", cformat.Six(got), cformat.Six(want), percent(got), percent(want))
			c.MinCoverage = proto.Float32(float32(got))
		}
		got, want = stats.GetAvgTokenLength(), float64(c.GetMinAvgTokenLength())
		if c.MinAvgTokenLength != nil && got < want {
			e.report("shortTokens", cformat.Six(got), cformat.Six(want))
			c.MinAvgTokenLength = proto.Float32(float32(got))
		}
	}
	for _, t := range d.GetTokenConstraints() {
		if t.Value == nil {
			continue
		}
		s := tokenStatistics(&stats, t)
		if s == nil {
			return e.reportNoTokens(d)
		}
		e.checkToken(t, s)
	}
	return false
}

// reportNoTokens reports that tokens were not counted. It returns whether the domain must be dropped: not in native
// mode, since the domain is not wrong.
func (e *entry) reportNoTokens(d *pb.NaturalLanguageDomain) (drop bool) {
	need := "--schema"
	if name := d.GetVocabulary(); name != "" {
		need = "--vocab " + name + "=FILE"
	}
	e.report("noLanguage", need)
	return e.Compat
}

// checkSemantic checks that each value is in the semantic domain. It reports whether the domain must be dropped.
// TensorFlow Data Validation does not check the values.
func (e *entry) checkSemantic() (drop bool) {
	check, unchecked := domain.NewCheck(e.feature)
	switch {
	case e.Compat || Ignored(e.feature):
		return false
	case unchecked != "":
		e.report("notChecked", unchecked)
		return false
	case check == nil:
		return false
	}
	wrong := slices.DeleteFunc(e.view.Labels(), func(l view.Label) bool { return check.FitsLabel(l.Value) })
	off, counted := e.misfits(check)
	if !counted {
		for _, l := range wrong {
			off += l.Count
		}
	}
	switch unique, ok := e.view.Unique(); {
	case off > 0:
		const most = 5
		examples := ""
		if len(wrong) > 0 {
			examples = ": " + listLabels(wrong[:min(len(wrong), most)], e.view.Total())
		}
		r := e.reason("unexpected", number(off), number(e.view.Total()), check.Want, examples)
		r.Type = check.Type
		e.reasons = append(e.reasons, r)
		return true
	case !counted && (!ok || unique > uint64(len(e.view.Labels()))):
		e.report("valuesNotMeasured", domainName(e.feature), "--schema")
	}
	return false
}

// misfits returns the number of values outside the domain. counted is false if the statistics have not counted the
// results of this check.
func (e *entry) misfits(check *domain.Check) (n float64, counted bool) {
	for _, b := range e.view.Custom(check.Statistic()).GetRankHistogram().GetBuckets() {
		switch b.GetLabel() {
		case domain.Unknown:
			n = b.GetSampleCount()
		case check.Want:
			counted = true
		}
	}
	if !counted {
		n = 0
	}
	return n, counted
}

// tokenStatistics returns the statistics of the token of a constraint, or nil.
func tokenStatistics(stats *pb.NaturalLanguageStatistics, t *pb.SequenceValueConstraints) *pb.NaturalLanguageStatistics_TokenStatistics {
	for _, s := range stats.GetTokenStatistics() {
		switch want := t.Value.(type) {
		case *pb.SequenceValueConstraints_IntValue:
			if got, ok := s.Token.(*pb.NaturalLanguageStatistics_TokenStatistics_IntToken); ok && got.IntToken == want.IntValue {
				return s
			}
		case *pb.SequenceValueConstraints_StringValue:
			if got, ok := s.Token.(*pb.NaturalLanguageStatistics_TokenStatistics_StringToken); ok && got.StringToken == want.StringValue {
				return s
			}
		}
	}
	return nil
}

// checkToken checks how often one token occurs.
func (e *entry) checkToken(t *pb.SequenceValueConstraints, s *pb.NaturalLanguageStatistics_TokenStatistics) {
	name := t.GetStringValue()
	if v, ok := t.Value.(*pb.SequenceValueConstraints_IntValue); ok {
		name = strconv.FormatInt(v.IntValue, 10)
	}
	got := s.GetFractionOfSequences()
	if t.MinFractionOfSequences != nil && float64(t.GetMinFractionOfSequences()) > got {
		e.report("rareToken", name, cformat.Six(got), cformat.Six(float64(t.GetMinFractionOfSequences())),
			percent(got), percent(float64(t.GetMinFractionOfSequences())))
		t.MinFractionOfSequences = proto.Float32(float32(got))
	}
	if t.MaxFractionOfSequences != nil && float64(t.GetMaxFractionOfSequences()) < got {
		e.report("commonToken", name, cformat.Six(got), cformat.Six(float64(t.GetMaxFractionOfSequences())),
			percent(got), percent(float64(t.GetMaxFractionOfSequences())))
		t.MaxFractionOfSequences = proto.Float32(float32(got))
	}
	if got := s.GetPerSequenceMinFrequency(); t.MinPerSequence != nil && float64(t.GetMinPerSequence()) > got {
		e.report("fewTokens", name, cformat.Six(got), t.GetMinPerSequence())
		t.MinPerSequence = proto.Int64(cformat.Int64(got))
	}
	if got := s.GetPerSequenceMaxFrequency(); t.MaxPerSequence != nil && float64(t.GetMaxPerSequence()) < got {
		e.report("manyTokens", name, cformat.Six(got), t.GetMaxPerSequence())
		t.MaxPerSequence = proto.Int64(cformat.Int64(got))
	}
}
