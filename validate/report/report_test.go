package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/internal/test/reports"
	"github.com/tfparse/tfparse/internal/test/testkit"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/report"
)

func ExampleWrite() {
	statistics := reports.List(reports.Numbers(20, "fare"), reports.Labels(3, reports.City, "city"))
	var page bytes.Buffer
	err := report.Write(&page, &report.Input{Title: "Taxi trips", Sides: []report.Side{{Name: "May", Statistics: statistics}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(page.String(), "<title>Taxi trips</title>"))
	// Output: true
}

// bare makes statistics of many features with few fields.
func bare(n int) *pb.DatasetFeatureStatisticsList {
	var features []*pb.FeatureNameStatistics
	for i := range n {
		features = append(features, &pb.FeatureNameStatistics{FieldId: reports.Path(fmt.Sprint(i)), Type: pb.FeatureNameStatistics_STRING, Stats: &pb.FeatureNameStatistics_StringStats{StringStats: &pb.StringStatistics{Unique: 1}}})
	}
	return reports.List(features...)
}

func TestStructure(t *testing.T) {
	page := parse(t, write(t, reports.Sample()))
	same(t, "h1", texts(page.named("h1")), []string{"Trips of a week"})
	same(t, "h2", texts(page.named("h2")), []string{"All Examples"})
	same(t, "h3", texts(page.named("h3")), []string{"fare", "gone", "state", "city", "picture", "##SEQUENCE##", "##SEQUENCE## › stop", "age"})
	same(t, "kinds", texts(page.class("kind")), []string{"float", "missing", "string", "string", "bytes", "struct", "float", "float"})
	same(t, "columns", texts(page.class("all")[0].named("thead")[0].named("th")), []string{"Feature", "Type", "Distribution", "Anomalies", "Present", "Values in each", "Different", "Zeros", "Mean", "Minimum", "Median", "Maximum"})
	for _, e := range page.class("all")[0].named("tbody")[0].named("tr") {
		if n := len(e.named("td")) + len(e.named("th")); n != 12 {
			t.Errorf("a row of %d cells, wanted 12", n)
		}
	}
	// Anomalies are next to the feature.
	for i, want := range [][]string{{"error FLOAT_TYPE_BIG_FLOAT Unexpectedly large value: 25."}, {"error SCHEMA_MISSING_COLUMN Column is completely missing."}, {"warning SCHEMA_NEW_COLUMN New column."}, nil, nil, nil, nil, nil} {
		var got []string
		for _, f := range page.class("feature")[i].class("findings") {
			got = append(got, texts(f.named("li"))...)
		}
		same(t, fmt.Sprintf("anomalies of feature %d", i), got, want)
	}
	// Charts have a description and a table.
	fare := page.class("feature")[0]
	for i, want := range map[int]string{0: "10 bars from 15 to 25; most, 19.6%, from 19 to 20.", 3: "10 parts of equal weight from 15 to 25; half lie below 20."} {
		g := fare.named("figure")[i]
		if got := texts(g.named("desc")); len(got) != 1 || got[0] != want {
			t.Errorf("described as %q, wanted %q", got, want)
		}
		if n := len(bars(g)); n != 10 {
			t.Errorf("%d numbers under the chart, wanted 10", n)
		}
		if g.named("svg")[0].attr["role"] != "img" {
			t.Error("a chart is no image")
		}
	}
	same(t, "first rows", texts(fare.class("stats")[0].named("td")), []string{"90 (90.0%)", "10 (10.0%)", "90", "1", "20", "2.5", "15", "20", "25", "1 (1.1%)"})
	top := page.section(t, "city").class("top")[0].named("tbody")[0].named("tr")
	same(t, "the most frequent", texts(top[0].below), []string{"city 00", "", "500", "13.5%"})
	if len(top) != 20 {
		t.Errorf("%d values, wanted 20", len(top))
	}
	// Without the script all content is visible, and controls that need the script are not.
	if n := len(page.named("button")); n != 0 {
		t.Errorf("%d buttons in the markup; the script makes them", n)
	}
	for _, e := range page.all(func(e *element) bool { _, hidden := e.attr["hidden"]; return hidden }) {
		if e.name != "search" && e.attr["class"] != "hint quiet" {
			t.Errorf("a hidden %s", e.name)
		}
	}
	if got := texts(page.section(t, "##SEQUENCE##").class("children")); len(got) != 1 || got[0] != "Holds stop" {
		t.Errorf("in the struct: %q", got)
	}
	// Every link has a target, and every id is unique.
	ids := map[string]bool{}
	for _, e := range page.all(func(e *element) bool { return e.attr["id"] != "" }) {
		if ids[e.attr["id"]] {
			t.Errorf("the id %s is there twice", e.attr["id"])
		}
		ids[e.attr["id"]] = true
	}
	for _, a := range page.named("a") {
		if id, ok := strings.CutPrefix(a.attr["href"], "#"); !ok || !ids[id] {
			t.Errorf("a link to %q", a.attr["href"])
		}
	}
	for _, e := range page.all(func(e *element) bool { return e.attr["aria-labelledby"] != "" }) {
		if !ids[e.attr["aria-labelledby"]] {
			t.Errorf("nothing is called %s", e.attr["aria-labelledby"])
		}
	}
}

// TestHeader checks that the header contains the size of the files, and that names are cut without
// their length.
func TestHeader(t *testing.T) {
	in := reports.Sample()
	in.Sides[0].Name, in.Sides[0].Size = "data_tfrecord-00000-of-00012.gz and 11 more files", "404.2 KiB"
	page := parse(t, write(t, in))
	same(t, "header", texts(page.class("key")), []string{"data_tfrecord-00000-of-00012.gz and 11 more files, total size 404.2 KiB"})
	in.Title, in.Sides[0].Name, in.Sides[0].Size = strings.Repeat("name ", 100), strings.Repeat("x", 97), ""
	page = parse(t, write(t, in))
	same(t, "without a size", texts(page.class("key")), []string{strings.Repeat("x", 95) + "…"})
	if got := texts(page.named("h1"))[0]; strings.Contains(got, "bytes") || !strings.HasSuffix(got, "…") {
		t.Errorf("title %q", got)
	}
}

func TestTwoSides(t *testing.T) {
	page := parse(t, write(t, reports.TwoSides()))
	same(t, "sides", texts(page.class("key")[0].named("li")), []string{"A monday", "B tuesday"})
	same(t, "facts", texts(page.class("facts")[0].named("tbody")[0].named("tr")[0].named("td")), []string{"100", "7", "1 bytes, 3 float, 2 string, 1 struct", "5,249", "4 of 7"})
	// Features that cannot be compared come first, then those with the largest distance. The reason or distance is next to the name.
	same(t, "beside the names", texts(page.class("only")), []string{"only in monday", "only in monday", "only in monday", "only in monday", "only in tuesday", "Kolmogorov-Smirnov 0.579", "Jensen-Shannon 0.406", "L-infinity 0.156"})
	same(t, "order", texts(page.named("h3")), []string{"picture", "##SEQUENCE##", "##SEQUENCE## › stop", "age", "new", "fare", "city", "state"})
	city := page.section(t, "city")
	same(t, "distances", texts(city.class("stats")[1].named("th")), []string{"L-infinity distance", "Normalized difference", "Jensen-Shannon divergence, less chance", "Population stability index, less chance", "Presence difference", "Empty lists difference"})
	if got := texts(city.class("why")); len(got) == 0 || !strings.HasSuffix(got[0], "most: city 59") {
		t.Errorf("the label that differs most: %q", got)
	}
	// The most frequent values of either side are listed, with both counts.
	rows := city.class("top")[0].named("tbody")[0].named("tr")
	same(t, "the most frequent of A", texts(rows[0].below), []string{"city 00", "", "500", "13.5%", "", "16", "0.4%"})
	if got := texts(rows[19].below); got[0] < "city 50" {
		t.Errorf("the last row is %q, wanted one of those of B", got)
	}
	fare := page.section(t, "fare").named("figure")[0]
	if n := len(fare.named("path")); n != 4 {
		t.Errorf("%d paths, wanted two for each side", n)
	}
	if got := texts(fare.named("desc"))[0]; !strings.HasPrefix(got, "A: 10 bars from 15 to 27;") || !strings.Contains(got, ". B: 10 bars from 15 to 27;") {
		t.Errorf("described as %q", got)
	}
	if got := bars(fare)[0]; len(got) != 4 || got[0] != "A" {
		t.Errorf("numbers: %q", got)
	}
}

func TestDeterministic(t *testing.T) {
	for _, make := range []func() *report.Input{reports.Sample, reports.TwoSides, reports.Hostile} {
		want := write(t, make())
		for range 5 {
			if write(t, make()) != want {
				t.Fatal("two pages of the same input differ")
			}
		}
	}
}

// TestPolicy checks that the policy of the page allows only its own style and script.
func TestPolicy(t *testing.T) {
	page := write(t, reports.Hostile())
	content := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`).FindStringSubmatch(page)
	if content == nil || strings.Index(page, content[0]) > strings.Index(page, "<style>") {
		t.Fatal("no policy in front of the style")
	}
	policy := map[string]string{}
	for part := range strings.SplitSeq(html.UnescapeString(content[1]), ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), " ")
		policy[name] = value
	}
	for name, tag := range map[string]string{"style-src": "style", "script-src": "script"} {
		in := regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllStringSubmatch(page, -1)
		if len(in) != 1 {
			t.Fatalf("%d elements %s, wanted one", len(in), tag)
		}
		sum := sha256.Sum256([]byte(in[0][1]))
		if want := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; policy[name] != want {
			t.Errorf("%s %s, wanted %s", name, policy[name], want)
		}
	}
	for name, want := range map[string]string{"default-src": "'none'", "base-uri": "'none'", "form-action": "'none'", "img-src": "data:", "require-trusted-types-for": "'script'", "trusted-types": "tfparse"} {
		if policy[name] != want {
			t.Errorf("%s %s, wanted %s", name, policy[name], want)
		}
	}
	if len(policy) != 8 {
		t.Errorf("the policy allows more: %v", policy)
	}
}

// The elements and attributes that pages may have.
var (
	ours       = strings.Fields("html head meta link title style script body a header h1 h2 h3 h4 ul li p span strong bdi search form label input select option main nav section table caption thead tbody tr th td div svg path rect desc article details summary figure figcaption code footer pre noscript dl dt dd line text wbr")
	attributes = strings.Fields("lang charset http-equiv content name rel href class id aria-label aria-hidden aria-labelledby hidden autocomplete type spellcheck value role tabindex scope rowspan colspan data-c data-text data-of data-v data-u data-g data-d x y x1 x2 y2 viewBox preserveAspectRatio d width")
)

// TestHostile checks that names and values cannot add markup or mislead a reader.
func TestHostile(t *testing.T) {
	text := write(t, reports.Hostile())
	if strings.Contains(text, "ZgotmplZ") {
		t.Error("the template does not know where it is")
	}
	// Tables of numbers have tabs, and no names.
	untabbed := regexp.MustCompile(`<pre class="text">[^<]*</pre>`).ReplaceAllStringFunc(text, func(s string) string { return strings.ReplaceAll(s, "\t", " ") })
	if i := strings.IndexFunc(untabbed, func(r rune) bool {
		return r < ' ' && r != '\n' || r == 0x7f || r == 0xfffd || r >= 0x200b && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff
	}); i >= 0 {
		t.Errorf("a character that cannot be seen: %q", untabbed[max(0, i-20):i+20])
	}
	page := parse(t, text)
	for _, e := range page.all(func(*element) bool { return true }) {
		if !contains(ours, e.name) {
			t.Errorf("an element %q", e.name)
		}
		for name, value := range e.attr {
			if !contains(attributes, name) {
				t.Errorf("an attribute %s=%q of %s", name, value, e.name)
			}
			if name == "href" && !regexp.MustCompile(`^(#main|#s\d+|#s\d+f\d+r?|data:,)$`).MatchString(value) {
				t.Errorf("a link to %q", value)
			}
		}
	}
	names := texts(page.named("h3"))
	for _, want := range []string{"</script><img src=x onerror=alert(1)>", "javascript:alert(3)", `"abc\u202egnp.exe"`, `"nul\x00byte"`, `"bytes \xff\xfe\x80"`, `"  "`, `""`, `"line\nbreak"`, "&amp;&lt;", "{{.Policy}}", "__proto__"} {
		if !contains(names, want) {
			t.Errorf("%q is not shown; there are %.2000q", want, names)
		}
	}
	long := page.class("long")
	if len(long) == 0 || !strings.Contains(long[0].text, "long long") {
		t.Error("a long name is nowhere to be read")
	}
	for _, n := range names {
		if len(n) > 2000 {
			t.Errorf("a heading of %d bytes", len(n))
		}
	}
	if n := len(text); n > 1<<20 {
		t.Errorf("%d bytes for 75 features", n)
	}
}

