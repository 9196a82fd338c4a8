package statsource

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/pbtext"
	"github.com/tfparse/tfparse/internal/storage"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

// refuseOther returns an error if a file, which is not a TFRecord, has a known content other than statistics and
// records.
func refuseOther(name string) error {
	f, err := storage.Open(name)
	if err != nil {
		return nil // reading records will fail with the reason
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxInspected))
	if err != nil {
		return nil
	}
	if what := describeFile(b); what == "a schema" || what == "a spec" {
		return wrongInput(name, what)
	}
	return nil
}

// wrongInput returns the error about a file that is neither statistics nor records.
func wrongInput(name, what string) error {
	return fmt.Errorf("%s: want statistics or records, got %s", name, what)
}

// readOne reads statistics from a file or standard input. It returns nil for a file of records, and a partsError for an
// output of --partial. In both cases in can still be read from its beginning.
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
		return nil, nil, refuseOther(in.Name)
	case errors.Is(err, errNotStatistics), unreadable: // reading records will fail with the reason
		return nil, nil, nil
	}
	return list, r.Details, scan.Named(in.Name, err)
}

// A partsError says that a file is an output of --partial, where statistics or records are expected.
type partsError struct{ name string }

func (e *partsError) Error() string { return wrongInput(e.name, partText).Error() }

// ReadSchema reads a schema in the text or binary form. The second result is the text; nil for the binary form.
func ReadSchema(e *cli.Env, name string) (*pb.Schema, []byte, error) {
	b, err := scan.ReadFile(e, name)
	if err != nil {
		return nil, nil, cli.BadSpec(name, err)
	}
	s := &pb.Schema{}
	text, err := pbtext.Read(b, s)
	if err == nil {
		if !text {
			b = nil
		}
		return s, b, nil
	}
	if what := describeFile(b[:min(len(b), maxInspected)]); what != "" {
		err = errors.New("want a schema, got " + what)
	}
	return nil, nil, cli.BadSpec(name, err)
}

// partText describes an output of --partial, and says what to do with it.
const partText = "an output of --partial; tfparse stats merge -o FILE.pb merges it"

// maxInspected is the number of bytes that describeFile gets of a file.
const maxInspected = 16 << 20

// describeFile names the content of a file that a verb cannot use; it returns "" for an unknown content.
func describeFile(b []byte) string {
	var r fileReader
	spec := feature.Spec{}
	switch _, _, err := r.readStream(bytes.NewReader(b), ""); {
	case len(b) == 0:
		return "nothing: it is empty"
	case errors.Is(err, errPart):
		return partText
	case !errors.Is(err, errNotStatistics):
		return "statistics"
	case isRecords(b):
		return "records"
	case bytes.HasPrefix(b, []byte{0x1f, 0x8b}):
		return "gzip data"
	case isSchema(b):
		return "a schema"
	case spec.UnmarshalJSON(b) == nil:
		return "a spec"
	}
	return ""
}

// isSchema reports whether b is a schema in either form.
func isSchema(b []byte) bool {
	_, err := pbtext.Read(b, &pb.Schema{})
	return err == nil
}

// isRecords reports whether b begins with an intact record of a TFRecord.
func isRecords(b []byte) bool {
	_, err := tfrecord.NewReader(bytes.NewReader(b), nil).Next()
	return err == nil
}
