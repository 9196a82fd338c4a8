package rules

import (
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/internal/pbtext"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// kind checks that the values have the type of the feature.
func (e *entry) kind() {
	f := e.feature
	if kinds := e.view.Custom(view.Kinds).GetRankHistogram().GetBuckets(); len(kinds) > 1 && !e.Compat {
		var seen []string
		for _, k := range kinds {
			seen = append(seen, k.GetLabel()+" "+counted(k.GetSampleCount()))
		}
		e.report("severalTypes", strings.Join(seen, ", "))
	}
	if e.view.Type() != f.GetType() {
		deprecate(f)
		got := e.view.Kind().String()
		if _, ok := pb.FeatureNameStatistics_Type_name[int32(e.view.Kind())]; !ok {
			got = "unknown(" + strconv.Itoa(int(e.view.Kind())) + ")"
		}
		e.report("otherType", f.GetType(), got)
	}
	if e.view.Kind() != pb.FeatureNameStatistics_BYTES {
		return
	}
	switch f.DomainInfo.(type) {
	case nil, *pb.Feature_NaturalLanguageDomain, *pb.Feature_ImageDomain, *pb.Feature_UrlDomain:
	case *pb.Feature_AudioDomain, *pb.Feature_VideoDomain, *pb.Feature_ContentChunkDomain:
		// TensorFlow Data Validation has refused them already.
	default:
		name := domainName(f)
		f.DomainInfo = nil
		e.report("domainOfBytes", pbtext.Plain(f), name)
	}
}

// domainRules checks values against the domain of the feature.
func (e *entry) domainRules() {
	switch d := e.feature.DomainInfo.(type) {
	case *pb.Feature_Domain:
		if e.strings(e.domain(d.Domain)) {
			e.feature.DomainInfo = nil
			if e.keep {
				e.schema.dropDomain(d.Domain)
			}
		}
	case *pb.Feature_StringDomain:
		if e.strings(d.StringDomain) {
			e.feature.DomainInfo = nil
		}
	case *pb.Feature_BoolDomain:
		e.bools(d.BoolDomain)
	case *pb.Feature_IntDomain:
		if e.ints(d.IntDomain) {
			e.feature.DomainInfo = nil
		}
	case *pb.Feature_FloatDomain:
		if e.floats(d.FloatDomain) {
			e.feature.DomainInfo = nil
		}
	case *pb.Feature_ImageDomain:
		e.images(d.ImageDomain)
	case *pb.Feature_NaturalLanguageDomain:
		if e.language(d.NaturalLanguageDomain) {
			e.feature.DomainInfo = nil
		}
	case *pb.Feature_StructDomain:
	case nil:
		if setSemanticDomain(e.Compat, e.feature, e.view) {
			e.report("semanticDomain", e.feature.GetName(), domainName(e.feature))
		}
	default:
		if e.semanticValues() {
			e.feature.DomainInfo = nil
		}
	}
}
