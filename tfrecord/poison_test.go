//go:build race

package tfrecord_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/tfparse/tfparse/tfrecord"
)

// TestLoanEnds: in race builds a record that is kept too long is overwritten.
func TestLoanEnds(t *testing.T) {
	spoiled := bytes.Repeat([]byte{0xdb}, 8)
	for _, c := range codecs {
		for name, end := range map[string]func(r *tfrecord.Reader){
			"Next":  func(r *tfrecord.Reader) { r.Next() },
			"Skip":  func(r *tfrecord.Reader) { r.Skip() },
			"Reset": func(r *tfrecord.Reader) { r.Reset(bytes.NewReader(nil), "") },
		} {
			data := pack(t, c, []byte("borrowed"), []byte("or owned"), []byte("the last"))
			r := tfrecord.NewReader(bytes.NewReader(data), nil)
			p, err := r.Next()
			if err != nil || string(p) != "borrowed" {
				t.Fatalf("%q, %v", p, err)
			}
			end(r)
			if !bytes.Equal(p, spoiled) {
				t.Errorf("%v, after %s: %q", c, name, p)
			}
			for err == nil {
				_, err = r.Next()
			}
			if err != io.EOF {
				t.Errorf("%v: %v", c, err)
			}
		}
	}
	var kept []byte
	for x := range tfrecord.NewReader(bytes.NewReader(unhex(t, hello)), nil).Recover() {
		if kept == nil {
			kept = x.Record
		}
	}
	if !bytes.Equal(kept, spoiled[:5]) {
		t.Errorf("Recover: %q", kept)
	}
}
