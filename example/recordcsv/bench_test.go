package recordcsv_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/tfparse/tfparse/example/recordcsv"
)

// BenchmarkCSV compares the two passes over a file of trips with encoding/csv alone.
func BenchmarkCSV(b *testing.B) {
	var text bytes.Buffer
	text.WriteString("trip_seconds,trip_miles,fare,tips,latitude,longitude,company,payment_type\n")
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		fmt.Fprintf(&text, "%d,%.1f,%.2f,", rng.IntN(4000), rng.Float64()*20, rng.Float64()*60)
		if rng.IntN(3) == 0 {
			fmt.Fprintf(&text, "%.2f", rng.Float64()*9)
		}
		fmt.Fprintf(&text, ",%.9f,%.9f,\"Company, No. %d\",%s\n", 41+rng.Float64(), -87-rng.Float64(), rng.IntN(30), []string{"Cash", "Credit Card"}[rng.IntN(2)])
	}
	data := text.Bytes()
	i := recordcsv.NewInferrer(nil)
	if err := i.Read(bytes.NewReader(data), nil); err != nil {
		b.Fatal(err)
	}
	columns := i.Columns(nil)
	for _, c := range []struct {
		name string
		read func() error
	}{
		{"encoding/csv", func() error {
			r := csv.NewReader(bytes.NewReader(data))
			r.ReuseRecord = true
			for {
				if _, err := r.Read(); err != nil {
					return err
				}
			}
		}},
		{"infer", func() error {
			if err := recordcsv.NewInferrer(nil).Read(bytes.NewReader(data), nil); err != nil {
				return err
			}
			return io.EOF
		}},
		{"read", func() error {
			r := recordcsv.NewReader(bytes.NewReader(data), columns, nil)
			for {
				if _, err := r.Next(); err != nil {
					return err
				}
			}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if err := c.read(); err != io.EOF {
					b.Fatal(err)
				}
			}
		})
	}
}
