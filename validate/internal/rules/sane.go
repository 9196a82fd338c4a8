package rules

import (
	"iter"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// checkEntry checks that an entry is consistent in itself, whatever the statistics are.
func (e *entry) checkEntry() {
	f := e.feature
	if Ignored(f) {
		return
	}
	if f.Name == nil {
		e.report("noName")
		deprecate(f)
		return
	}
	if f.Type == nil {
		switch f.DomainInfo.(type) {
		case *pb.Feature_Domain, *pb.Feature_StringDomain:
			e.report("noTypeButDomain")
			f.Type = pb.FeatureType_BYTES.Enum()
		default:
			e.report("noType")
			deprecate(f)
			return
		}
	}
	if p := f.GetPresence(); p.GetMinFraction() < 0 {
		p.MinFraction = nil
		e.report("negativeFraction")
	} else if p.GetMinFraction() > 1 {
		p.MinFraction = proto.Float64(1)
		e.report("largeFraction")
	}
	e.checkEntryCounts()
	if slices.ContainsFunc(f.GetShape().GetDim(), func(d *pb.FixedShape_Dim) bool { return d.GetSize() <= 0 }) {
		f.ShapeType = nil
		e.report("negativeShape")
	}
	if !domainFitsType(f) {
		e.report("domainOfOtherType", domainName(f), f.GetType())
		f.DomainInfo = nil
	}
	e.checkEntryDomain()
}

// checkEntryCounts checks the constraints of the number of values.
func (e *entry) checkEntryCounts() {
	f := e.feature
	if v := f.GetValueCount(); v != nil {
		if v.GetMin() < 0 {
			v.Min = nil
			e.report("negativeCount")
		}
		if v.Max != nil && v.GetMax() < v.GetMin() {
			e.report("crossedCounts")
			v.Max = proto.Int64(v.GetMin())
		}
	}
	for i, v := range f.GetValueCounts().GetValueCount() {
		if v.GetMin() < 0 {
			v.Min = nil
			e.report("negativeCountAt", i)
		}
		if v.Max != nil && v.GetMax() < v.GetMin() {
			v.Max = proto.Int64(v.GetMin())
			e.report("crossedCountsAt", i)
		}
	}
}

// domainFitsType reports whether the type of a feature allows its domain.
func domainFitsType(f *pb.Feature) bool {
	const b, i, fl, st = pb.FeatureType_BYTES, pb.FeatureType_INT, pb.FeatureType_FLOAT, pb.FeatureType_STRUCT
	types := []pb.FeatureType{b, i, fl, st}
	switch f.DomainInfo.(type) {
	case *pb.Feature_Domain, *pb.Feature_StringDomain, *pb.Feature_ImageDomain, *pb.Feature_MidDomain, *pb.Feature_UrlDomain:
		types = []pb.FeatureType{b}
	case *pb.Feature_BoolDomain:
		types = []pb.FeatureType{i, b, fl}
	case *pb.Feature_IntDomain, *pb.Feature_NaturalLanguageDomain, *pb.Feature_TimeDomain:
		types = []pb.FeatureType{i, b}
	case *pb.Feature_FloatDomain:
		types = []pb.FeatureType{fl, b}
	case *pb.Feature_StructDomain:
		types = []pb.FeatureType{st}
	}
	return slices.Contains(types, f.GetType())
}

// domainName returns the name of the field of a feature's domain.
func domainName(f *pb.Feature) string {
	m := f.ProtoReflect()
	if fd := m.WhichOneof(domainInfo(m)); fd != nil {
		return string(fd.Name())
	}
	return "UNSET"
}

// domainInfo returns the oneof of all domains.
func domainInfo(m protoreflect.Message) protoreflect.OneofDescriptor {
	return m.Descriptor().Oneofs().ByName("domain_info")
}

// checkEntryDomain checks that the domain is consistent, and that only string domains have distribution constraints.
func (e *entry) checkEntryDomain() {
	f, kind := e.feature, ""
	switch d := f.DomainInfo.(type) {
	case *pb.Feature_Domain:
		if e.schema.domains[d.Domain] == nil {
			name := d.Domain
			if e.Compat {
				name = "" // TensorFlow Data Validation clears the name before it prints it
			}
			f.DomainInfo = nil
			e.report("noSuchDomain", name)
		}
		if !e.Compat {
			e.removeRepeated(e.sharedDomain(d.Domain))
		}
		return
	case *pb.Feature_StringDomain:
		// Native: TensorFlow Data Validation changes the domain without a report.
		e.removeRepeated(d.StringDomain)
		return
	case *pb.Feature_BoolDomain:
		kind = "bool"
	case *pb.Feature_IntDomain:
		kind = "int"
	case *pb.Feature_FloatDomain:
		kind = "float"
	case *pb.Feature_StructDomain:
		kind = "struct"
	case *pb.Feature_NaturalLanguageDomain, *pb.Feature_ImageDomain, *pb.Feature_MidDomain, *pb.Feature_UrlDomain, *pb.Feature_TimeDomain:
		kind = "semantic"
	case *pb.Feature_TimeOfDayDomain, *pb.Feature_AudioDomain, *pb.Feature_VideoDomain, *pb.Feature_ContentChunkDomain:
		if e.Compat {
			e.report("unknownDomain", domainName(f))
			f.DomainInfo = nil
			return
		}
		kind = "semantic"
	case nil:
		if f.DistributionConstraints != nil {
			f.DistributionConstraints = nil
			e.report("constraintsWithoutDomain")
		}
		return
	}
	if f.DistributionConstraints != nil {
		f.DistributionConstraints = nil
		e.report("constraintsOfDomain", kind)
	}
	if b := f.GetBoolDomain(); b != nil && b.TrueValue != nil && b.FalseValue != nil && b.GetTrueValue() == b.GetFalseValue() {
		b.FalseValue = nil
		if !e.Compat { // native: TensorFlow Data Validation changes the domain without a report
			e.report("sameBool", b.GetTrueValue())
		}
	}
}

// removeRepeated removes repeated values from a string domain.
func (e *entry) removeRepeated(d *pb.StringDomain) {
	seen, repeats := map[string]bool{}, []string(nil)
	for _, v := range d.GetValue() {
		if seen[v] {
			repeats = append(repeats, v)
		}
		seen[v] = true
	}
	if len(repeats) == 0 {
		return
	}
	seen = map[string]bool{}
	d.Value = slices.DeleteFunc(d.Value, func(v string) bool {
		again := seen[v]
		seen[v] = true
		return again
	})
	if !e.Compat {
		e.report("repeatedValues", strings.Join(repeats, ", "))
	}
}

// InvalidEntries checks that the entries of features without statistics are consistent in themselves. It returns the path and the
// reasons of each inconsistent entry, in the order of the schema. d may be nil: no feature has statistics. TensorFlow
// Data Validation does not check these entries.
func (s *Schema) InvalidEntries(c *Config, d *view.Dataset) iter.Seq2[view.Path, []Reason] {
	return s.checkUnused(c, d, false)
}

// checkUnused is InvalidEntries. If keep is set, it also corrects the entries.
func (s *Schema) checkUnused(c *Config, d *view.Dataset, keep bool) iter.Seq2[view.Path, []Reason] {
	return func(yield func(view.Path, []Reason) bool) {
		var walk func(parent view.Path, features []*pb.Feature) bool
		walk = func(parent view.Path, features []*pb.Feature) bool {
			for _, f := range features {
				path := parent.Child(f.GetName())
				if v := d.ByPath(path); v == nil || v.Stats.GetStats() == nil {
					e := &entry{Config: c, schema: s, feature: f, keep: keep}
					if !keep {
						e.feature = proto.CloneOf(f)
					}
					e.checkEntry()
					if len(e.reasons) > 0 && !yield(path, e.reasons) {
						return false
					}
				}
				if !Ignored(f) && !walk(path, f.GetStructDomain().GetFeature()) {
					return false
				}
			}
			return true
		}
		walk(nil, s.Message.GetFeature())
	}
}
