package bind

import (
	"iter"
	"reflect"

	"github.com/tfparse/tfparse/feature"
)

// A Codec is a compiled struct type. It is immutable and safe for concurrent use.
type Codec[T any] struct {
	c *codec
}

// New compiles T, a struct type whose fields have tags. The options are those of
// the parser; nil means defaults. If the type or its tags make no sense the error is
// the join of a *TypeError for every fault.
func New[T any](opts *feature.ParserOptions) (*Codec[T], error) {
	c, err := compile(reflect.TypeFor[T](), opts)
	if err != nil {
		return nil, err
	}
	return &Codec[T]{c}, nil
}

// Spec returns the spec that the type stands for. The caller may change it.
func (c *Codec[T]) Spec() feature.Spec { return c.c.parser.Spec() }

// Parser returns the parser of the spec: it makes columns of the same records that
// the codec makes structs of.
func (c *Codec[T]) Parser() *feature.Parser { return c.c.parser }

// Decode sets the fields of *v from a record. The record is copied: it may change
// afterwards.
//
// Slices that *v has are overwritten, up to their capacity, and so is what its
// pointers point to, however deep: a T that is decoded into over and over makes
// hardly any garbage, and to keep the values pass a new T. The slices
// of *v must not share memory, which they never do if Decode made them. Strings are
// new for every record and good for ever. Fields that are no features stay as they
// are.
//
// If the record does not fit, *v is as it was, and the error is an *Error, or a
// *feature.Error if the fault is in no single field.
func (c *Codec[T]) Decode(record []byte, v *T) error {
	return c.c.decode(record, reflect.ValueOf(v).Elem())
}

// Encode returns *v as a record: see AppendRecord.
func (c *Codec[T]) Encode(v *T) ([]byte, error) { return c.AppendRecord(nil, v) }

// AppendRecord appends *v as a record to dst. Decoding it gives the same values.
// Names are sorted and lists packed, so equal values give equal bytes. Every feature
// is written, also one that has its default or no values, but for nil pointers.
//
// It fails where a value cannot be said: see the package comment for the ranges of
// types; rows that are not as long as uniform_row_length says; an empty last row
// of value_row_ids; fields that share a key and want different values of it; more
// than 2 GiB. The error is an *Error, or a *feature.Error if the fault is in no
// single field, and dst is returned as it came.
func (c *Codec[T]) AppendRecord(dst []byte, v *T) ([]byte, error) {
	st := c.c.state()
	defer c.c.states.Put(st)
	return st.encoder.append(dst, reflect.ValueOf(v).Elem())
}

// All decodes a stream of records. Every T is new and the caller's. It ends after
// the first error, of the stream or of a record that does not fit, which comes with
// a nil T; use Decode to go on after those.
func (c *Codec[T]) All(records iter.Seq2[[]byte, error]) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		n := 0
		for r, err := range records {
			v := new(T)
			if err == nil {
				if err = c.Decode(r, v); err != nil {
					err = recordError(n, err)
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(v, nil) {
				return
			}
			n++
		}
	}
}
