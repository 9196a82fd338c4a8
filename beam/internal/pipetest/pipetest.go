// Package pipetest runs pipelines in tests.
package pipetest

import (
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"github.com/tfparse/tfparse/beam/internal/pipeline"
)

// Run runs a pipeline, which must not fail.
func Run(t testing.TB, p *beam.Pipeline) beam.PipelineResult {
	t.Helper()
	result, err := run(t, p)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// Fail runs a pipeline, which must fail, and returns the error.
func Fail(t testing.TB, p *beam.Pipeline) error {
	t.Helper()
	_, err := run(t, p)
	if err == nil {
		t.Fatal("the pipeline has not failed")
	}
	return err
}

func run(t testing.TB, p *beam.Pipeline) (beam.PipelineResult, error) {
	runner := *ptest.Runner
	if runner == "" {
		runner = ptest.DefaultRunner()
	}
	return pipeline.Run(t.Context(), runner, p)
}
