package rules

import (
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A text is how a reason is printed.
type text struct {
	kind    pb.AnomalyInfo_Type
	short   string
	long    string // that of TensorFlow Data Validation 1.16.1, word for word: people and programs look for it
	native  string // ours, where it says more
	want    string // what was expected, in few words, and what was found
	got     string
	warning bool
}

// outOfDomain and the like are said of several types.
const (
	outOfRange = "Out-of-range values"
	invalid    = "Invalid values"
	notBoolean = "Non-boolean values"
	notFit     = "Mismatched value nest level"
	gone       = "Column dropped"
)

// NewColumn is the reason that a feature is not in the schema.
func (c *Config) NewColumn(f *view.Feature) Reason {
	c.needAll(f)
	return c.reason(&columnTexts.newColumn, presentIn(f))
}

// Missing is the reason that statistics lack a feature that the schema requires.
func (c *Config) Missing() Reason { return c.reason(&columnTexts.missing) }
