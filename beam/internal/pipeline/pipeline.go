// Package pipeline runs pipelines, and shortens their errors to one line.
package pipeline

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// attempts is the maximum number of runs of a pipeline that fails by the defect of prism below.
const attempts = 3

// Run runs a pipeline on a runner, again if it fails by a defect of prism: every transform of this module can run again.
func Run(ctx context.Context, runner string, p *beam.Pipeline) (beam.PipelineResult, error) {
	for i := 1; ; i++ {
		result, err := beam.Run(ctx, runner, p)
		if err == nil || i == attempts || !defect(err) || ctx.Err() != nil {
			return result, err
		}
	}
}

// defect reports whether an error is from a defect of prism: prism asks a worker for the progress of each stage that has not ended
// within 100 ms, and stages that group elements have no worker. On a busy machine such stages can take that long.
func defect(err error) bool {
	text := err.Error()
	return strings.Contains(text, "panic in stage.Execute bundle processing goroutine: runtime error: invalid memory address") && strings.Contains(text, "envID: ")
}

// Prefixes of the cause in errors of Beam: the transform, "DoFn[UID:4, PID:e3, Name: path.fn] failed:", and the job.
var (
	ofTransform = regexp.MustCompile(`(?s)^.*DoFn\[[^\n]*\] failed:\s*`)
	ofJob       = regexp.MustCompile(`(?s)^job [^\n]* failed:\s*`)
)

// Cause returns the error of the transform that made a pipeline fail, without the plan that Beam prints around it, or else the
// error on one line.
func Cause(err error) error {
	text := ofJob.ReplaceAllString(err.Error(), "")
	text = ofTransform.ReplaceAllString(text, "")
	text, _, _ = strings.Cut(text, "stackTrace:")
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, `\n`, " ")), " ")
	return errors.New(text)
}
