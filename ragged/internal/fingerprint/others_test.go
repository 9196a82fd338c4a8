package fingerprint

import (
	"math"
	"testing"
)

// TestMurmur and TestSip compare with TensorFlow 2.21.0: hashes modulo 2^63-1, of strings of less
// than 8 bytes, of 8 bytes and of more.
func TestMurmur(t *testing.T) {
	for s, want := range map[string]uint64{
		"": 105434511174508092, "a": 2996632905371535868, "b": 5795986006276551370, "c": 14899841994519054197 % math.MaxInt64,
		"12345678": 421129128932463287, "123456789": 5084248043126217164, "12345678901234567": 2024489448508445542,
		"1234567890123456789012345": 4923867955301908281,
	} {
		if got := Murmur(s) % math.MaxInt64; got != want {
			t.Errorf("%q: got %d, want %d", s, got, want)
		}
	}
}

func TestSip(t *testing.T) {
	for s, want := range map[string]uint64{
		"": 8302223550124830719, "a": 7157389809176466784, "b": 15805638358933211562 % math.MaxInt64, "c": 18100027895074076528 % math.MaxInt64,
		"12345678": 1116308588886640185, "123456789": 2974899162639509045, "12345678901234567": 1383607211962979467,
		"1234567890123456789012345": 3358756462400952598,
	} {
		if got := Sip([2]uint64{98765, 132}, s) % math.MaxInt64; got != want {
			t.Errorf("%q: got %d, want %d", s, got, want)
		}
	}
	// The example of the paper that defines the hash: 15 bytes from 0 on, the key from 0 on.
	if got := Sip([2]uint64{0x0706050403020100, 0x0f0e0d0c0b0a0908}, "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e"); got != 0xa129ca6149be45e5 {
		t.Errorf("the paper's: got %#x", got)
	}
}
