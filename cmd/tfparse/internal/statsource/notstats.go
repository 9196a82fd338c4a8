package statsource

import (
	"bytes"
	"errors"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/pbtext"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/tfrecord"
)

// aPart is what a file holds that --partial wrote, and what to do with it.
const aPart = "a part that --partial wrote: tfparse stats merge -o FILE.pb makes statistics of it"

// maxLook is how much of a file is looked at to say what it is instead.
const maxLook = 16 << 20

// whatIs describes a file that is not what a verb wants; "" if it is not recognized.
func whatIs(b []byte) string {
	var r fileReader
	spec := feature.Spec{}
	switch _, _, err := r.readStream(bytes.NewReader(b), ""); {
	case len(b) == 0:
		return "nothing: it is empty"
	case errors.Is(err, errPart):
		return aPart
	case !errors.Is(err, errNone):
		return "statistics"
	case isRecords(b):
		return "records"
	case bytes.HasPrefix(b, []byte{0x1f, 0x8b}):
		return "what gzip has compressed"
	case isSchema(b):
		return "a schema"
	case spec.UnmarshalJSON(b) == nil:
		return "a spec"
	}
	return ""
}

func isSchema(b []byte) bool {
	_, err := pbtext.Read(b, &pb.Schema{})
	return err == nil
}

func isRecords(b []byte) bool {
	_, err := tfrecord.NewReader(bytes.NewReader(b), nil).Next()
	return err == nil
}
