package statsource

import (
	"errors"
	"fmt"
	"io"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/reading"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/internal/storage"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/stats"
)

// neither is an error if a file that is no TFRecord is known to be something that has
// neither statistics nor records in it.
func neither(name string) error {
	f, err := storage.Open(name)
	if err != nil {
		return nil // reading records will fail with the reason
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxLook))
	if err != nil {
		return nil
	}
	if what := whatIs(b); what == "a schema" || what == "a spec" {
		return notWanted(name, what)
	}
	return nil
}

// notWanted is the error of a file that is neither statistics nor records.
func notWanted(name, what string) error {
	return fmt.Errorf("%s: want statistics or records, got %s", name, what)
}

// streamed reads statistics from what can be read once only, or returns nil if it has records, or
// a partsError; then it can be read from its beginning.
func streamed(e *cli.Env, in *recordscan.Input) (*pb.DatasetFeatureStatisticsList, *stats.Details, error) {
	from := io.NopCloser(e.Stdin)
	if in.Name != recordscan.Stdin {
		f, err := storage.Open(in.Name)
		if err != nil {
			return nil, nil, nil // reading records will fail with the reason
		}
		from = f
	}
	var r fileReader
	list, all, err := r.readStream(from, in.Name)
	if all != nil {
		in.Stream = struct {
			io.Reader
			io.Closer
		}{all, from}
		if errors.Is(err, errPart) {
			return nil, nil, &partsError{in.Name}
		}
		return nil, nil, nil
	}
	from.Close()
	return list, r.Details, reading.Named(in.Name, err)
}

// A partsError is a file that stats --partial wrote, where that is not wanted.
type partsError struct{ name string }

func (e *partsError) Error() string { return notWanted(e.name, aPart).Error() }
