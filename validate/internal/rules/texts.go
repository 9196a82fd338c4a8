package rules

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

//go:embed texts.txt
var textsFile string

// A text is how a reason is printed: a block of texts.txt, which describes the lines.
type text struct {
	kind                           pb.AnomalyInfo_Type
	warning                        bool
	short, long, native, want, got string
}

// texts are all texts by name. A test reads the file and the names that rules report.
var texts = sync.OnceValue(func() map[string]*text {
	all := map[string]*text{}
	var t *text
	for n, line := range strings.Split(textsFile, "\n") {
		key, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case key == "" || strings.HasPrefix(line, "#"):
		case !strings.HasPrefix(line, " "):
			kind, warning := strings.CutSuffix(rest, " warning")
			t = &text{kind: pb.AnomalyInfo_Type(pb.AnomalyInfo_Type_value[kind]), warning: warning}
			all[key] = t
		default:
			to := map[string]*string{"short": &t.short, "long": &t.long, "native": &t.native, "want": &t.want, "got": &t.got}[key]
			if to == nil {
				panic(fmt.Sprintf("texts.txt:%d: there is no line %q", n+1, key))
			}
			*to = strings.ReplaceAll(strings.TrimSpace(rest), `\s`, " ")
		}
	}
	return all
})

// reason makes a reason of the text with a name, and the arguments of its verbs.
func (c *Config) reason(name string, args ...any) Reason {
	t := texts()[name]
	long := t.long
	if !c.Compat && t.native != "" {
		long = t.native
	}
	return Reason{Type: t.kind, Short: format(t.short, args), Long: format(long, args), Expected: format(t.want, args), Observed: format(t.got, args), Warning: t.warning}
}

func format(s string, args []any) string {
	if !strings.Contains(s, "%") {
		return s
	}
	return fmt.Sprintf(s, args...)
}

// NewColumn is the reason that a feature is not in the schema.
func (c *Config) NewColumn(f *view.Feature) Reason {
	c.needAll(f)
	return c.reason("newColumn", presentIn(f))
}

// Missing is the reason that statistics lack a feature that the schema requires.
func (c *Config) Missing() Reason { return c.reason("missing") }
