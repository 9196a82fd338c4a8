package stats

import (
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/domain"
)

// A featureSchema is what the Schema says about one feature, as far as statistics depend on it.
type featureSchema struct {
	kind        example.Kind // the type it should have; Unset: any
	categorical bool         // numbers are labels
	image       bool         // byte strings are blobs, not labels
	tokens      *tokenRules
	check       *domain.Check // of each value; nil: none
}

// featureSchemas returns what a Schema says of its features, by group and name. The struct of the children is called step.
func featureSchemas(s *metadatapb.Schema, step string, o *Options) (out [groups]map[string]featureSchema) {
	all := newVocabularies(o.Vocabularies)
	add := func(g group, features []*metadatapb.Feature) {
		out[g] = map[string]featureSchema{}
		for _, f := range features {
			of := newFeatureSchema(f, all)
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

func newFeatureSchema(f *metadatapb.Feature, all map[string]*vocabulary) featureSchema {
	s := featureSchema{}
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

// and joins s with o, a later entry for the same feature.
func (s featureSchema) and(o featureSchema) featureSchema {
	s.image = s.image || o.image
	if o.categorical && !s.categorical {
		s.kind, s.categorical = o.kind, true
	}
	return s
}
