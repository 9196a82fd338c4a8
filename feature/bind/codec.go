package bind

import (
	"iter"
	"reflect"

	"github.com/tfparse/tfparse/feature"
)

// Codec decodes records into structs of type T and encodes them. It is immutable and safe for concurrent use.
type Codec[T any] struct {
	c *codec
}

// New compiles T, a struct type whose fields have tags. The options are those of the
// parser; nil means defaults. If the type or its tags are invalid, the error joins one
// *TypeError per fault.
func New[T any](opts *feature.ParserOptions) (*Codec[T], error) {
	c, err := compile(reflect.TypeFor[T](), opts)
	if err != nil {
		return nil, err
	}
	return &Codec[T]{c}, nil
}

// Spec returns the spec of the struct type. The caller may change it.
func (c *Codec[T]) Spec() feature.Spec { return c.c.parser.Spec() }

// Parser returns a parser for the spec. It parses the same records into columns.
func (c *Codec[T]) Parser() *feature.Parser { return c.c.parser }

// Decode sets the fields of *v from a record. The record is copied, so the caller may
// change it afterwards.
//
// Decode reuses the memory of *v: it overwrites slices up to their capacity and the
// targets of pointers, at every depth. Decoding into the same T again and again
// therefore allocates very little; pass a new T to keep the old values. The slices of
// *v must not share memory; those that Decode makes never do. Strings are new for each
// record and stay valid. Fields that are not features are not changed.
//
// If the record does not fit, *v is unchanged, and the error is an *Error, or a
// *feature.Error if it does not concern a single field.
func (c *Codec[T]) Decode(record []byte, v *T) error {
	return c.c.decode(record, reflect.ValueOf(v).Elem())
}

// Encode returns *v as a record: see AppendRecord.
func (c *Codec[T]) Encode(v *T) ([]byte, error) { return c.AppendRecord(nil, v) }

// AppendRecord appends *v, encoded as a record, to dst. Decoding the record gives the same
// values. Names are sorted and lists are packed, so equal values give equal bytes. Every
// feature is written, even one with its default or without values, except nil pointers.
//
// It fails if a value has no encoding: a value outside the range of its type (see the
// package comment), rows with another length than uniform_row_length, an empty last row of
// value_row_ids, fields that share a key but have different values for it, or more than
// 2 GiB. The error is an *Error, or a *feature.Error if it does not concern a single
// field; then dst is returned unchanged.
func (c *Codec[T]) AppendRecord(dst []byte, v *T) ([]byte, error) {
	st := c.c.state()
	defer c.c.states.Put(st)
	return st.encoder.append(dst, reflect.ValueOf(v).Elem())
}

// All decodes a stream of records. Each T is new and belongs to the caller. All ends after
// the first error, of the stream or of a record that does not fit, and yields it with a
// nil T; to continue after such errors use Decode.
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
