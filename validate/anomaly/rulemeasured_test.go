package anomaly_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/drift"
	"github.com/tfparse/tfparse/validate/stats"
)

// described returns the statistics of records without details, as in a file.
func described(t testing.TB, n int, record func(i int) example.Example) *pb.DatasetFeatureStatisticsList {
	t.Helper()
	return describedIn(t, 100, n, record)
}

// describedIn is described with a number of quantiles.
func describedIn(t testing.TB, quantiles, n int, record func(i int) example.Example) *pb.DatasetFeatureStatisticsList {
	t.Helper()
	a, err := stats.New(&stats.Options{Quantiles: quantiles, RankedValues: 5})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		e := record(i)
		b, err := e.MarshalBinary()
		if err == nil {
			err = a.Add(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	list, _, err := a.Detailed(1)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// shop makes orders: amounts 0 to 999, three cities, numbers of which 5 are infinite, a tag, and tags that are empty in 40 orders.
func shop(shift float64) func(i int) example.Example {
	r := rand.New(rand.NewPCG(1, uint64(shift)))
	return func(i int) example.Example {
		e := example.Example{
			"amount": example.Floats(float32(i)), "city": example.Strings([]string{"Oslo", "Oslo", "Rome", "Bern"}[i%4]), "user": example.Strings(fmt.Sprint("u", i)),
			"normal": example.Floats(float32(r.NormFloat64() + shift)), "wild": example.Floats(1), "tags": example.Int64s(1, 2, 3), "tag": example.Int64s(1),
		}
		if i < 5 {
			e["wild"] = example.Floats(float32(math.Inf(1 - 2*(i%2))))
		}
		if i < 40 {
			e["tags"], e["tag"] = example.Int64s(), example.Int64s()
		}
		return e
	}
}

// TestMeasured checks statistics with an argument, and the counts of infinities and of empty lists.
func TestMeasured(t *testing.T) {
	data := ruleData{Now: described(t, 1000, shop(0)), Before: described(t, 1000, shop(0.5))}
	for text, want := range map[string]string{
		"quantile(amount, 0.99) in 985..995 && quantile(amount, 0.5) in 495..505": "",
		"quantile(amount, 0) == 0 && quantile(amount, 1) == 999":                  "",
		"quantile(amount, 0.995) < 9":                                             "quantile(amount, 0.995) has no value in the data set: the statistics have quantiles only in steps of 0.01, wanted quantile(amount, 0.995) < 9",
		"quantile(tag, 0.995) == 1":                                               "", // all are 1
		"quantile(amount, 0.25) < 9":                                              "quantile(amount, 0.25) is 250, wanted < 9",
		"quantile(amount, 0.5) / quantile(amount, 0.5) before == 1":               "",
		`share(city, "Oslo") == 0.5 && share(city, "Rome") in 0.24..0.26`:         "",
		`share(city, "Paris") == 0 && share(city, "Oslo") > 0.9`:                  `share(city, "Oslo") is 0.5, wanted > 0.9`,
		`share(user, "me") < 1`:                                                   `share(user, "me") has no value in the data set: the label is not among the 5 most frequent values, wanted share(user, "me") < 1`,
		"num_inf(wild) == 5 && num_inf(amount) == 0 && num_inf >= 0":              "",
		"num_inf == 0":                      "num_inf is 5, wanted == 0",
		"num_empty(tag) == 40":              "",
		"num_empty / num_non_missing < .01": "num_empty / num_non_missing is 0.04, wanted < 0.01 (num_empty 40, num_non_missing 1000)",
		"num_empty(amount) == 0":            "",
		"num_empty(tags) < 50":              "num_empty(tags) has no value in the data set: the statistics do not count empty lists if other lists have several values, wanted num_empty(tags) < 50",
		"jensen_shannon(amount) before == 0 && kolmogorov_smirnov(amount) before == 0 && l_infinity(city) before == 0": "",
		"jensen_shannon(gone) before < 1": "",
	} {
		all, err := data.check(text)
		if strings.Contains(text, "gone") {
			if err == nil || !strings.Contains(err.Error(), `there is no feature "gone"`) {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		var got []string
		for _, v := range all {
			got = append(got, v.Text)
		}
		if err != nil || strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, %v, want %s", text, got, err, want)
		}
	}
}

// TestQuantileOfTies checks the quantiles at bucket boundaries of repeated numbers, whose buckets differ in size.
func TestQuantileOfTies(t *testing.T) {
	numbers := []float32{}
	for i := range 1000 {
		numbers = append(numbers, float32((i*i/1000)/70*5))
	}
	set := make([]string, 11)
	for i := range set {
		set[i] = fmt.Sprintf("quantile(amount, %v) == %v", float64(i)/10, numbers[min(i*100, 999)])
	}
	list := describedIn(t, 10, len(numbers), func(i int) example.Example { return example.Example{"amount": example.Floats(numbers[i*7%1000])} })
	all, err := ruleData{Now: list}.check(strings.Join(set, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		t.Error(v.Text)
	}
}

// TestDistances checks that the distances in rules are those of package drift, and 0 within the noise.
func TestDistances(t *testing.T) {
	now, before := described(t, 1000, shop(0)), described(t, 1000, shop(0.5))
	report, err := drift.Compare(now, before, nil)
	if err != nil {
		t.Fatal(err)
	}
	compared, above := 0, 0
	for _, f := range report.Features {
		for _, d := range f.Distances {
			switch d.Measure {
			case drift.Presence, drift.Emptiness, drift.NormalizedDifference:
				continue
			}
			want := 0.0
			if d.AboveNoise {
				want = d.Value
				above++
			}
			compared++
			if all, err := (ruleData{Now: now, Before: before}).check(fmt.Sprintf("%v(%s) before in %v..%v", d.Measure, f.Name(), want, want)); err != nil || len(all) > 0 {
				t.Errorf("%s: %+v: %v, %v", f.Name(), d, all, err)
			}
		}
	}
	if compared < 15 || above < 3 {
		t.Errorf("%d distances, %d above the noise", compared, above)
	}
	all, err := ruleData{Now: now, Before: before}.check("kolmogorov_smirnov before < 0.1 # of each feature of numbers")
	if err != nil || len(all) != 1 || all[0].Path[0] != "normal" || !strings.HasPrefix(all[0].Text, "kolmogorov_smirnov before is 0.2") {
		t.Errorf("%v, %v", all, err)
	}
}
