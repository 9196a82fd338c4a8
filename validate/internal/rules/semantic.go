package rules

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/cformat"
	"github.com/tfparse/tfparse/validate/internal/view"
	"github.com/tfparse/tfparse/validate/pbtext"
)

// setSemanticDomain gives a feature without a domain the one that was found in its
// values, and reports whether it did.
func setSemanticDomain(compat bool, f *pb.Feature, v *view.Feature) bool {
	text := ""
	for _, s := range v.Stats.GetCustomStats() {
		if s.GetName() != "domain_info" {
			continue
		}
		if text != "" {
			return false // there are two
		}
		text = s.GetStr()
	}
	if text == "" || f.DomainInfo != nil {
		return false
	}
	var found pb.Feature
	if pbtext.Unmarshal([]byte(text), &found) != nil {
		return false
	}
	fields := 0
	found.ProtoReflect().Range(func(protoreflect.FieldDescriptor, protoreflect.Value) bool {
		fields++
		return true
	})
	if fields != 1 || found.DomainInfo == nil {
		return false
	}
	switch found.DomainInfo.(type) {
	case *pb.Feature_AudioDomain, *pb.Feature_VideoDomain, *pb.Feature_ContentChunkDomain:
		if compat {
			return false // it does not know them
		}
	}
	f.DomainInfo = found.DomainInfo
	return true
}

// images checks formats and sizes of images.
func (e *entry) images(d *pb.ImageDomain) {
	if h := e.view.Custom("image_format_histogram"); h != nil && d.MinimumSupportedImageFraction != nil {
		var known, unknown float32
		for _, b := range h.GetRankHistogram().GetBuckets() {
			if b.GetLabel() == "UNKNOWN" {
				unknown = float32(float64(unknown) + b.GetSampleCount())
			} else {
				known = float32(float64(known) + b.GetSampleCount())
			}
		}
		if got := known / (known + unknown); got < d.GetMinimumSupportedImageFraction() {
			e.report(&semanticTexts.fewImages, cformat.Fixed(float64(got)), cformat.Fixed(float64(d.GetMinimumSupportedImageFraction())),
				percent(float64(got)), percent(float64(d.GetMinimumSupportedImageFraction())))
			d.MinimumSupportedImageFraction = &got
		}
	}
	if got := e.view.Stats.GetBytesStats().GetMaxNumBytesInt(); d.MaxImageByteSize != nil && got > d.GetMaxImageByteSize() {
		e.report(&semanticTexts.largeImage, got, d.GetMaxImageByteSize())
		d.MaxImageByteSize = &got
	}
}

// language checks tokens of text. It reports whether the domain must go.
func (e *entry) language(d *pb.NaturalLanguageDomain) (drop bool) {
	var stats pb.NaturalLanguageStatistics
	found := false
	if c := e.view.Custom("nl_statistics"); c != nil {
		a := c.GetAny()
		if !strings.HasSuffix(a.GetTypeUrl(), "/tensorflow.metadata.v0.NaturalLanguageStatistics") || proto.Unmarshal(a.GetValue(), &stats) != nil {
			return false
		}
		found = true
	}
	c := d.GetCoverage()
	if !found && (c != nil && (c.MinCoverage != nil || c.MinAvgTokenLength != nil) || len(d.GetTokenConstraints()) > 0) {
		e.report(&semanticTexts.noLanguage)
		return true
	}
	if got := stats.GetFeatureCoverage(); c != nil && c.MinCoverage != nil && float64(c.GetMinCoverage()) > got {
		e.report(&semanticTexts.lowCoverage, cformat.Six(got), cformat.Six(float64(c.GetMinCoverage())), percent(got), percent(float64(c.GetMinCoverage())))
		c.MinCoverage = proto.Float32(float32(got))
	}
	if got := stats.GetAvgTokenLength(); c != nil && c.MinAvgTokenLength != nil && got < float64(c.GetMinAvgTokenLength()) {
		e.report(&semanticTexts.shortTokens, cformat.Six(got), cformat.Six(float64(c.GetMinAvgTokenLength())))
		c.MinAvgTokenLength = proto.Float32(float32(got))
	}
	for _, t := range d.GetTokenConstraints() {
		if t.Value == nil {
			continue
		}
		s := tokenStatistics(&stats, t)
		if s == nil {
			e.report(&semanticTexts.noLanguage)
			return true
		}
		e.token(t, s)
	}
	return false
}

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

// token checks how often one token occurs.
func (e *entry) token(t *pb.SequenceValueConstraints, s *pb.NaturalLanguageStatistics_TokenStatistics) {
	name := t.GetStringValue()
	if v, ok := t.Value.(*pb.SequenceValueConstraints_IntValue); ok {
		name = strconv.FormatInt(v.IntValue, 10)
	}
	got := s.GetFractionOfSequences()
	if t.MinFractionOfSequences != nil && float64(t.GetMinFractionOfSequences()) > got {
		e.report(&semanticTexts.rareToken, name, cformat.Six(got), cformat.Six(float64(t.GetMinFractionOfSequences())),
			percent(got), percent(float64(t.GetMinFractionOfSequences())))
		t.MinFractionOfSequences = proto.Float32(float32(got))
	}
	if t.MaxFractionOfSequences != nil && float64(t.GetMaxFractionOfSequences()) < got {
		e.report(&semanticTexts.commonToken, name, cformat.Six(got), cformat.Six(float64(t.GetMaxFractionOfSequences())),
			percent(got), percent(float64(t.GetMaxFractionOfSequences())))
		t.MaxFractionOfSequences = proto.Float32(float32(got))
	}
	if got := s.GetPerSequenceMinFrequency(); t.MinPerSequence != nil && float64(t.GetMinPerSequence()) > got {
		e.report(&semanticTexts.fewTokens, name, cformat.Six(got), t.GetMinPerSequence())
		t.MinPerSequence = proto.Int64(cformat.Int64(got))
	}
	if got := s.GetPerSequenceMaxFrequency(); t.MaxPerSequence != nil && float64(t.GetMaxPerSequence()) < got {
		e.report(&semanticTexts.manyTokens, name, cformat.Six(got), t.GetMaxPerSequence())
		t.MaxPerSequence = proto.Int64(cformat.Int64(got))
	}
}
