package protomessage

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/internal/wire"
)

// Explain writes a table of the fields of a record, with their offsets and values, up to the first error. It returns the
// error of the record.
func (t *Type) Explain(w io.Writer, rec []byte) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "BYTE\tFIELD\tTYPE\tVALUE")
	err := t.walk(t.desc, rec, 0, 0, func(f Field) {
		name := strings.Repeat("  ", f.Depth) + string(f.Desc.Name())
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\n", f.Offset, name, f.typeName(), console.OneLine(f.text()))
	})
	if err == nil {
		_, _, err = t.decode(rec) // walk does not check required fields
	}
	table.Flush()
	return err
}

// typeName returns the type of a field in the syntax of a .proto file.
func (f *Field) typeName() string {
	name := f.Desc.Kind().String()
	switch {
	case f.Desc.IsMap():
		name = "map entry"
	case f.Desc.Message() != nil:
		name = string(f.Desc.Message().Name())
	case f.Desc.Enum() != nil:
		name = string(f.Desc.Enum().Name())
	}
	if f.Desc.IsList() {
		name = "repeated " + name
	}
	return name
}

// maxText limits the bytes of a string that are printed.
const maxText = 60

// text returns the value of a field, shortened.
func (f *Field) text() string {
	switch {
	case f.packed():
		return fmt.Sprintf("packed, %d bytes", len(f.Value))
	case f.numeric():
		return f.number()
	case f.Desc.Kind() == protoreflect.StringKind && len(f.Value) <= maxText:
		return strconv.Quote(string(f.Value))
	case f.Desc.Kind() == protoreflect.StringKind:
		return fmt.Sprintf("%q… %d bytes", strings.ToValidUTF8(string(f.Value[:maxText]), ""), len(f.Value))
	}
	return fmt.Sprintf("%d bytes", len(f.Value))
}

// number returns the text of a number, bool or enum.
func (f *Field) number() string {
	v, _ := wire.Varint(f.Value, 0)
	switch f.Wire {
	case wire.TypeFixed32:
		v = uint64(binary.LittleEndian.Uint32(f.Value))
	case wire.TypeFixed64:
		v = binary.LittleEndian.Uint64(f.Value)
	}
	switch f.Desc.Kind() {
	case protoreflect.BoolKind:
		return strconv.FormatBool(v != 0)
	case protoreflect.EnumKind:
		if value := f.Desc.Enum().Values().ByNumber(protoreflect.EnumNumber(int32(v))); value != nil {
			return fmt.Sprintf("%d %s", int32(v), value.Name())
		}
		return strconv.Itoa(int(int32(v)))
	case protoreflect.FloatKind:
		b, _ := recordjson.AppendFloat32(nil, math.Float32frombits(uint32(v)), recordjson.NaNString)
		return string(b)
	case protoreflect.DoubleKind:
		b, _ := recordjson.AppendFloat64(nil, math.Float64frombits(v), recordjson.NaNString)
		return string(b)
	case protoreflect.Sint32Kind:
		v &= math.MaxUint32
		return strconv.FormatInt(int64(v>>1)^-int64(v&1), 10)
	case protoreflect.Sint64Kind:
		return strconv.FormatInt(int64(v>>1)^-int64(v&1), 10)
	case protoreflect.Int32Kind, protoreflect.Sfixed32Kind:
		return strconv.Itoa(int(int32(v)))
	case protoreflect.Uint32Kind:
		return strconv.FormatUint(v&math.MaxUint32, 10)
	case protoreflect.Int64Kind, protoreflect.Sfixed64Kind:
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatUint(v, 10)
}
