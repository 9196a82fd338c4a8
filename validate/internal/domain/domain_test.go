package domain

import "testing"

// TestFormats checks which formats a text matches; the first format is reported.
func TestFormats(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"2018-11-30", "%Y-%m-%d"},
		{"2018-1-3", "%Y-%m-%d"},
		{"2018/11/30", "%Y/%m/%d"},
		{"20181130", "%Y%m%d"},
		{"18-11-30", "%y-%m-%d"},
		{"11/30/2018", "%m/%d/%Y"},
		{"30-11-2018", "%d-%m-%Y"},
		{"30-November-2018", "%d-%B-%Y"},
		{"23:59", "%H:%M"},
		{"23:59:60", "%H:%M:%S"},
		{"23:59:58.123456", "%H:%M:%S.%f"},
		{"Fri Nov 30 10:47:02 2018", "%a %b %d %H:%M:%S %Y"},
		{"Fri Nov  3 10:47:02 2018", "%a %b %d %H:%M:%S %Y"},
		{"2018-11-30T10:47:02", "%Y-%m-%dT%H:%M:%S"},
		{"2018-11-30 10:47:02.5", "%Y-%m-%d %H:%M:%S.%f"},
		{"2018-13-30", ""},
		{"2018-00-30", ""},
		{"2018-11-32", ""},
		{"24:00", ""},
		{"10:60", ""},
		{"10:47:61", ""},
		{"2018-11-30x", ""},
		{"x2018-11-30", ""},
		{"", ""},
	} {
		got := ""
		for _, f := range formats() {
			if f.match([]byte(c.text)) {
				got = f.text
				break
			}
		}
		if got != c.want {
			t.Errorf("%q fits %q, wanted %q", c.text, got, c.want)
		}
	}
}

// gif is an image of one pixel.
const gif = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x01D\x00;"

// TestThresholds checks that few values, or too many other values, are not reported as a domain.
func TestThresholds(t *testing.T) {
	for _, c := range []struct {
		fit, other int
		want       string
	}{
		{100, 0, "image_domain {}"}, {99, 0, ""}, {80, 20, "image_domain {}"}, {79, 21, ""},
	} {
		var d, part Detector
		for range c.fit {
			d.AddBytes([]byte(gif))
		}
		for range c.other {
			part.AddBytes([]byte("x"))
		}
		d.Merge(&part)
		got := ""
		for _, s := range d.Stats() {
			if s.Name == "domain_info" {
				got = s.Text
			}
		}
		if got != c.want {
			t.Errorf("%d of %d: %q, wanted %q", c.fit, c.fit+c.other, got, c.want)
		}
	}
}
