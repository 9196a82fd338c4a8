package serving

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/tfparse/tfparse/model"
	"github.com/tfparse/tfparse/tensor"
)

// A fakeServer is a PredictionService of the test. It maps an encoded request to an encoded response.
type fakeServer func(ctx context.Context, request []byte) ([]byte, error)

// listen starts a server and returns its address. The server ends with the test.
func (f fakeServer) listen(t testing.TB) string {
	t.Helper()
	ln, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	f.serve(t, ln)
	return ln.Addr().String()
}

func (f fakeServer) serve(t testing.TB, ln net.Listener) *grpc.Server {
	server := grpc.NewServer(grpc.ForceServerCodecV2(rawCodec{}), grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		if method, _ := grpc.MethodFromServerStream(stream); method != predictMethod {
			return fmt.Errorf("call of %s", method)
		}
		var request []byte
		if err := stream.RecvMsg(&request); err != nil {
			return err
		}
		answer, err := f(stream.Context(), request)
		if err != nil {
			return err
		}
		return stream.SendMsg(&answer)
	}))
	go server.Serve(ln)
	t.Cleanup(server.Stop)
	return server
}

// fields calls each for the length-delimited fields of a message.
func fields(t testing.TB, b []byte, each func(num protowire.Number, v []byte)) {
	for len(b) > 0 {
		num, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Errorf("request: %v", protowire.ParseError(n))
			return
		}
		b = b[n:]
		if kind != protowire.BytesType {
			b = b[protowire.ConsumeFieldValue(num, kind, b):]
			continue
		}
		v, n := protowire.ConsumeBytes(b)
		if n < 0 {
			t.Errorf("request: %v", protowire.ParseError(n))
			return
		}
		each(num, v)
		b = b[n:]
	}
}

// entry reads an entry of a map of tensors.
func entry(t testing.TB, b []byte) (name string, value tensor.Tensor) {
	fields(t, b, func(num protowire.Number, v []byte) {
		if num == 1 {
			name = string(v)
			return
		}
		var err error
		if value, err = tensor.Decode(v); err != nil {
			t.Errorf("input: %v", err)
		}
	})
	return name, value
}

// answerOf encodes a PredictResponse.
func answerOf(t testing.TB, outputs ...model.Output) (answer []byte) {
	for _, o := range outputs {
		tensor, err := tensor.Append(nil, o.Tensor)
		if err != nil {
			t.Error(err)
		}
		e := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), o.Name)
		e = protowire.AppendBytes(protowire.AppendTag(e, 2, protowire.BytesType), tensor)
		answer = protowire.AppendBytes(protowire.AppendTag(answer, 1, protowire.BytesType), e)
	}
	return answer
}

func values[T tensor.Element](t testing.TB, in map[string]tensor.Tensor, name string) []T {
	v, err := tensor.ValuesOf[T](in[name])
	if err != nil {
		t.Errorf("input %q: %v", name, err)
	}
	return v
}

func tensorOf[T tensor.Element](t testing.TB, v []T) tensor.Tensor {
	tensor, err := tensor.New(v)
	if err != nil {
		t.Error(err)
	}
	return tensor
}

// recipes computes the outputs of the model ../testdata/models/recipes, whose source is in ../testdata/make/models.py: effort is the
// minutes plus the sum of amounts, words are the words of all steps. It checks that row_splits fit their values.
func recipes(t testing.TB) fakeServer {
	return func(ctx context.Context, request []byte) ([]byte, error) {
		in := map[string]tensor.Tensor{}
		var outputs []string
		fields(t, request, func(num protowire.Number, v []byte) {
			switch num {
			case 1:
				if string(v) != "\n\arecipes" {
					t.Errorf("model_spec %q", v)
				}
			case 2:
				name, tensor := entry(t, v)
				in[name] = tensor
			case 3:
				outputs = append(outputs, string(v))
			}
		})
		if got := sortedNames(in); fmt.Sprint(got) != "[recipe recipe_1 recipe_2 recipe_3 recipe_4 recipe_5 recipe_6 recipe_7 recipe_8 recipe_9]" {
			t.Errorf("inputs %q", got)
		}
		if want := []string{"effort", "words", "words_splits"}; !slices.Equal(outputs, want) {
			t.Errorf("output_filter %q, want %q", outputs, want)
		}
		effort := []float32{}
		amounts, splits := values[float32](t, in, "recipe_3"), values[int32](t, in, "recipe_4")
		for i, minutes := range values[int64](t, in, "recipe_5") {
			e := float32(0)
			for _, a := range amounts[splits[i]:splits[i+1]] {
				e += a
			}
			effort = append(effort, float32(minutes)+e)
		}
		merged := values[int64](t, in, "recipe_7")
		for _, inner := range []string{"recipe_8", "recipe_9"} {
			next := values[int64](t, in, inner)
			if merged[len(merged)-1] != int64(len(next)-1) {
				t.Errorf("splits end with %d, and there are %d rows in %s", merged[len(merged)-1], len(next)-1, inner)
			}
			for i, at := range merged {
				merged[i] = next[at]
			}
		}
		words := values[string](t, in, "recipe_6")
		if merged[len(merged)-1] != int64(len(words)) {
			t.Errorf("splits end with %d, and there are %d words", merged[len(merged)-1], len(words))
		}
		for i, w := range words {
			words[i] = strings.Clone(w)
		}
		return answerOf(t, model.Output{Name: "effort", Tensor: tensorOf(t, effort)}, model.Output{Name: "words", Tensor: tensorOf(t, words)},
			model.Output{Name: "words_splits", Tensor: tensorOf(t, merged)}), nil
	}
}

// data reads a file of testdata.
func data(t testing.TB, name string) []byte {
	b, err := os.ReadFile("../testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
