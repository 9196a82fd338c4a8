package recordjson

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/tfparse/tfparse/example"
)

// appendEntry appends an encoded map entry to the content of a Features message.
func appendEntry(features []byte, name string, feature []byte) []byte {
	var entry []byte
	entry = protowire.AppendString(protowire.AppendTag(entry, 1, protowire.BytesType), name)
	entry = protowire.AppendBytes(protowire.AppendTag(entry, 2, protowire.BytesType), feature)
	return protowire.AppendBytes(protowire.AppendTag(features, 1, protowire.BytesType), entry)
}

func appendFeatures(features []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), features)
}

// For any names in earlier records, the features are those that example.TypeExample.Collect returns.
func TestOrder(t *testing.T) {
	int64One := []byte{0x1a, 0x03, 0x0a, 0x01, 0x01}
	float := []byte{0x12, 0x00}
	rng := rand.New(rand.NewPCG(5, 6))
	for _, names := range []int{3, 40, 600, 3000} {
		var o nameOrder
		failed, same := 0, 0
		for range 200 {
			var features []byte
			for range rng.IntN(60) {
				name := fmt.Sprintf("name %d", rng.IntN(names))
				features = appendEntry(features, name, [][]byte{int64One, float, int64One, {}}[rng.IntN(4)])
			}
			msg := appendFeatures(features)
			want, wantErr := example.TypeExample.Collect(nil, msg)
			got, err := o.collectSorted(example.TypeExample, msg)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Fatalf("got %v, want %v", err, wantErr)
			}
			if err != nil {
				failed++
				continue
			}
			same++
			if !sameSlice(got, want, func(x, y example.Entry) bool {
				return bytes.Equal(x.Name, y.Name) && x.Feature.Offset() == y.Feature.Offset()
			}) {
				t.Fatalf("got %v\nwant %v", got, want)
			}
		}
		if len(o.names) > maxOrder || same < 10 {
			t.Errorf("%d names: %d are kept; %d records are the same, %d refused", names, len(o.names), same, failed)
		}
	}
}
