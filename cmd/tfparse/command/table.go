package command

import (
	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/compare"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/encode"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/export"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/files"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/quality"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/records"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/rewrite"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/schema"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/serving"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/viewer"
)

// groups returns the verbs, grouped and ordered as in the help.
func groups() []cli.Group {
	return []cli.Group{
		{Title: "Look", Verbs: []*cli.Command{
			records.Cat(),
			records.Head(),
			records.Tail(),
			records.Get(),
			records.Sample(),
			viewer.Command(),
			records.Extract(),
			export.Command(),
			files.Count(),
			files.CountMerge(),
			files.Info(),
			compare.Du(),
		}},
		{Title: "Check", Verbs: []*cli.Command{
			files.Verify(),
			files.VerifyMerge(),
			quality.Validate(),
			quality.ValidateMerge(),
			records.Explain(),
		}},
		{Title: "Rewrite", Verbs: []*cli.Command{
			rewrite.Convert(),
			rewrite.Merge(),
			rewrite.Split(),
			rewrite.Filter(),
			rewrite.Project(),
			rewrite.Rename(),
			rewrite.Set(),
			rewrite.Sort(),
			rewrite.Shuffle(),
			rewrite.Dedup(),
			encode.Command(),
			files.Recover(),
			files.Index(),
		}},
		{Title: "Compare", Verbs: []*cli.Command{
			compare.Diff(),
			compare.Digest(),
			compare.Skew(),
			quality.Drift(),
		}},
		{Title: "Learn", Verbs: []*cli.Command{
			schema.Command(),
			quality.Stats(),
			quality.Merge(),
		}},
		{Title: "Models", Verbs: []*cli.Command{
			serving.Model(),
			serving.Request(),
			serving.Warmup(),
		}},
	}
}
