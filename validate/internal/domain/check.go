package domain

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/cformat"
	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// Names of the custom statistics that count the values of a feature by what a Check says of them, and the label of those that do not fit.
const (
	ImageFormats = "image_format_histogram" // TensorFlow Data Validation's
	Values       = "semantic_domain_histogram"
	Unknown      = "UNKNOWN"
)

// A Check decides for each value of a feature whether it is one of the semantic domain that a schema gives the feature:
// images, URLs, times, …
type Check struct {
	Type pb.AnomalyInfo_Type // of the finding about a value that does not fit
	Want string              // what the values should be: "a URL"

	bytes  func([]byte) bool // nil: values are integers
	ints   func(int64) bool  // nil: values are bytes
	images bool
	domain string // the name of the domain in a schema
}

// NewCheck returns the check of a feature's domain, and nil if the domain says nothing about single values. Then
// unchecked says why, if the domain does ask for something.
func NewCheck(f *pb.Feature) (c *Check, unchecked string) {
	c = &Check{Type: pb.AnomalyInfo_ENUM_TYPE_UNEXPECTED_STRING_VALUES}
	switch d := f.GetDomainInfo().(type) {
	case *pb.Feature_ImageDomain:
		c.domain, c.images, c.Want = "image_domain", true, "an image that TensorFlow can decode"
		c.Type, c.bytes = pb.AnomalyInfo_LOW_SUPPORTED_IMAGE_FRACTION, func(v []byte) bool { return decodable(v) != unknownImage }
	case *pb.Feature_UrlDomain:
		c.domain, c.Want, c.bytes = "url_domain", "a URL", isURL
	case *pb.Feature_MidDomain:
		c.domain, c.Want, c.bytes = "mid_domain", "a machine ID like /m/0dl567", mid.Match
	case *pb.Feature_TimeDomain:
		c.domain = "time_domain"
		switch format := d.TimeDomain.GetFormat().(type) {
		case *pb.TimeDomain_StringFormat:
			return c.text(f, format.StringFormat)
		case *pb.TimeDomain_IntegerFormat:
			if format.IntegerFormat == pb.TimeDomain_FORMAT_UNKNOWN {
				return nil, "the time_domain has no format"
			}
			if f.GetType() == pb.FeatureType_INT {
				return nil, "" // any integer is a time
			}
			return c.integer(f, func(int64) bool { return true })
		}
		return nil, "the time_domain has no format"
	case *pb.Feature_TimeOfDayDomain:
		c.domain = "time_of_day_domain"
		switch format := d.TimeOfDayDomain.GetFormat().(type) {
		case *pb.TimeOfDayDomain_StringFormat:
			return c.text(f, format.StringFormat)
		case *pb.TimeOfDayDomain_IntegerFormat:
			if format.IntegerFormat == pb.TimeOfDayDomain_PACKED_64_NANOS {
				return c.integer(f, isPackedTime)
			}
		}
		return nil, "the time_of_day_domain has no format"
	case *pb.Feature_AudioDomain:
		return nil, "there is no check of an audio_domain"
	case *pb.Feature_VideoDomain:
		return nil, "there is no check of a video_domain"
	case *pb.Feature_ContentChunkDomain:
		return nil, "there is no check of a content_chunk_domain"
	default:
		return nil, ""
	}
	if f.GetType() != pb.FeatureType_BYTES {
		return nil, "" // the schema contradicts itself, which is an anomaly
	}
	return c, ""
}

var spaces = regexp.MustCompile(`\s+`)

// text makes a check of times as text: as strptime reads them, with letters of either case and any white space for white space.
// Integers are read as their digits.
func (c *Check) text(f *pb.Feature, layout string) (*Check, string) {
	format, err := newFormat(spaces.ReplaceAllLiteralString(layout, " "))
	format.fold = true
	if err != nil {
		return nil, fmt.Sprintf("the string_format of the %s has an %v", c.domain, err)
	}
	c.Want = "a time of the format " + strconv.Quote(layout)
	switch f.GetType() {
	case pb.FeatureType_BYTES:
		if c.bytes = format.match; strings.Contains(format.text, " ") {
			c.bytes = func(v []byte) bool { return format.match(spaces.ReplaceAllLiteral(v, []byte(" "))) }
		}
	case pb.FeatureType_INT:
		c.Type = pb.AnomalyInfo_DOMAIN_INVALID_FOR_TYPE
		c.ints = func(v int64) bool { return format.match(strconv.AppendInt(nil, v, 10)) }
	default:
		return nil, fmt.Sprintf("there is no check of a %s of type %v", c.domain, f.GetType())
	}
	return c, ""
}