func contains(all []string, s string) bool {
	for _, a := range all {
		if a == s {
			return true
		}
	}
	return false
}

// TestNumbers draws charts of NaN, infinities and other invalid numbers.
func TestNumbers(t *testing.T) {
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.MaxFloat64, -math.MaxFloat64, 5e-324, -1, 1}
	var features []*pb.FeatureNameStatistics
	for i, a := range odd {
		for j, b := range odd {
			f := reports.Numbers(a, fmt.Sprint(i, j))
			for _, h := range f.GetNumStats().Histograms {
				h.NumNan = 3
				for k, c := range odd {
					h.Buckets = append(h.Buckets[:k], &pb.Histogram_Bucket{LowValue: a, HighValue: b, SampleCount: c})
				}
			}
			f.GetNumStats().CommonStats.NumValuesHistogram = f.GetNumStats().Histograms[1]
			f.GetNumStats().CommonStats.MaxNumValues = math.MaxUint64
			f.GetNumStats().CommonStats.NumMissing = math.MaxUint64
			features = append(features, f)
		}
	}
	text := write(t, &report.Input{Sides: []report.Side{{Statistics: reports.List(features...)}}})
	coordinates := regexp.MustCompile(`^(M-?[\d.]+ [\d.]+|[VH]-?[\d.]+|z)*$`)
	for _, p := range parse(t, text).named("path") {
		if !coordinates.MatchString(p.attr["d"]) {
			t.Fatalf("a path that cannot be drawn: %q", p.attr["d"])
		}
	}
	if !strings.Contains(text, "without 3 NaN") || !strings.Contains(text, "infinite, at the ends") {
		t.Error("NaN are not shown")
	}
}

