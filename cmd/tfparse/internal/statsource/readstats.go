package statsource

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/reading"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/internal/storage"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

// given returns the statistics that the only input is, or nil if the inputs are records,
// and what JSON has more than they.
// What a stream begins with is read to see what it is, and put back where it holds
// records.
func Given(e *cli.Env, in []recordscan.Input) (*pb.DatasetFeatureStatisticsList, *stats.Details, error) {
	if len(in) == 1 && in[0].Err == nil && !reading.ReadTwice(in) {
		return streamed(e, &in[0])
	}
	var r fileReader
	for _, i := range in {
		if i.Err != nil || !reading.ReadTwice([]recordscan.Input{i}) {
			continue
		}
		list, err := r.read(i.Name)
		switch _, unreadable := errors.AsType[*fs.PathError](err); {
		case len(in) == 1 && errors.Is(err, tfrecord.ErrNotTFRecord):
			return nil, nil, neither(i.Name)
		case errors.Is(err, errPart):
			return nil, nil, &partsError{i.Name}
		case errors.Is(err, errNone), unreadable: // reading records will fail with the reason
		case len(in) > 1:
			return nil, nil, cli.Usagef("%s is statistics, which are taken alone, and there are %s; what tfparse stats writes with --partial can be put together", i.Name, cli.Plural(int64(len(in)), "file"))
		default:
			return list, r.Details, reading.Named(i.Name, err)
		}
	}
	return nil, nil, nil
}

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

// streamed is given for what can be read once only.
func streamed(e *cli.Env, in *recordscan.Input) (*pb.DatasetFeatureStatisticsList, *stats.Details, error) {
	from := io.NopCloser(e.Stdin)
	if in.Name != recordscan.Stdin {
		f, err := storage.Open(in.Name)
		if err != nil {
			return nil, nil, nil // as above
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