// integer makes a check of times as integers, which may be written as text.
func (c *Check) integer(f *pb.Feature, fits func(int64) bool) (*Check, string) {
	c.Want = "a time as an integer"
	switch f.GetType() {
	case pb.FeatureType_BYTES:
		c.bytes = func(v []byte) bool {
			n, ok := cformat.ParseInt(string(v))
			return ok && fits(n)
		}
	case pb.FeatureType_INT:
		c.Type, c.ints = pb.AnomalyInfo_DOMAIN_INVALID_FOR_TYPE, fits
	default:
		return nil, fmt.Sprintf("there is no check of a %s of type %v", c.domain, f.GetType())
	}
	return c, ""
}

// Bytes and Ints report whether the check is for values of that kind.
func (c *Check) Bytes() bool { return c != nil && c.bytes != nil }
func (c *Check) Ints() bool  { return c != nil && c.ints != nil }

// FitsBytes reports whether a value fits. Bytes must be true.
func (c *Check) FitsBytes(v []byte) bool { return c.bytes(v) }

// FitsInt reports whether a value fits. Ints must be true.
func (c *Check) FitsInt(v int64) bool { return c.ints(v) }

// FitsLabel reports whether a value fits that statistics have as a label.
func (c *Check) FitsLabel(label string) bool {
	if c.bytes != nil {
		return c.bytes([]byte(label))
	}
	n, ok := cformat.ParseInt(label)
	return ok && c.ints(n)
}

// Describe says what a value is that does not fit: an image that is cut off by its format, others as shown writes them.
func (c *Check) Describe(v []byte, shown func([]byte) string) string {
	if i := imageFormat(v); c.images && i != unknownImage {
		return fmt.Sprintf("a %s of %d bytes, cut off or damaged", imageFormats[i].name, len(v))
	}
	return shown(v)
}

// Statistic is the name of the custom statistic of the counts.
func (c *Check) Statistic() string {
	if c.images {
		return ImageFormats
	}
	return Values
}

// isURL reports whether v is a URL: a scheme, and something after it.
func isURL(v []byte) bool {
	s := string(v)
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '�' }) {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && u.Scheme != "" && (u.Host != "" || u.Opaque != "" || u.Path != "")
}

// mid are the machine IDs of Freebase and of Google's knowledge graph.
var mid = regexp.MustCompile(`^/[mg]/[0-9a-z_]+$`)

// isPackedTime reports whether v is a time of the day in the bits of PACKED_64_NANOS: 5 of hours, 6 of minutes, 6 of seconds and 30 of nanoseconds.
func isPackedTime(v int64) bool {
	return v >= 0 && v>>42 < 24 && v>>36&63 < 60 && v>>30&63 < 60 && v&(1<<30-1) < 1e9
}

// Counts are the values of a feature by what a Check says of them: of images by format, and those that do not fit last.
type Counts [len(imageFormats) + 1]uint64

// AddBytes counts a value.
func (n *Counts) AddBytes(c *Check, v []byte) {
	switch {
	case c.images:
		n[decodable(v)]++
	case c.bytes(v):
		n[0]++
	default:
		n[len(n)-1]++
	}
}

// AddInt counts a value.
func (n *Counts) AddInt(c *Check, v int64) {
	if c.ints(v) {
		n[0]++
	} else {
		n[len(n)-1]++
	}
}

// Merge adds what o has counted.
func (n *Counts) Merge(o *Counts) {
	for i, x := range o {
		n[i] += x
	}
}

// Stat returns the counts as a statistic of the check.
func (n *Counts) Stat(c *Check) Stat {
	s := Stat{Name: c.Statistic(), Labels: []sketch.Label{}}
	if x := n[len(n)-1]; x > 0 {
		s.Labels = append(s.Labels, sketch.Label{Key: Unknown, Count: float64(x)})
	}
	if !c.images { // even if none fits: the label names the check
		s.Labels = append(s.Labels, sketch.Label{Key: c.Want, Count: float64(n[0])})
		return s
	}
	for i, f := range imageFormats {
		if n[i] > 0 {
			s.Labels = append(s.Labels, sketch.Label{Key: f.name, Count: float64(n[i])})
		}
	}
	return s
}

// AppendState appends the counts.
func (n *Counts) AppendState(b []byte) []byte {
	for _, x := range n {
		b = sketch.AppendUint(b, x)
	}
	return b
}

// ReadCounts reads Counts.
func ReadCounts(in *sketch.Decoder) *Counts {
	n := &Counts{}
	for i := range n {
		n[i] = in.Uint()
	}
	return n
}
