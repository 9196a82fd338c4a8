package layout

import "testing"

// BenchmarkRelayout swaps two dimensions and compares with a copy of the same
// bytes: layout=same.
func BenchmarkRelayout(b *testing.B) {
	from := must(b, "f32[1024,1024]{1,0}")
	for _, c := range []struct{ name, to string }{
		{"layout=same", "f32[1024,1024]{1,0}"},
		{"layout=swapped", "f32[1024,1024]{0,1}"},
		{"layout=tiled", "f32[1024,1024]{1,0:T(8,128)}"},
	} {
		b.Run(c.name, func(b *testing.B) {
			to := must(b, c.to)
			src, dst := make([]float32, 1<<20), make([]float32, 1<<20)
			b.SetBytes(4 << 20)
			for b.Loop() {
				if err := Relayout(dst, to, src, from, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
