package bind_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/proto/examplepb"
)

// Handwritten code of a service that has only protobuf-go: it decodes the message and looks up every feature, or
// builds the map and encodes it.

// byHand calls one of its functions for every field of r.
func (r *Forty) byHand(float func(string, *float32), integer func(string, *int64), vector func(string, *[32]float32),
	words func(string, *[]string), ids func(string, *[]int64), history func(string, *[][]int64)) {
	for i, p := range []*float32{&r.F00, &r.F01, &r.F02, &r.F03, &r.F04, &r.F05, &r.F06, &r.F07, &r.F08, &r.F09, &r.F10, &r.F11} {
		float(floatNames[i], p)
	}
	for i, p := range []*int64{&r.I00, &r.I01, &r.I02, &r.I03, &r.I04, &r.I05, &r.I06, &r.I07, &r.I08, &r.I09, &r.I10, &r.I11} {
		integer(intNames[i], p)
	}
	vector("embedding/0", &r.E0)
	vector("embedding/1", &r.E1)
	vector("embedding/2", &r.E2)
	words("words/0", &r.W0)
	words("words/1", &r.W1)
	words("words/2", &r.W2)
	words("words/3", &r.W3)
	ids("ids/0", &r.D0)
	ids("ids/1", &r.D1)
	ids("ids/2", &r.D2)
	ids("ids/3", &r.D3)
	history("history/0", &r.H0)
	history("history/1", &r.H1)
	history("history/2", &r.H2)
	history("history/3", &r.H3)
	history("history/4", &r.H4)
}

var floatNames, intNames [12]string

func init() {
	for i := range floatNames {
		floatNames[i], intNames[i] = fmt.Sprintf("dense/float/%02d", i), fmt.Sprintf("dense/int/%02d", i)
	}
}

func (r *Forty) fromProto(record []byte) (err error) {
	var ex examplepb.Example
	if err := proto.Unmarshal(record, &ex); err != nil {
		return err
	}
	m := ex.GetFeatures().GetFeature()
	want := func(name string, n, got int) bool {
		if n != got {
			err = fmt.Errorf("%s: %d values", name, got)
		}
		return n == got
	}
	r.byHand(
		func(name string, p *float32) {
			if v := m[name].GetFloatList().GetValue(); want(name, 1, len(v)) {
				*p = v[0]
			}
		},
		func(name string, p *int64) {
			if v := m[name].GetInt64List().GetValue(); want(name, 1, len(v)) {
				*p = v[0]
			}
		},
		func(name string, p *[32]float32) {
			if v := m[name].GetFloatList().GetValue(); want(name, 32, len(v)) {
				copy(p[:], v)
			}
		},
		func(name string, p *[]string) {
			*p = (*p)[:0]
			for _, s := range m[name].GetBytesList().GetValue() {
				*p = append(*p, string(s))
			}
		},
		func(name string, p *[]int64) { *p = append((*p)[:0], m[name].GetInt64List().GetValue()...) },
		func(name string, p *[][]int64) {
			v := m[name].GetInt64List().GetValue()
			*p = (*p)[:0]
			for _, n := range m[name+"/lengths"].GetInt64List().GetValue() {
				if n < 0 || n > int64(len(v)) {
					err = fmt.Errorf("%s: row of %d", name, n)
					return
				}
				*p = append(*p, v[:n:n])
				v = v[n:]
			}
			want(name, 0, len(v))
		},
	)
	return err
}

func (r *Forty) toProto(dst []byte) ([]byte, error) {
	m := make(map[string]*examplepb.Feature, 45)
	floats := func(name string, v ...float32) {
		m[name] = &examplepb.Feature{Kind: &examplepb.Feature_FloatList{FloatList: &examplepb.FloatList{Value: v}}}
	}
	ints := func(name string, v ...int64) {
		m[name] = &examplepb.Feature{Kind: &examplepb.Feature_Int64List{Int64List: &examplepb.Int64List{Value: v}}}
	}
	r.byHand(
		func(name string, p *float32) { floats(name, *p) },
		func(name string, p *int64) { ints(name, *p) },
		func(name string, p *[32]float32) { floats(name, p[:]...) },
		func(name string, p *[]string) {
			v := make([][]byte, len(*p))
			for i, s := range *p {
				v[i] = []byte(s)
			}
			m[name] = &examplepb.Feature{Kind: &examplepb.Feature_BytesList{BytesList: &examplepb.BytesList{Value: v}}}
		},
		func(name string, p *[]int64) { ints(name, *p...) },
		func(name string, p *[][]int64) {
			var v, n []int64
			for _, row := range *p {
				v, n = append(v, row...), append(n, int64(len(row)))
			}
			ints(name, v...)
			ints(name+"/lengths", n...)
		},
	)
	return proto.MarshalOptions{Deterministic: true}.MarshalAppend(dst, &examplepb.Example{Features: &examplepb.Features{Feature: m}})
}

// TestByHand proves that the benchmarks compare the same work.
func TestByHand(t *testing.T) {
	codec := fortyCodec(t)
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		var r, s, u Forty
		r.random(rnd)
		record, err := codec.Encode(&r)
		if err != nil {
			t.Fatal(err)
		}
		byHand, err := r.toProto(nil)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(record, byHand) {
			t.Fatalf("encoded %x\nby hand %x", record, byHand)
		}
		if err := codec.Decode(record, &s); err != nil {
			t.Fatal(err)
		}
		if err := u.fromProto(record); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(r, s, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("decoded: %s", d)
		}
		if d := cmp.Diff(r, u, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("decoded by hand: %s", d)
		}
	}
}
