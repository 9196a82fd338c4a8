// Flush copies records from a TFRecord on standard input to one on standard
// output, and flushes the writer after every few records: a stream that no
// command line makes, for read_back.py.
//
//	go run flush.go -compression gzip -level 9 -every 3 <in >out
package main

import (
	"errors"
	"flag"
	"io"
	"log"
	"os"

	"github.com/tfparse/tfparse/tfrecord"
)

func main() {
	var o tfrecord.WriterOptions
	flag.TextVar(&o.Compression, "compression", tfrecord.None, "codec of what is written")
	flag.IntVar(&o.Level, "level", 0, "level of the codec; 0 is its default")
	every := flag.Int("every", 1, "flush after so many records")
	flag.Parse()
	if err := run(os.Stdin, os.Stdout, &o, *every); err != nil {
		log.Fatal(err)
	}
}

func run(in io.Reader, out io.Writer, o *tfrecord.WriterOptions, every int) error {
	r := tfrecord.NewReader(in, nil)
	w := tfrecord.NewWriter(out, o)
	for n := 1; ; n++ {
		p, err := r.Next()
		if errors.Is(err, io.EOF) {
			return w.Close()
		}
		if err != nil {
			return err
		}
		if err := w.WriteRecord(p); err != nil {
			return err
		}
		if n%every == 0 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
}