// TestDamaged checks that damaged statistics give a valid page or an error.
func TestDamaged(t *testing.T) {
	whole, err := proto.Marshal(reports.List(reports.Numbers(1, "a"), reports.Labels(3, reports.City, "b"), reports.Labels(2, reports.City, "c", "d")))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	pages := 0
	count := 100
	if testkit.Long(t, "250 damaged statistics") {
		count = 250
	}
	for range count {
		b := bytes.Clone(whole)
		for range 1 + r.IntN(4) {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		}
		damaged := &pb.DatasetFeatureStatisticsList{}
		if proto.Unmarshal(b, damaged) != nil {
			continue
		}
		var page bytes.Buffer
		if report.Write(&page, &report.Input{Sides: []report.Side{{Statistics: damaged}, {Statistics: damaged}}}) == nil {
			parse(t, page.String())
			pages++
		}
	}
	if pages < count/12 {
		t.Errorf("only %d pages of %d damaged statistics", pages, count)
	}
}

func TestSize(t *testing.T) {
	features := 250
	if testkit.Long(t, "1,000 features") {
		features = 1000
	}
	one, two := reports.Large(features), reports.Large(features)
	for _, c := range []struct {
		sides []report.Side
		most  int
	}{{[]report.Side{{Statistics: one}}, features * 5 << 10}, {[]report.Side{{Statistics: one}, {Statistics: two}}, features * 9 << 10}} {
		n := len(write(t, &report.Input{Sides: c.sides}))
		t.Logf("%d bytes for %d features of %d data sets", n, features, len(c.sides))
		if n > c.most {
			t.Errorf("%d bytes, wanted at most %d", n, c.most)
		}
	}
	// Many buckets and labels are merged.
	wide := reports.Numbers(0, "wide")
	h := wide.GetNumStats().Histograms[0]
	for len(h.Buckets) < 10000 {
		n := float64(len(h.Buckets))
		h.Buckets = append(h.Buckets, &pb.Histogram_Bucket{LowValue: n, HighValue: n + 1, SampleCount: 1})
	}
	n := len(write(t, &report.Input{Sides: []report.Side{{Statistics: reports.List(wide, reports.Labels(10000, reports.City, "labels"))}}}))
	if n > 60<<10 {
		t.Errorf("%d bytes for two features", n)
	}
	// With too many features, the page says how many it omits.
	text := write(t, &report.Input{Sides: []report.Side{{Statistics: bare(report.MaxFeatures + 5)}}})
	if !strings.Contains(text, "Not on this page: 5 more features.") {
		t.Error("features are left out in silence")
	}
}

