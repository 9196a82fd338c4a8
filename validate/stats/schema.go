package stats

import (
	"fmt"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/domain"
)

// A schema is what the Schema says of a feature, as far as it matters here.
type schema struct {
	known       bool
	kind        example.Kind // the type it should have; Unset: any
	categorical bool         // numbers are labels
	image       bool         // bytes are no labels
	counting    counting     // of bytes
	tokens      *tokenRules
	check       *domain.Check // of each value; nil: none, as with Options.TFDV
}

// counting is what a Schema says of how strings are counted.
type counting struct {
	uncounted bool // they are not
	keepLong  bool // long ones are kept as they are
	rank      int  // of what says so: 0 nothing, 1 the feature, 2 the domain that it names
}

func countingOf(c metadatapb.StringDomain_Categorical, rank int) counting {
	return counting{c == metadatapb.StringDomain_CATEGORICAL_NO, c == metadatapb.StringDomain_CATEGORICAL_YES, rank}
}

// schemas are those of the features of a Schema by group and name. The parent of the children is called step. The
// error is what TensorFlow Data Validation refuses.
func schemas(s *metadatapb.Schema, step string, o *Options) (out [groups]map[string]schema, err error) {
	all := newVocabularies(o.Vocabularies)
	domains := map[string]metadatapb.StringDomain_Categorical{}
	for _, d := range s.GetStringDomain() {
		domains[d.GetName()] = d.GetIsCategorical()
	}
	add := func(g group, features []*metadatapb.Feature) {
		out[g] = map[string]schema{}
		for _, f := range features {
			of := schemaOf(f, domains, all, o.TFDV)
			if first, ok := out[g][f.GetName()]; ok {
				if first.categorical && first.kind != of.kind {
					err = fmt.Errorf("%w: the schema has the feature %q as categorical numbers and with another type", ErrOptions, f.GetName())
				}
				of = first.and(of)
			}
			out[g][f.GetName()] = of
		}
	}
	var children []*metadatapb.Feature
	for _, f := range s.GetFeature() {
		if f.GetName() == step && f.GetStructDomain() != nil {
			children = append(children, f.GetStructDomain().GetFeature()...)
		}
	}
	add(rootGroup, s.GetFeature())
	add(childGroup, children)
	return out, err
}

func schemaOf(f *metadatapb.Feature, domains map[string]metadatapb.StringDomain_Categorical, all map[string]*vocabulary, tfdv bool) schema {
	s := schema{known: true}
	switch f.GetType() {
	case metadatapb.FeatureType_INT:
		s.kind = example.Int64List
		s.categorical = f.GetIntDomain().GetIsCategorical() || f.GetBoolDomain() != nil || f.GetNaturalLanguageDomain() != nil
	case metadatapb.FeatureType_FLOAT:
		s.kind = example.FloatList
		s.categorical = f.GetFloatDomain().GetIsCategorical()
	case metadatapb.FeatureType_BYTES:
		s.kind = example.BytesList
	}
	s.image = f.GetImageDomain() != nil && f.GetType() != metadatapb.FeatureType_STRUCT
	switch info := f.GetDomainInfo().(type) {
	case *metadatapb.Feature_StringDomain:
		s.counting = countingOf(info.StringDomain.GetIsCategorical(), 1)
	case *metadatapb.Feature_Domain:
		if c, ok := domains[info.Domain]; ok {
			s.counting = countingOf(c, 2)
		}
	case nil:
		if s.kind == example.BytesList {
			s.counting.rank = 1
		}
	}
	s.tokens = newTokenRules(f.GetNaturalLanguageDomain(), all, tfdv)
	if !tfdv {
		s.check, _ = domain.NewCheck(f)
	}
	return s
}

// and is what s says together with o, which is said of the same feature behind it.
func (s schema) and(o schema) schema {
	s.image = s.image || o.image
	if o.categorical && !s.categorical {
		s.kind, s.categorical = o.kind, true
	}
	if o.counting.rank > 0 && o.counting.rank >= s.counting.rank {
		s.counting = o.counting
	}
	return s
}
