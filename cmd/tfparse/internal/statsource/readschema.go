package statsource

import (
	"errors"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/internal/pbtext"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
)

// ReadSchema reads a schema, text or binary, and returns the text if it is one.
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
	if what := whatIs(b[:min(len(b), maxLook)]); what != "" {
		err = errors.New("want a schema, got " + what)
	}
	return nil, nil, cli.BadSpec(name, err)
}
