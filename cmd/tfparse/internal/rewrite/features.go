package rewrite

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/internal/namelist"
)

// A featureEdit is a verb that changes features. Each goroutine has its own Edits: one for the features of an
// Example or of a context, and one for the feature lists or the examples of other messages.
type featureEdit struct {
	recordTransform
	edit func(context, lists *example.Edit) // adds the changes to the Edits; lists is nil for Examples
}

func (v *featureEdit) runEdit(e *cli.Env, args []string) error {
	v.newTransform = func(t example.MessageType) transform {
		var features, lists example.Edit
		if t == example.TypeExample {
			v.edit(&features, nil)
			return func(dst, rec []byte) ([]byte, error) { return features.Append(dst, rec, t) }
		}
		v.edit(&features, &lists)
		var half []byte
		return func(dst, rec []byte) (_ []byte, err error) {
			if half, err = features.Append(half[:0], rec, t); err != nil {
				return dst, err
			}
			return lists.AppendLists(dst, half, t)
		}
	}
	return v.recordTransform.runTransform(e, args, "the input has no records")
}

// Project returns the verb project, which keeps or drops features.
func Project() *cli.Command {
	v := &featureEdit{}
	var filter scan.FeatureFilter
	return &cli.Command{
		Name: "project",
		Flags: func(fs *pflag.FlagSet) {
			filter.Add(fs, "keep")
			v.addTransformFlags(fs)
		},
		Run: func(e *cli.Env, args []string) error {
			if !filter.Given() {
				return cli.Usagef("want --select or --drop")
			}
			if _, err := filter.List(nil); err != nil {
				return err
			}
			v.sought = scan.NewFeatureSearch("--select")
			v.prepare = func() error {
				list, err := v.reading.FilterFeatures(e, v.in, &filter)
				if err != nil {
					return err
				}
				v.sought.AddList(list)
				v.edit = func(features, lists *example.Edit) {
					filterEdit(features, list)
					if lists != nil {
						filterEdit(lists, list)
					}
				}
				return nil
			}
			return v.runEdit(e, args)
		},
	}
}

// filterEdit makes an Edit keep the features that a list includes. For names in the list, repeated map entries are resolved;
// for names that match a pattern, they are copied unchanged.
func filterEdit(edit *example.Edit, list *namelist.List) {
	for _, item := range list.All() {
		switch {
		case item.Pattern:
		case list.Includes([]byte(item.Text)):
			edit.Keep(item.Text)
		default:
			edit.Delete(item.Text)
		}
	}
	if list.HasPatterns() {
		edit.Filter(list.Includes)
	}
}

// cutName splits NAME=REST. In a name of the form b64:DIGITS, padding with "=" belongs to the name.
func cutName(text string) (name, rest string, ok bool) {
	i := strings.IndexByte(text, '=')
	if code, is := strings.CutPrefix(text, "b64:"); is && i >= 0 {
		if digits := strings.IndexByte(code, '='); digits%4 > 0 {
			if padding := strings.Repeat("=", 4-digits%4); strings.HasPrefix(text[i:], padding+"=") {
				i += len(padding)
			}
		}
	}
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+1:], true
}

// parsePair reads OLD=NEW.
func parsePair(flag, text string) (first, second string, err error) {
	a, b, ok := cutName(text)
	if !ok {
		return "", "", cli.Usagef("--%s %s: want two names with = between them", flag, text)
	}
	names, err := cli.NameList{a, b}.Names(flag)
	if err != nil {
		return "", "", err
	}
	return names[0], names[1], nil
}

