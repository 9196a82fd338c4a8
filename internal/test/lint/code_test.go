package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
)

// maxLines is how long a file of Go may be.
const maxLines = 600

func ruleLength(r tree) (faults []string) {
	for _, f := range r.goFiles() {
		if !f.test && !f.generated && f.lines > maxLines {
			faults = append(faults, fmt.Sprintf("%s has %d lines, at most %d are allowed", f.name, f.lines, maxLines))
		}
	}
	return faults
}

// empty are names of packages that say nothing of what is in them.
var empty = []string{"util", "utils", "common", "helper", "helpers", "misc", "shared", "lib"}

func ruleNames(r tree) (faults []string) {
	seen := map[string]bool{}
	for _, f := range r.goFiles() {
		for _, name := range []string{path.Base(f.dir), strings.TrimSuffix(f.ast.Name.Name, "_test")} {
			if slices.Contains(empty, name) && !seen[f.dir] {
				seen[f.dir] = true
				faults = append(faults, fmt.Sprintf("%s: a package called %s", f.dir, name))
			}
		}
	}
	return faults
}

// rulePackageDocs asks for one package comment in every package, in the form
// "Package x …" unless it is a command.
func rulePackageDocs(r tree) (faults []string) {
	type pkg struct {
		name string
		docs []string // files that carry one
		bad  []string // files whose comment begins with something else
		only bool     // it has tests only
	}
	pkgs := map[string]*pkg{}
	var dirs []string
	for _, f := range r.goFiles() {
		p := pkgs[f.dir]
		if p == nil {
			p = &pkg{only: true}
			pkgs[f.dir] = p
			dirs = append(dirs, f.dir)
		}
		if f.test && !strings.HasPrefix(path.Base(f.name), "doc") {
			continue // a test may speak of itself
		}
		p.only = p.only && f.test
		p.name = f.ast.Name.Name
		if f.ast.Doc == nil || f.generated || directive(f.ast.Doc) {
			continue
		}
		p.docs = append(p.docs, f.name)
		if p.name != "main" && !strings.HasPrefix(f.ast.Doc.Text(), "Package "+p.name+" ") {
			p.bad = append(p.bad, f.name)
		}
	}
	for _, dir := range dirs {
		p := pkgs[dir]
		switch {
		case len(p.docs) == 0 && dir == "." && p.only:
			// the root holds no package, only tests of the repository
		case len(p.docs) == 0:
			faults = append(faults, fmt.Sprintf("%s: the package has no comment", dir))
		case len(p.docs) > 1:
			faults = append(faults, fmt.Sprintf("%s: more than one file carries the package comment: %q", dir, p.docs))
		case len(p.bad) > 0:
			faults = append(faults, fmt.Sprintf("%s: the package comment does not begin with \"Package %s \"", p.bad[0], p.name))
		}
	}
	return faults
}

// directive reports whether a comment holds nothing to read.
func directive(c *ast.CommentGroup) bool { return strings.TrimSpace(c.Text()) == "" }

// ruleDocs asks for a comment on everything that others can name: exported
// functions, types, their methods, constants and variables. One comment may
// stand for a group.
func ruleDocs(r tree) (faults []string) {
	for _, f := range r.goFiles() {
		if f.test || f.generated || f.ast.Name.Name == "main" || slices.Contains(strings.Split(f.dir, "/"), "internal") {
			continue
		}
		for _, d := range f.ast.Decls {
			for _, name := range undocumented(d) {
				faults = append(faults, fmt.Sprintf("%s: %s has no doc comment", f.fset.Position(d.Pos()), name))
			}
		}
	}
	return faults
}

func undocumented(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d))) && d.Doc == nil {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		if d.Tok == token.IMPORT || d.Doc != nil && d.Tok != token.TYPE {
			return nil
		}
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
					names = append(names, s.Name.Name)
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if n.IsExported() && s.Doc == nil && s.Comment == nil {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}

func receiver(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

var oneVariable = regexp.MustCompile(`for\s+\w+\s*:?=\s*range\s+[\w.()]+\.(All|Batches)\(`)

// rulePairs refuses a loop over pairs of a value and an error that takes only
// the value: it would see the error as one nil record and end, in silence. In
// texts it looks at the code that people will copy.
//
// Types are not looked at, only names: where another method of the same name
// yields no errors, a loop without any variable is let through.
func rulePairs(r tree) (faults []string) {
	withError, without := map[string]bool{}, map[string]bool{}
	files := r.goFiles()
	for _, f := range files {
		for _, d := range f.ast.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && !f.test {
				if last, ok := seq2(d.Type.Results); ok && last == "error" {
					withError[d.Name.Name] = true
				} else if ok {
					without[d.Name.Name] = true
				}
			}
		}
	}
	for _, f := range files {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			loop, ok := n.(*ast.RangeStmt)
			if !ok || loop.Value != nil {
				return true
			}
			call, ok := loop.X.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if ok && withError[sel.Sel.Name] && (loop.Key != nil || !without[sel.Sel.Name]) {
				faults = append(faults, fmt.Sprintf("%s: a loop over %s needs two variables", f.fset.Position(loop.Pos()), sel.Sel.Name))
			}
			return true
		})
	}
	for _, name := range r.names {
		if path.Ext(name) == ".md" && oneVariable.Match(r.read(name)) {
			faults = append(faults, fmt.Sprintf("%s: a loop needs two variables: %s", name, oneVariable.Find(r.read(name))))
		}
	}
	return faults
}

// seq2 reports whether a function returns an iter.Seq2, and of what second type
// if that has a plain name.
func seq2(results *ast.FieldList) (second string, ok bool) {
	if results == nil || len(results.List) != 1 {
		return "", false
	}
	x, ok := results.List[0].Type.(*ast.IndexListExpr)
	if !ok || len(x.Indices) != 2 {
		return "", false
	}
	if sel, ok := x.X.(*ast.SelectorExpr); !ok || sel.Sel.Name != "Seq2" {
		return "", false
	}
	id, ok := x.Indices[1].(*ast.Ident)
	if !ok {
		return "", true
	}
	return id.Name, true
}
