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

// Names of the custom statistics that count the results of a Check, and the label of values that do not fit.
const (
	ImageFormats = "image_format_histogram"    // for images, as in TensorFlow Data Validation
	Values       = "semantic_domain_histogram" // for all other domains
	Unknown      = "UNKNOWN"
)

// A Check checks values against the semantic domain that a schema gives a feature: images, URLs, times, …
type Check struct {
	Type pb.AnomalyInfo_Type // type of findings about values that do not fit
	Want string              // describes the domain in messages: "a URL"

	bytes  func([]byte) bool // reports whether a value fits; nil: values are integers
	ints   func(int64) bool  // reports whether a value fits; nil: values are bytes
	images bool              // the domain is image_domain
	domain string            // the name of the field in a schema
}

// NewCheck returns the check of a feature's domain, or nil if single values are not checked. If the domain asks for a check that is not
// implemented, unchecked is the reason.
func NewCheck(f *pb.Feature) (c *Check, unchecked string) {
	c = &Check{Type: pb.AnomalyInfo_ENUM_TYPE_UNEXPECTED_STRING_VALUES}
	switch d := f.GetDomainInfo().(type) {
	case *pb.Feature_ImageDomain:
		c.domain, c.images, c.Want = "image_domain", true, "an image that TensorFlow can decode"
		c.Type, c.bytes = pb.AnomalyInfo_LOW_SUPPORTED_IMAGE_FRACTION, func(v []byte) bool { return decodableFormat(v) != unknownImage }
	case *pb.Feature_UrlDomain:
		c.domain, c.Want, c.bytes = "url_domain", "a URL", isURL
	case *pb.Feature_MidDomain:
		c.domain, c.Want, c.bytes = "mid_domain", "a machine ID like /m/0dl567", machineID.Match
	case *pb.Feature_TimeDomain:
		c.domain = "time_domain"
		switch format := d.TimeDomain.GetFormat().(type) {
		case *pb.TimeDomain_StringFormat:
			return c.newTextCheck(f, format.StringFormat)
		case *pb.TimeDomain_IntegerFormat:
			if format.IntegerFormat == pb.TimeDomain_FORMAT_UNKNOWN {
				return nil, "the time_domain has no format"
			}
			if f.GetType() == pb.FeatureType_INT {
				return nil, "" // every integer is a time
			}
			return c.newIntCheck(f, func(int64) bool { return true })
		}
		return nil, "the time_domain has no format"
	case *pb.Feature_TimeOfDayDomain:
		c.domain = "time_of_day_domain"
		switch format := d.TimeOfDayDomain.GetFormat().(type) {
		case *pb.TimeOfDayDomain_StringFormat:
			return c.newTextCheck(f, format.StringFormat)
		case *pb.TimeOfDayDomain_IntegerFormat:
			if format.IntegerFormat == pb.TimeOfDayDomain_PACKED_64_NANOS {
				return c.newIntCheck(f, isPackedTime)
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
		return nil, "" // a rule of package rules reports the type
	}
	return c, ""
}

// spaces matches white space.
var spaces = regexp.MustCompile(`\s+`)

// newTextCheck completes c for times as text. As in strptime, letters match in both cases, and any white space matches
// any other. Integers are checked as decimal text.
func (c *Check) newTextCheck(f *pb.Feature, layout string) (*Check, string) {
	format, err := newFormat(spaces.ReplaceAllLiteralString(layout, " "))
	format.foldCase = true
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

// newIntCheck completes c for times as integers, which may also be decimal text.
func (c *Check) newIntCheck(f *pb.Feature, fits func(int64) bool) (*Check, string) {
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

// Bytes reports whether the check is for bytes.
func (c *Check) Bytes() bool { return c != nil && c.bytes != nil }

// Ints reports whether the check is for integers.
func (c *Check) Ints() bool { return c != nil && c.ints != nil }

// FitsBytes reports whether a value is in the domain. Bytes must be true.
func (c *Check) FitsBytes(v []byte) bool { return c.bytes(v) }

// FitsInt reports whether a value is in the domain. Ints must be true.
func (c *Check) FitsInt(v int64) bool { return c.ints(v) }

// FitsLabel reports whether a label of statistics is in the domain.
func (c *Check) FitsLabel(label string) bool {
	if c.bytes != nil {
		return c.bytes([]byte(label))
	}
	n, ok := cformat.ParseInt(label)
	return ok && c.ints(n)
}

// Describe describes a value that does not fit: a damaged image by its format and size, other values with quote.
func (c *Check) Describe(v []byte, quote func([]byte) string) string {
	if i := imageFormat(v); c.images && i != unknownImage {
		return fmt.Sprintf("a %s of %d bytes, cut off or damaged", imageFormats[i].name, len(v))
	}
	return quote(v)
}

// Statistic returns the name of the custom statistic that counts the results.
func (c *Check) Statistic() string {
	if c.images {
		return ImageFormats
	}
	return Values
}

// isURL reports whether v is an absolute URL: a scheme followed by a host or path.
func isURL(v []byte) bool {
	s := string(v)
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '�' }) {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && u.Scheme != "" && (u.Host != "" || u.Opaque != "" || u.Path != "")
}

// machineID matches the machine IDs of Freebase and of Google's Knowledge Graph.
var machineID = regexp.MustCompile(`^/[mg]/[0-9a-z_]+$`)

// isPackedTime reports whether v is a time of day in the bit layout of PACKED_64_NANOS: 5 bits of hours, 6 of minutes,
// 6 of seconds and 30 of nanoseconds.
func isPackedTime(v int64) bool {
	return v >= 0 && v>>42 < 24 && v>>36&63 < 60 && v>>30&63 < 60 && v&(1<<30-1) < 1e9
}

// Counts counts values by the result of a Check: images by the index in imageFormats, other values that fit in the
// first element, and values that do not fit in the last.
type Counts [len(imageFormats) + 1]uint64

// AddBytes checks and counts a value.
func (n *Counts) AddBytes(c *Check, v []byte) {
	switch {
	case c.images:
		n[decodableFormat(v)]++
	case c.bytes(v):
		n[0]++
	default:
		n[len(n)-1]++
	}
}

// AddInt checks and counts a value.
func (n *Counts) AddInt(c *Check, v int64) {
	if c.ints(v) {
		n[0]++
	} else {
		n[len(n)-1]++
	}
}

// Merge adds the counts of o.
func (n *Counts) Merge(o *Counts) {
	for i, x := range o {
		n[i] += x
	}
}

// Stat returns the counts as the custom statistic of the check.
func (n *Counts) Stat(c *Check) Stat {
	s := Stat{Name: c.Statistic(), Labels: []sketch.Label{}}
	if x := n[len(n)-1]; x > 0 {
		s.Labels = append(s.Labels, sketch.Label{Key: Unknown, Count: float64(x)})
	}
	if !c.images { // even with count 0: the label identifies the check
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

// AppendState appends the encoding of n.
func (n *Counts) AppendState(b []byte) []byte {
	for _, x := range n {
		b = sketch.AppendUint(b, x)
	}
	return b
}

// ReadCounts decodes Counts.
func ReadCounts(in *sketch.Decoder) *Counts {
	n := &Counts{}
	for i := range n {
		n[i] = in.Uint()
	}
	return n
}