// Rename returns the verb rename, which renames features.
func Rename() *cli.Command {
	v := &featureEdit{}
	var pairs []string
	return &cli.Command{
		Name: "rename",
		Flags: func(fs *pflag.FlagSet) {
			fs.StringArrayVar(&pairs, "name", nil, "rename, as `OLD=NEW`; repeatable")
			v.addTransformFlags(fs)
		},
		Run: func(e *cli.Env, args []string) error {
			if len(pairs) == 0 {
				return cli.Usagef("want --name OLD=NEW")
			}
			renames := map[string]string{}
			var order [][2]string
			v.sought = scan.NewFeatureSearch("--name")
			targets := map[string]bool{}
			for _, p := range pairs {
				from, to, err := parsePair("name", p)
				switch {
				case err != nil:
					return err
				case from == to:
					return cli.Usagef("--name %s: the names are the same", p)
				case renames[from] != "" || targets[to]:
					return cli.Usagef("--name %s: the name is given twice", p)
				}
				renames[from], targets[to] = to, true
				order = append(order, [2]string{from, to})
				v.sought.Add(scan.InContext|scan.InLists, from)
			}
			v.edit = func(features, lists *example.Edit) {
				for _, edit := range []*example.Edit{features, lists} {
					for _, r := range order {
						if edit != nil {
							edit.Rename(r[0], r[1])
						}
					}
				}
			}
			return v.runEdit(e, args)
		},
	}
}

// Set returns the verb set, which sets features to constants or copies.
func Set() *cli.Command {
	v := &featureEdit{}
	var values, copies []string
	var examples bool
	return &cli.Command{
		Name: "set",
		Flags: func(fs *pflag.FlagSet) {
			fs.StringArrayVar(&values, "value", nil, "set a feature, as `NAME=JSON`; repeatable")
			fs.StringArrayVar(&copies, "copy", nil, "copy a feature, as `NEW=OLD`; repeatable")
			fs.BoolVar(&examples, "examples", false, "set features of each example of an elwc record")
			v.addTransformFlags(fs)
		},
		Run: func(e *cli.Env, args []string) error {
			if len(values)+len(copies) == 0 {
				return cli.Usagef("want --value NAME=JSON or --copy NEW=OLD")
			}
			targets := map[string]bool{}
			constants := map[string]example.Value{}
			for _, text := range values {
				name, value, err := parseValue(text)
				if err != nil {
					return err
				}
				if targets[name] {
					return cli.Usagef("--value %s: the feature is set twice", text)
				}
				targets[name], constants[name] = true, value
			}
			var pairs [][2]string
			v.sought = scan.NewFeatureSearch("--copy")
			where := scan.InContext
			if examples {
				where = scan.InLists
			}
			for _, text := range copies {
				to, from, err := parsePair("copy", text)
				switch {
				case err != nil:
					return err
				case to == from:
					return cli.Usagef("--copy %s: the names are the same", text)
				case targets[to]:
					return cli.Usagef("--copy %s: the feature is set twice", text)
				}
				targets[to] = true
				pairs = append(pairs, [2]string{from, to})
				v.sought.Add(where, from)
			}
			v.checkType = func(t example.MessageType) error {
				if examples && t != example.TypeExampleList {
					return cli.Usagef("--examples: want ExampleListWithContext records, got type %v", t)
				}
				return nil
			}
			v.edit = func(features, lists *example.Edit) {
				if examples {
					features = lists
				}
				for name, value := range constants {
					features.Set(name, value)
				}
				for _, p := range pairs {
					features.Copy(p[0], p[1])
				}
			}
			return v.runEdit(e, args)
		},
	}
}

// parseValue reads NAME=JSON.
func parseValue(text string) (name string, v example.Value, err error) {
	name, value, ok := cutName(text)
	if !ok {
		return "", v, cli.Usagef("--value %s: want NAME=JSON", text)
	}
	parsed, err := cli.NameList{name}.Names("value")
	if err != nil {
		return "", v, err
	}
	value = strings.TrimSpace(value)
	if value != "" && !strings.ContainsAny(value[:1], "[{") && value != "null" {
		value = "[" + value + "]"
	}
	msg, err := recordjson.NewEncoder(example.TypeExample, nil).Append(nil, []byte(`{"x":`+value+"}"))
	var x example.Example
	if err == nil {
		err = x.UnmarshalBinary(msg)
	}
	if err != nil || len(x) > 1 {
		return "", v, cli.Usagef("--value %s: want JSON after the =, such as 3, [0.5] or '\"text\"'", text)
	}
	return parsed[0], x["x"], nil
}
