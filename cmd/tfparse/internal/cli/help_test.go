package cli

import "testing"

// A size prints as it is typed.
func TestSize(t *testing.T) {
	for helpText, want := range map[string]string{
		"2147483647": "2147483647", "2GiB": "2GiB", "64M": "64MiB", "1GB": "1000000000", "1048575": "1048575", "1023": "1023", "1024B": "1KiB",
		"4095KiB": "4095KiB", "2T": "2TiB",
	} {
		var s Size
		if err := s.UnmarshalText([]byte(helpText)); err != nil {
			t.Errorf("%s: %v", helpText, err)
			continue
		}
		if got, _ := s.MarshalText(); string(got) != want {
			t.Errorf("%s: prints %s, want %s", helpText, got, want)
		}
		if err := s.UnmarshalText([]byte(want)); err != nil {
			t.Errorf("%s: %v", want, err)
		}
	}
	for _, helpText := range []string{"", "-1", "1-1", "0", "0K", "2GiB-1", "GiB", "x", "9999999T", "99999999999999999999", "1iB"} {
		var s Size
		if err := s.UnmarshalText([]byte(helpText)); err == nil {
			t.Errorf("%q is %d", helpText, s)
		}
	}
}
