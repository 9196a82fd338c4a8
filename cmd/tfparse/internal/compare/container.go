package compare

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/internal/storage"
)

// A container says whether the files of two data sets are the same bytes.
type container struct {
	known bool // false with a pipe, whose bytes are gone once its records are read
	same  bool
	why   string // if they differ
}

// compareFiles compares files, the first of A with the first of B. Files that cannot be read are
// different here: reading their records says why.
func compareFiles(ctx context.Context, a, b []scan.Input) (container, error) {
	for _, in := range [][]scan.Input{a, b} {
		for _, i := range in {
			if i.Err == nil && !i.Regular() {
				return container{why: i.Name + " is no regular file"}, nil
			}
		}
	}
	if len(a) != len(b) {
		return container{known: true, why: fmt.Sprintf("%s and %s", cli.Plural(int64(len(a)), "file"), cli.Plural(int64(len(b)), "file"))}, nil
	}
	if sizeA, sizeB := scan.TotalSize(a), scan.TotalSize(b); sizeA != sizeB {
		return container{known: true, why: fmt.Sprintf("%s and %s", cli.Plural(sizeA, "byte"), cli.Plural(sizeB, "byte"))}, nil
	}
	for i := range a {
		at, err := firstDifference(ctx, a[i], b[i])
		if err != nil {
			return container{}, err
		}
		if at >= 0 {
			return container{known: true, why: fmt.Sprintf("%s and %s from byte %d on", a[i].Name, b[i].Name, at)}, nil
		}
	}
	return container{known: true, same: true}, nil
}

// firstDifference is where two files begin to differ; -1 if they do not.
func firstDifference(ctx context.Context, a, b scan.Input) (int64, error) {
	if a.Err != nil || b.Err != nil {
		return 0, nil
	}
	fa, err := storage.Open(a.Name)
	if err != nil {
		return 0, nil
	}
	defer fa.Close()
	fb, err := storage.Open(b.Name)
	if err != nil {
		return 0, nil
	}
	defer fb.Close()
	const size = 256 << 10
	ra, rb := bufio.NewReaderSize(fa, size), bufio.NewReaderSize(fb, size)
	for at := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		pa, errA := ra.Peek(size)
		pb, errB := rb.Peek(size)
		n := min(len(pa), len(pb))
		if !bytes.Equal(pa[:n], pb[:n]) {
			for i := range n {
				if pa[i] != pb[i] {
					return at + int64(i), nil
				}
			}
		}
		at += int64(n)
		switch {
		case len(pa) != len(pb), errA != nil && errA != io.EOF, errB != nil && errB != io.EOF:
			return at, nil
		case errA == io.EOF:
			return -1, nil
		}
		ra.Discard(n)
		rb.Discard(n)
	}
}
