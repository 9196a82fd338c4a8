package namelist

import (
	"slices"
	"strings"
	"testing"
)

// TestIncludes selects names like the flags do: an excluded name is never selected.
func TestIncludes(t *testing.T) {
	names := strings.Fields("title minutes image/encoded image/format image/object/x -minus a*b axb ? é")
	for list, want := range map[string]string{
		"title":                  "title",
		"title,title":            "title",
		"none":                   "",
		"image/*":                "image/encoded image/format image/object/x",
		"image/*,-image/encoded": "image/format image/object/x",
		"-image/encoded,image/*": "image/format image/object/x",
		"-image/*,image/format":  "",
		"-*i*":                   "a*b axb ? é",
		"*":                      strings.Join(names, " "),
		"**":                     strings.Join(names, " "),
		"-*":                     "",
		"*o*z*t*":                "",
		"*a*t":                   "image/format",
		"?":                      "? é",
		"a?b":                    "a*b axb",
		"*i*t*":                  "title minutes image/format image/object/x",
		"b64:YSpi":               "a*b",
		"-b64:YSpi,a*":           "axb",
		"--minus,*in*":           "minutes",
		"b64:LW1pbnVz,title":     "title -minus",
	} {
		l, err := Parse(strings.Split(list, ","))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, name := range names {
			if l.Includes([]byte(name)) {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", list, got, want)
		}
	}
	if _, err := Parse([]string{"a", "-b64:?"}); err == nil {
		t.Error("bad base64 is accepted")
	}
	if l, err := Parse([]string{}); err != nil || l.Includes([]byte("a")) || len((*List)(nil).All()) > 0 {
		t.Error("an empty list selects names")
	}
}

// TestResolve: text in the form of a pattern is a name if the data have that name.
func TestResolve(t *testing.T) {
	names := map[string]bool{"a*b": true, "axb": true, "-c": true, "c": true, "-d": true}
	for list, want := range map[string]string{
		"a*b": "b64:YSpi", "-a*b": "-b64:YSpi", "a*": "a*", "-c": "b64:LWM=", "--c": "-b64:LWM=", "c": "c", "-axb": "-axb", "x?,c": "x?,c", "-d": "b64:LWQ=",
	} {
		if got := strings.Join(Resolve(strings.Split(list, ","), names), ","); got != want {
			t.Errorf("%s: got %s, want %s", list, got, want)
		}
	}
}

// TestQuestion suggests the most likely intended name.
func TestQuestion(t *testing.T) {
	names := map[string]bool{"image/encoded": true, "image/format": true, "title": true}
	for text, want := range map[string]string{
		"titel": `; is it "title"?`, "-titel": `; is it "title"?`, "imgae/*": `; is it "image/encoded"?`, "imag/enc*d": `; is it "image/encoded"?`,
		"zzz*": "", "*zzz": "", "image/*x": `; is it "image/encoded"?`,
	} {
		l, err := Parse([]string{text})
		if err != nil {
			t.Fatal(err)
		}
		missing := l.Unmatched(names)
		if len(missing) != 1 {
			t.Fatalf("%s: %d items match nothing", text, len(missing))
		}
		if got := missing[0].Question([]string{"title", "image/format", "image/encoded"}); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	l, _ := Parse([]string{"image/*", "-title"})
	if len(l.Unmatched(names)) > 0 || !slices.Equal(l.Items[0].MatchesOf(names), []string{"image/encoded", "image/format"}) {
		t.Error("items that match are reported")
	}
}
