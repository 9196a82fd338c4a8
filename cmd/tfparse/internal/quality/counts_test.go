package quality

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/validate/record"
)

// TestCountsAreBounded adds findings of many features, as records with random names have
// them: those beyond the limits are counted together, and few are kept.
func TestCountsAreBounded(t *testing.T) {
	const records, each = 300, 100
	for _, c := range []struct {
		name        string
		rows, bytes int
	}{{"f%d_%d", maxPairs, maxNames}, {strings.Repeat("x", 10_000) + "%d_%d", maxNames/10_002 + 1, maxNames}} {
		f, all := &findings{}, record.NewSummary(2)
		for r := range records {
			found := []record.Finding{{Rule: "OLD", Feature: "age", Step: -1, ValueIndex: 0, Count: 2, Example: -1}}
			for i := range each {
				found = append(found, record.Finding{Rule: "NEW", Feature: fmt.Sprintf(c.name, r, i), Step: -1, ValueIndex: -1, Count: 1, Example: -1, Warning: r < 200})
			}
			all.Add(record.Place{Record: int64(r)}, 1, found)
		}
		f.addRecords(all)
		rows, sums := f.counts.rows(), f.counts.sum()
		if len(rows) > c.rows || f.counts.names > c.bytes || len(f.all) > len(rows)+4 {
			t.Errorf("%d rows with names of %d bytes, and %d findings to print", len(rows), f.counts.names, len(f.all))
		}
		if n := rows[0]; n.Feature != "age" || n.Findings != records || n.Values != 2*records || n.Records != records || n.Severity != "error" {
			t.Errorf("the first row is %+v", n)
		}
		if sums.Findings != records*(each+1) || sums.Records != records || f.errors != records+100*each {
			t.Errorf("%+v in all and %d errors, wanted %d findings in %d records", sums, f.errors, records*(each+1), records)
		}
		sum := f.counts.other.Findings
		for _, n := range rows {
			sum += n.Findings
		}
		if sum != sums.Findings || f.hidden()+uint64(len(f.all)) != sum {
			t.Errorf("%d findings in rows, and %d of them hidden, wanted %d in all", sum, f.hidden(), sums.Findings)
		}
	}
}
