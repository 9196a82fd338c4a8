package bind

import (
	"reflect"

	"github.com/tfparse/tfparse/feature"
)

// An Untyped is a codec of a type that is known only at run time, because tests make types.
type Untyped struct{ c *codec }

// Compile makes the codec of a struct type.
func Compile(t reflect.Type) (Untyped, error) {
	c, err := compile(t, nil)
	return Untyped{c}, err
}

// Parser is Codec.Parser.
func (u Untyped) Parser() *feature.Parser { return u.c.parser }

// Decode is Codec.Decode; v is a pointer.
func (u Untyped) Decode(record []byte, v reflect.Value) error { return u.c.decode(record, v.Elem()) }

// Encode is Codec.Encode; v is a pointer.
func (u Untyped) Encode(v reflect.Value) ([]byte, error) {
	st := u.c.state()
	defer u.c.states.Put(st)
	return st.encoder.append(nil, v.Elem())
}
