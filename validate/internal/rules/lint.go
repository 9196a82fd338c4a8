package rules

import (
	"iter"

	"google.golang.org/protobuf/proto"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// Insane checks the entries of features that the statistics do not have for sense; nil
// statistics have none. It gives the path and the reasons of each that has any, in the
// order of the schema. TensorFlow Data Validation does not look at these entries.
func (s *Schema) Insane(c *Config, d *view.Dataset) iter.Seq2[view.Path, []Reason] {
	return s.insane(c, d, false)
}

// insane is Insane, and makes sense of the entries if asked to.
func (s *Schema) insane(c *Config, d *view.Dataset, keep bool) iter.Seq2[view.Path, []Reason] {
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
					e.sane()
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
