package jsonscan

import "testing"

// A number other than zero never becomes zero.
func TestParseFloat32Underflow(t *testing.T) {
	for text, ok := range map[string]bool{
		"0": true, "-0": true, "0.0": true, "0e5": true, "0.000E-400": true,
		"1e-45": true, "8e-46": true, "-1.4e-45": true,
		"7e-46": false, "1e-400": false, "-0.0000001e-60": false, "0.1e-99": false,
	} {
		if v, err := ParseFloat32([]byte(text)); (err == nil) != ok {
			t.Errorf("%s: %v, %v", text, v, err)
		}
	}
}
