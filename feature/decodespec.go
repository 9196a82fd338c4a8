package feature

import (
	"math"
	"strconv"

	"github.com/tfparse/tfparse/tensor"
)

// checkDecode checks how the strings of a feature are decoded. sizes are the features that may hold sizes.
func (c *checker) checkDecode(f Feature, sizes Features) {
	d := DecodeOf(f)
	if d == nil {
		return
	}
	if f.dtype() != String {
		c.failf("decode needs dtype string, not %s", f.dtype())
	}
	rows := c.group != InExamples
	switch f := f.(type) {
	case VarLen:
		rows = c.group != InSequence
	case Ragged:
		rows = rows && (c.group != InSequence || len(f.InnerShape()) == len(f.Partitions))
	}
	if !rows {
		c.failf("decode needs rows of strings: not %s in %s", kindName(f), c.group)
	}
	switch d := d.(type) {
	case DecodeRaw:
		c.checkRaw(d, sizes)
	case DecodeTensor:
		if d.DType != tensor.Invalid && d.DType.Size() == 0 {
			c.failf("decode: parse_tensor has no dtype %s", d.DType)
		}
		c.checkDepth(len(d.Shape), "dimensions")
		for i, n := range d.Shape {
			if n < -1 {
				c.failf("decode: dimension %d is %d, want at least 0, or -1 for any size", i, n)
			}
		}
	}
}

func (c *checker) checkRaw(d DecodeRaw, sizes Features) {
	if !d.DType.IsRaw() {
		c.failf("decode: decode_raw has no dtype %s", d.DType)
	} else if to := d.Bitcast; to != tensor.Invalid && (to == tensor.String || to.Size() != d.DType.Size()) {
		c.failf("decode: bitcast from %s to %s, of another size", d.DType, to)
	}
	c.checkDepth(len(d.Shape), "dimensions")
	n, unknown := int64(1), 0
	for i, dim := range d.Shape {
		name, index := "", 0
		switch dim := dim.(type) {
		case Size:
			switch {
			case dim == -1:
				unknown++
			case dim < -1:
				c.failf("decode: dimension %d is %d, want at least 0, or -1 for what is left", i, dim)
			case dim > 0 && n > math.MaxInt64/int64(dim):
				c.failf("decode: the shape has 2^63 or more elements")
				return
			default:
				n *= max(int64(dim), 1)
			}
			continue
		case SizeOf:
			name = string(dim)
		case SizeAt:
			name, index = dim.Feature, dim.Index
		default:
			c.failf("decode: dimension %d: %T is not a dimension", i, dim)
			continue
		}
		from, ok := sizes[name].(FixedLen)
		_, at := dim.(SizeAt)
		switch {
		case !ok || from.DType != Int64:
			c.failf("decode: dimension %d: the spec has no fixed_len feature %q of int64 in %s", i, name, sizeGroup(c.group))
		case !at && len(from.Shape) > 0:
			c.failf("decode: dimension %d: %q has shape %v, want a scalar", i, name, from.Shape)
		case at && (len(from.Shape) != 1 || uint(index) >= uint(from.Shape[0])):
			c.failf("decode: dimension %d: %q has shape %v, without an index %d", i, name, from.Shape, index)
		}
	}
	if unknown > 1 {
		c.failf("decode: %d dimensions are -1, want at most one", unknown)
	}
}

