package stats

import (
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/domain"
)

// A schema is what the Schema says of a feature, as far as it matters here.
type schema struct {
	kind        example.Kind // the type it should have; Unset: any
	categorical bool         // numbers are labels
	image       bool         // bytes are no labels
	tokens      *tokenRules
	check       *domain.Check // of each value; nil: none
}

// schemas are those of the features of a Schema by group and name. The parent of the children is called step.
func schemas(s *metadatapb.Schema, step string, o *Options) (out [groups]map[string]schema) {
	all := newVocabularies(o.Vocabularies)
	add := func(g group, features []*metadatapb.Feature) {
		out[g] = map[string]schema{}
		for _, f := range features {
			of := schemaOf(f, all)
			if first, ok := out[g][f.GetName()]; ok {
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
	return out
}

func schemaOf(f *metadatapb.Feature, all map[string]*vocabulary) schema {
	s := schema{}
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
	s.tokens = newTokenRules(f.GetNaturalLanguageDomain(), all)
	s.check, _ = domain.NewCheck(f)
	return s
}

// and is what s says together with o, which is said of the same feature behind it.
func (s schema) and(o schema) schema {
	s.image = s.image || o.image
	if o.categorical && !s.categorical {
		s.kind, s.categorical = o.kind, true
	}
	return s
}
