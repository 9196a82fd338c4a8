package statsource

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/reading"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/pbtext"
)

// ReadSchema reads a schema, text or binary, and returns the text if it is one.
func ReadSchema(e *cli.Env, name string) (*pb.Schema, []byte, error) {
	b, err := reading.ReadFile(e, name)
	if err != nil {
		return nil, nil, cli.BadSpec(name, err)
	}
	s := &pb.Schema{}
	err = pbtext.Unmarshal(b, s)
	if err == nil {
		return s, b, nil
	}
	if looksBinary := slices.ContainsFunc(b, func(c byte) bool { return c < '\t' }); looksBinary || filepath.Ext(name) == ".pb" {
		s = &pb.Schema{}
		binary := pbtext.UnmarshalBinary(b, s)
		if binary == nil {
			return s, nil, nil
		}
		err = fmt.Errorf("neither the text of a schema (%v) nor a binary one: %w", err, binary)
	}
	if what := whatIs(b[:min(len(b), maxLook)]); what != "" {
		err = errors.New("want a schema, got " + what)
	}
	return nil, nil, cli.BadSpec(name, err)
}
