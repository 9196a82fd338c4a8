package statsource

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/internal/storage"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/tfrecord"
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

// readOne reads statistics from a file or standard input, or returns nil if it has records, or
// a partsError; then it can be read from its beginning.
func readOne(e *cli.Env, in *scan.Input) (list *pb.DatasetFeatureStatisticsList, d *stats.Details, err error) {
	var r fileReader
	if in.Name == scan.Stdin {
		list, in.Stream, err = r.readOpen(io.NopCloser(e.Stdin), in.Name)
	} else {
		list, in.Stream, err = r.read(in.Name)
	}
	switch _, unreadable := errors.AsType[*fs.PathError](err); {
	case errors.Is(err, errPart):
		return nil, nil, &partsError{in.Name}
	case errors.Is(err, tfrecord.ErrNotTFRecord) && in.Regular():
		return nil, nil, neither(in.Name)
	case errors.Is(err, errNone), unreadable: // reading records will fail with the reason
		return nil, nil, nil
	}
	return list, r.Details, scan.Named(in.Name, err)
}

// A partsError is a file that stats --partial wrote, where that is not wanted.
type partsError struct{ name string }

func (e *partsError) Error() string { return notWanted(e.name, aPart).Error() }
