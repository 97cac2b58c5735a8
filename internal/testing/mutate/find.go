package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// mutant is one change at one place.
type mutant struct {
	id     int32
	key    string // function, kind and texts, with a number to distinguish equal ones; it does not change when lines move
	pkg    string
	file   string
	line   int
	kind   string
	before string
	after  string
	code   string // the code after the change, not shortened
}

// site is a place in a file with code that switches its mutants on. The code replaces text of the source, or is
// inserted before it.
type site struct {
	from, to int // offsets in the source
	prefix   bool
	mutants  []*mutant
	write    func(s *site, inner string) string
}

// finder finds the mutants of one file.
type finder struct {
	src   *source
	path  string
	text  []byte
	fn    string // name of the function for the keys
	sites []*site
	bools map[ast.Expr]*site
	skip  map[ast.Node]bool
	stack []ast.Node
}

// find returns the sites in the listed functions of a file, and listed names that do not exist.
func find(src *source, d decision) (sites []*site, unknown []string) {
	f := &finder{src: src, path: d.file, text: src.text[d.file], bools: map[ast.Expr]*site{}, skip: map[ast.Node]bool{}}
	found := map[string]bool{}
	for _, decl := range src.files[d.file].Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		if name := nameOf(fn); d.has(name) {
			found[name] = true
			f.fn = src.dir + "." + name
			f.function(fn)
		}
	}
	for _, name := range d.funcs {
		if !found[name] {
			unknown = append(unknown, name)
		}
	}
	f.number()
	return f.sites, unknown
}

func nameOf(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if index, ok := t.(*ast.IndexExpr); ok {
		t = index.X
	}
	return fmt.Sprint(t) + "." + fn.Name.Name
}

// number gives every mutant its key. Equal changes in one function are numbered.
func (f *finder) number() {
	times := map[string]int{}
	for _, s := range f.sites {
		for _, m := range s.mutants {
			if times[m.key]++; times[m.key] > 1 {
				m.key += fmt.Sprintf(" #%d", times[m.key])
			}
		}
	}
}

func (f *finder) function(fn *ast.FuncDecl) {
	f.stack = append(f.stack[:0], fn)
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if n == nil {
			f.stack = f.stack[:len(f.stack)-1]
			return true
		}
		if f.skip[n] {
			return false
		}
		f.node(n)
		f.stack = append(f.stack, n)
		return true
	})
}

func (f *finder) parent() ast.Node { return f.stack[len(f.stack)-1] }

// results returns the results of the innermost function.
func (f *finder) results() *ast.FieldList {
	for i := len(f.stack) - 1; i >= 0; i-- {
		switch fn := f.stack[i].(type) {
		case *ast.FuncLit:
			return fn.Type.Results
		case *ast.FuncDecl:
			return fn.Type.Results
		}
	}
	return nil
}

func (f *finder) offset(pos token.Pos) int { return f.src.fset.Position(pos).Offset }

func (f *finder) textOf(n ast.Node) string {
	return string(f.text[f.offset(n.Pos()):f.offset(n.End())])
}

func (f *finder) mutant(at ast.Node, kind, before, after string) *mutant {
	code := after
	before, after = oneLine(before), oneLine(after)
	if after == "" {
		after = "nothing"
	}
	return &mutant{
		code: code, pkg: f.src.dir, file: f.path, line: f.src.fset.Position(at.Pos()).Line, kind: kind, before: before,
		after: after,
		key:   fmt.Sprintf("%s: %s: %s → %s%s", f.fn, kind, before, after, f.around(at, before)),
	}
}

// `around` returns the line around a short text, which distinguishes equal texts.
func (f *finder) around(at ast.Node, before string) string {
	if len(before) > 20 {
		return ""
	}
	from := f.offset(at.Pos())
	line := f.text[bytes.LastIndexByte(f.text[:from], '\n')+1:]
	line, _, _ = bytes.Cut(line, []byte("\n"))
	if text := oneLine(string(line)); !strings.HasPrefix(before, text) {
		return " in " + text
	}
	return ""
}

const longestText = 120

func oneLine(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > longestText {
		return string(runes[:longestText-1]) + "…"
	}
	return string(runes)
}

// `another` adds a mutant of a condition: an alternative expression of the same type replaces it.
func (f *finder) another(e ast.Expr, kind, alternative string) {
	t := f.src.info.Types[e]
	if t.Value != nil || !isBool(t.Type) {
		return
	}
	s := f.bools[e]
	if s == nil {
		s = &site{from: f.offset(e.Pos()), to: f.offset(e.End()), write: writeBool}
		f.bools[e] = s
		f.sites = append(f.sites, s)
	}
	s.mutants = append(s.mutants, f.mutant(e, kind, f.textOf(e), alternative))
}

func writeBool(s *site, inner string) string {
	var b strings.Builder
	b.WriteString("(")
	for _, m := range s.mutants {
		fmt.Fprintf(&b, "active.Is(%d) && (%s) || ", m.id, m.code)
	}
	first := s.mutants[0].id
	fmt.Fprintf(&b, "!active.In(%d, %d) && (%s))", first, first+int32(len(s.mutants)), inner)
	return b.String()
}

func isBool(t types.Type) bool {
	basic, ok := t.(*types.Basic)
	return ok && (basic.Kind() == types.Bool || basic.Kind() == types.UntypedBool)
}
