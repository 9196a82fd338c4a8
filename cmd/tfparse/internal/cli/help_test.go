package cli

import "testing"

// Text is wrapped, columns stay, and command lines go on for the shell.
func TestWrapped(t *testing.T) {
	got := wrapped("\none two\nthree four five\n\nname   of columns that stay\n\n  a line of code\n  another\n\nsix", 10)
	if want := "one two\nthree four\nfive\n\nname   of columns that stay\n\n  a line of code\n  another\n\nsix\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	got = continued("echo 'a b c -d e f' | cmd --flag value - --other", 30)
	if want := "  echo 'a b c -d e f' | cmd \\\n      --flag value - --other\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A size prints as it is typed.
func TestSize(t *testing.T) {
	for text, want := range map[string]string{
		"2147483647": "2GiB-1", "2GiB-1": "2GiB-1", "64M": "64MiB", "1GB": "1000000000", "1048575": "1MiB-1", "1023": "1023", "1536KiB-1": "1572863",
		"4095KiB": "4095KiB",
	} {
		var s Size
		if err := s.UnmarshalText([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, _ := s.MarshalText(); string(got) != want {
			t.Errorf("%s: prints %s, want %s", text, got, want)
		}
		if err := s.UnmarshalText([]byte(want)); err != nil {
			t.Errorf("%s: %v", want, err)
		}
	}
	for _, text := range []string{"", "-1", "1-1", "0", "0-1", "2GiB-2", "2GiB--1", "GiB", "9999999T"} {
		var s Size
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is %d", text, s)
		}
	}
}
