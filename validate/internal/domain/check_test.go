package domain

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
)

// TestDecodable compares decodableFormat with TensorFlow, for images truncated at every byte. A truncated GIF is
// rejected, although TensorFlow decodes its first frames.
func TestDecodable(t *testing.T) {
	f, err := os.Open("../../../testdata/images.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); n++ {
		var c struct {
			Name    string
			Image   []byte
			Decodes [][2]int
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		for size := range len(c.Image) + 1 {
			want := slices.ContainsFunc(c.Decodes, func(r [2]int) bool { return r[0] <= size && size < r[1] })
			if string(c.Image[:3]) == "GIF" && size < len(c.Image) {
				want = false
			}
			if got := decodableFormat(c.Image[:size]) != unknownImage; got != want {
				t.Errorf("%s: %d of %d bytes: got %t, want %t", c.Name, size, len(c.Image), got, want)
			}
		}
	}
	if n < 20 {
		t.Errorf("%d images", n)
	}
}

func FuzzDecodable(f *testing.F) {
	f.Add([]byte(gif))
	f.Add([]byte("\xff\xd8\xff\xda\x00\x02\xff\xd9"))
	f.Add([]byte("BM" + string(make([]byte, 60))))
	f.Fuzz(func(t *testing.T, v []byte) {
		if i := decodableFormat(v); i != unknownImage && i != imageFormat(v) {
			t.Errorf("two formats: %d and %d", i, imageFormat(v))
		}
	})
}

// TestCheck checks values inside and outside each domain. Times follow Python's strptime.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		feature   string
		fit, none []string
	}{
		{"type: BYTES url_domain {}", []string{"http://a.b/c?d=e#f", "gs://bucket/x", "mailto:a@b.c", "file:///x"}, []string{"", "x", "www.a.b/c", "//a.b/c", "http://", "http://a b/", "http://a.b/c d", "http://a.b/\n", "http://%zz/"}},
		{"type: BYTES mid_domain {}", []string{"/m/0dl567", "/g/11b6_x"}, []string{"", "m/0dl567", "/m/", "/x/0dl567", "/m/0DL567", "/m/0dl567/"}},
		{"type: BYTES time_domain { string_format: '%Y-%m-%d' }", []string{"2018-11-30", "2018-1-3"}, []string{"", "2018-13-30", "2018-11-30 ", "yesterday"}},
		{"type: BYTES time_domain { string_format: '%I:%M %p' }", []string{"11:59 PM", "1:05 AM"}, []string{"13:00 PM", "11:59", "0:10 AM"}},
		{"type: BYTES time_domain { string_format: '%A, %d. %B %Y' }", []string{"Friday, 30. November 2018", "FRIDAY,\t30.  november 2018"}, []string{"Fri, 30. November 2018", "Friday,30. November 2018", " Friday, 30. November 2018"}},
		{"type: BYTES time_domain { string_format: '%d-%b-%yT' }", []string{"30-NOV-18T", "30-nov-18t"}, []string{"30-NOVEMBER-18T", "30 -NOV-18T"}},
		{"type: BYTES time_domain { string_format: '%FT%T%z' }", []string{"2018-11-30T10:47:02+0100", "2018-11-30T10:47:02+01:00", "2018-11-30T10:47:02Z"}, []string{"2018-11-30T10:47:02", "2018-11-30T10:47:02+1"}},
		{"type: BYTES time_domain { string_format: '%Y%j %%' }", []string{"2018366 %", "20181 %"}, []string{"2018367 %", "2018000 %"}},
		{"type: BYTES time_domain { integer_format: UNIX_SECONDS }", []string{"0", "-5", "1700000000"}, []string{"", "1.5", "now"}},
		{"type: BYTES time_of_day_domain { string_format: '%H:%M' }", []string{"23:59", "0:00"}, []string{"24:00", "23:60"}},
		{"type: INT time_domain { string_format: '%Y%m%d' }", []string{"20181130"}, []string{"20181330", "-20181130"}},
		// 23:59:59.999999999 and 24:00:00
		{"type: INT time_of_day_domain { integer_format: PACKED_64_NANOS }", []string{"0", "105273869650431"}, []string{"-1", "105553116266496"}},
	} {
		var f pb.Feature
		if err := prototext.Unmarshal([]byte(c.feature), &f); err != nil {
			t.Fatal(err)
		}
		check, why := NewCheck(&f)
		if check == nil || why != "" {
			t.Errorf("%s: no check: %s", c.feature, why)
			continue
		}
		for _, v := range c.fit {
			if !check.FitsLabel(v) {
				t.Errorf("%s: %q does not fit", c.feature, v)
			}
		}
		for _, v := range c.none {
			if check.FitsLabel(v) {
				t.Errorf("%s: %q fits", c.feature, v)
			}
		}
	}
}

// TestNoCheck checks the reasons for domains that are not checked.
func TestNoCheck(t *testing.T) {
	for feature, want := range map[string]string{
		"type: BYTES audio_domain {}":                               "there is no check of an audio_domain",
		"type: BYTES video_domain {}":                               "there is no check of a video_domain",
		"type: BYTES content_chunk_domain {}":                       "there is no check of a content_chunk_domain",
		"type: BYTES time_domain {}":                                "the time_domain has no format",
		"type: BYTES time_domain { string_format: '%Y-%Q' }":        "the string_format of the time_domain has an unknown directive %Q",
		"type: BYTES time_of_day_domain { string_format: '%H:%' }":  "the string_format of the time_of_day_domain has an unknown directive %",
		"type: BYTES time_of_day_domain { integer_format: 0 }":      "the time_of_day_domain has no format",
		"type: INT time_domain { integer_format: UNIX_SECONDS }":    "",
		"type: INT int_domain { min: 1 }":                           "",
		"type: BYTES natural_language_domain { vocabulary: 'x' }":   "",
		"type: BYTES string_domain { value: 'x' }":                  "",
		"type: FLOAT url_domain {}":                                 "",
		"type: FLOAT time_of_day_domain { string_format: '%H:%M' }": "there is no check of a time_of_day_domain of type FLOAT",
		"type: FLOAT time_of_day_domain { integer_format: 1 }":      "there is no check of a time_of_day_domain of type FLOAT",
	} {
		var f pb.Feature
		if err := prototext.Unmarshal([]byte(feature), &f); err != nil {
			t.Fatal(err)
		}
		if check, why := NewCheck(&f); check != nil || why != want {
			t.Errorf("%s: got %v, %q, want none, %q", feature, check, why, want)
		}
	}
}