func TestEmpty(t *testing.T) {
	for name, s := range map[string]*pb.DatasetFeatureStatisticsList{"nil": nil, "no data set": {}, "no examples": {Datasets: []*pb.DatasetFeatureStatistics{{}}},
		"no statistics": reports.List(&pb.FeatureNameStatistics{FieldId: reports.Path("a")}), "no values": reports.List(&pb.FeatureNameStatistics{FieldId: reports.Path("a"), Stats: &pb.FeatureNameStatistics_NumStats{}})} {
		text := write(t, &report.Input{Sides: []report.Side{{Statistics: s}}})
		if name != "no values" && !strings.Contains(text, "No features.") {
			t.Errorf("%s: nothing says that there are no features", name)
		}
		write(t, &report.Input{Sides: []report.Side{{Statistics: s}, {Statistics: reports.List(reports.Numbers(1, "a"))}}})
	}
}

func TestErrors(t *testing.T) {
	for _, sides := range [][]report.Side{nil, make([]report.Side, report.MaxSides+1)} {
		if err := report.Write(io.Discard, &report.Input{Sides: sides}); !errors.Is(err, report.ErrSides) {
			t.Errorf("%d sides: %v", len(sides), err)
		}
	}
	twice := reports.List(reports.Numbers(1, "a"), reports.Numbers(1, "a"))
	if err := report.Write(io.Discard, &report.Input{Sides: []report.Side{{Name: "x", Statistics: twice}}}); err == nil || !strings.Contains(err.Error(), `data set "x"`) {
		t.Errorf("two features of one path: %v", err)
	}
	if err := report.Write(failing{}, reports.Sample()); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a writer that fails: %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrClosed }
