package example

import (
	"bytes"

	"github.com/tfparse/tfparse/internal/wire"
)

// applyList applies the Edit to the Examples of an ExampleListWithContext that are in one of its
// fields: the examples, or the context. Fields that the Edit does not change are copied byte for byte.
func (e *Edit) applyList(dst, msg []byte, field int32) ([]byte, error) {
	before := len(dst)
	copied := 0 // of msg
	edit := func(tag, lo, hi int, part func() string) error {
		var err error
		if e.inner, err = e.apply(e.inner[:0], TypeExample.Scan(msg[lo:hi:hi])); err != nil {
			if x, ok := err.(*Error); ok && x.Part == "" && x.Byte < 0 {
				return err // of the changes, not of the message
			}
			return inExample(err, lo, part())
		}
		if bytes.Equal(e.inner, msg[lo:hi]) {
			return nil
		}
		dst = append(dst, msg[copied:tag]...)
		dst = append(wire.AppendHeader(dst, field, int64(len(e.inner))), e.inner...)
		copied = hi
		return nil
	}
	s := ScanExamples(msg)
	for s.Next() {
		if field != fieldExamples {
			continue
		}
		if err := edit(s.tag, s.lo, s.hi, s.part); err != nil {
			return dst[:before], err
		}
	}
	if err := s.Err(); err != nil {
		return dst[:before], err
	}
	if field == fieldContext {
		tag := s.ctxTag
		if s.contexts == 0 { // it goes behind the examples, as in every encoder
			tag, s.ctx, s.end = len(msg), len(msg), len(msg)
		}
		if err := edit(tag, s.ctx, s.end, func() string { return "context" }); err != nil {
			return dst[:before], err
		}
	}
	dst = append(dst, msg[copied:]...)
	if size := int64(len(dst) - before); size > maxSize {
		return dst[:before], tooLarge(size)
	}
	return dst, nil
}
