package cli

import "testing"

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