// decode reads the members decode and decode_raw.
func (a *arguments) decode() Decode {
	n, short := a.takeMember("decode"), a.takeMember("decode_raw")
	switch {
	case n != nil && short != nil:
		a.r.failf("decode and decode_raw: want one of them")
	case short != nil:
		return DecodeRaw{DType: a.elementType("decode_raw", short)}
	case n == nil:
		return nil
	}
	ms := a.r.readObject(n, "decode")
	if len(ms) != 1 || ms[0].name != "raw" && ms[0].name != "tensor_proto" {
		a.r.failf("decode: want one member, raw or tensor_proto")
		return nil
	}
	o := a.r.newArguments(ms[0].node, ms[0].name)
	defer o.refuseRest()
	dtype := tensor.Invalid
	if o.kind == "raw" {
		if n := o.needMember("dtype"); n != nil {
			dtype = o.elementType("dtype", n)
		}
		d := DecodeRaw{DType: dtype}
		if n := o.takeMember("shape"); n != nil {
			d.Shape = o.dimensions(n)
		}
		d.BigEndian, _ = o.boolean("big_endian")
		d.Zlib, _ = o.boolean("zlib")
		if n := o.takeMember("bitcast"); n != nil {
			d.Bitcast = o.elementType("bitcast", n)
		}
		return d
	}
	if n := o.takeMember("dtype"); n != nil {
		dtype = o.elementType("dtype", n)
	}
	d := DecodeTensor{DType: dtype}
	if n := o.takeMember("shape"); n != nil {
		d.Shape = tensor.Shape{}
		for _, dim := range o.dimensions(n) {
			size, ok := dim.(Size)
			if !ok {
				o.r.failf("shape: want numbers: a TensorProto has its own shape")
			}
			d.Shape = append(d.Shape, int64(size))
		}
	}
	return d
}

// elementType reads the dtype of a tensor.
func (a *arguments) elementType(name string, n *jsonNode) (d tensor.DType) {
	if n.kind != stringNode {
		a.r.failf("%s is %s, want a string", name, n.kind)
	} else if d.UnmarshalText([]byte(n.text)) != nil {
		a.r.failf("%s %q is not a dtype of elements", name, n.text)
	}
	return d
}

// dimensions reads a list of numbers, names, and objects with feature and index.
func (a *arguments) dimensions(n *jsonNode) []Dimension {
	if n.kind != arrayNode {
		a.r.failf("shape is %s, want a list", n.kind)
		return nil
	}
	dims := make([]Dimension, 0, len(n.items))
	for i, it := range n.items {
		switch it.kind {
		case stringNode:
			dims = append(dims, SizeOf(a.wireKey("shape", it)))
		case objectNode:
			o := a.r.newArguments(it, "the dimension")
			at := SizeAt{Feature: o.key("feature", true)}
			if n := o.needMember("index"); n != nil {
				index, err := n.integer()
				if err != nil || index < 0 || index > maxElements {
					a.r.failf("shape: dimension %d: want an index from 0", i)
				}
				at.Index = int(index)
			}
			o.refuseRest()
			dims = append(dims, at)
		default:
			d, err := it.integer()
			if err != nil {
				a.r.failf("shape: dimension %d is %v, want a number or the name of a feature", i, err)
			}
			dims = append(dims, Size(d))
		}
	}
	return dims
}

// appendDecode appends the member decode, unless d is nil.
func appendDecode(b []byte, d Decode) []byte {
	switch d := d.(type) {
	case DecodeRaw:
		b = append(append(append(b, `,"decode":{"raw":{"dtype":"`...), d.DType.String()...), '"')
		if d.Shape != nil {
			b = append(b, `,"shape":[`...)
			for i, dim := range d.Shape {
				if i > 0 {
					b = append(b, ',')
				}
				switch dim := dim.(type) {
				case Size:
					b = strconv.AppendInt(b, int64(dim), 10)
				case SizeOf:
					b = appendName(b, string(dim))
				case SizeAt:
					b = appendName(append(b, `{"feature":`...), dim.Feature)
					b = append(strconv.AppendInt(append(b, `,"index":`...), int64(dim.Index), 10), '}')
				}
			}
			b = append(b, ']')
		}
		if d.BigEndian {
			b = append(b, `,"big_endian":true`...)
		}
		if d.Zlib {
			b = append(b, `,"zlib":true`...)
		}
		if d.Bitcast != tensor.Invalid {
			b = append(append(append(b, `,"bitcast":"`...), d.Bitcast.String()...), '"')
		}
		return append(b, "}}"...)
	case DecodeTensor:
		b = append(b, `,"decode":{"tensor_proto":{`...)
		if d.DType != tensor.Invalid {
			b = append(append(append(b, `"dtype":"`...), d.DType.String()...), '"')
		}
		if d.Shape != nil {
			if d.DType != tensor.Invalid {
				b = append(b, ',')
			}
			b = appendList(append(b, `"shape":`...), d.Shape)
		}
		return append(b, "}}"...)
	}
	return b
}
