package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// node adds the mutants of one node.
//
// Code that only passes on a failure is left out: `if err != nil` with its body, and returns of an error. Otherwise
// most mutants would be there. Other tests check this code: they make the disk or git fail.
func (f *finder) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.IfStmt:
		if f.comparesError(n.Cond) {
			f.skip[n.Cond], f.skip[n.Body] = true, true
			return
		}
		f.another(n.Cond, "negated", "!("+f.textOf(n.Cond)+")")
		f.another(n.Cond, "never", "false")
	case *ast.ForStmt:
		if n.Cond != nil {
			f.another(n.Cond, "never", "false")
		}
	case *ast.SwitchStmt:
		if n.Tag == nil {
			for _, clause := range n.Body.List {
				for _, cond := range clause.(*ast.CaseClause).List {
					f.another(cond, "negated", "!("+f.textOf(cond)+")")
				}
			}
		}
	case *ast.CaseClause:
		f.dropCase(n)
	case *ast.BinaryExpr:
		f.binary(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT && f.bools[n] == nil {
			f.another(n, "negated", f.textOf(n.X))
		}
	case *ast.BasicLit:
		f.literal(n)
	case *ast.Ident:
		f.truth(n)
	case *ast.CallExpr:
		f.call(n)
	case *ast.ReturnStmt:
		f.giveBack(n)
	case *ast.AssignStmt, *ast.ExprStmt, *ast.IncDecStmt, *ast.BranchStmt:
		f.statement(n.(ast.Stmt))
	case *ast.DeclStmt:
		if d, ok := n.Decl.(*ast.GenDecl); ok && d.Tok != token.VAR {
			f.skip[d] = true
		}
	case *ast.ArrayType:
		if n.Len != nil {
			f.skip[n.Len] = true
		}
	}
}

func (f *finder) comparesError(e ast.Expr) bool {
	b, ok := e.(*ast.BinaryExpr)
	return ok && (b.Op == token.NEQ || b.Op == token.EQL) && isError(f.src.info.TypeOf(b.X))
}

func isError(t types.Type) bool {
	return t != nil && types.Identical(t, types.Universe.Lookup("error").Type())
}

var swapped = map[token.Token]token.Token{
	token.LAND: token.LOR, token.LOR: token.LAND,
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.ADD: token.SUB, token.SUB: token.ADD,
}

func (f *finder) binary(n *ast.BinaryExpr) {
	other, ok := swapped[n.Op]
	if !ok {
		return
	}
	x, y := f.textOf(n.X), f.textOf(n.Y)
	alternative := x + " " + other.String() + " " + y
	switch n.Op {
	case token.LAND, token.LOR:
		f.another(n, "swapped", alternative)
		if !f.guards(n.X, n.Y) {
			f.another(n, "without the first", y)
		}
		f.another(n, "without the second", x)
	case token.EQL, token.NEQ:
		if f.bools[n] == nil && !f.comparesError(n) { // as a whole condition it is already negated
			f.another(n, "negated", alternative)
		}
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		f.another(n, "boundary", alternative)
	case token.ADD, token.SUB:
		if t := f.typeName(n); t != "" && f.isPure(n) {
			f.pick(n, "swapped", t, f.textOf(n), alternative)
		}
	}
}

// guards reports whether the first part of a condition only protects the second: x != nil && x.y.
func (f *finder) guards(x, y ast.Expr) bool {
	b, ok := x.(*ast.BinaryExpr)
	if !ok || b.Op != token.EQL && b.Op != token.NEQ || f.textOf(b.Y) != "nil" {
		return false
	}
	return strings.Contains(f.textOf(y), f.textOf(b.X)+".")
}

// typeName returns the name of an integer type as it is written in this file; "" if it has none.
func (f *finder) typeName(e ast.Expr) string {
	t := f.src.info.Types[e]
	if t.Type == nil || t.Value != nil && t.Value.Kind() != constant.Int {
		return ""
	}
	basic, ok := t.Type.Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsInteger == 0 || basic.Info()&types.IsUntyped != 0 {
		return ""
	}
	switch t := t.Type.(type) {
	case *types.Basic:
		return t.Name()
	case *types.Named:
		if t.Obj().Pkg() == f.src.pkg && t.Obj().Parent() == f.src.pkg.Scope() {
			return t.Obj().Name()
		}
	}
	return ""
}

// harmless lists functions without side effects.
var harmless = []string{"len", "cap", "min", "max", "int", "uint32"}

// isPure reports whether an expression may be evaluated twice.
func (f *finder) isPure(e ast.Expr) bool {
	pure := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name, ok := n.Fun.(*ast.Ident)
			pure = pure && ok && slices.Contains(harmless, name.Name)
		case *ast.FuncLit, *ast.UnaryExpr:
			pure = false
		}
		return pure
	})
	return pure && f.src.info.Types[e].Value == nil
}

// pick adds a mutant with two values, both of which are evaluated.
func (f *finder) pick(n ast.Node, kind, typ, before, after string) {
	m := f.mutant(n, kind, before, after)
	if typ != "" {
		typ = "[" + typ + "]"
	}
	f.sites = append(f.sites, &site{from: f.offset(n.Pos()), to: f.offset(n.End()), mutants: []*mutant{m},
		write: func(s *site, inner string) string {
			return fmt.Sprintf("active.Pick%s(%d, %s, %s)", typ, s.mutants[0].id, inner, s.mutants[0].code)
		}})
}

func (f *finder) literal(n *ast.BasicLit) {
	if n.Kind != token.INT || f.isKey(n) {
		return
	}
	if b, ok := f.parent().(*ast.BinaryExpr); ok && (b.Op == token.SHL || b.Op == token.SHR ||
		f.src.info.Types[b].Value != nil) {
		return
	}
	value, err := strconv.ParseInt(n.Value, 10, 32)
	t := f.typeName(n)
	if err != nil || t == "" {
		return
	}
	f.pick(n, "number", t, n.Value, strconv.FormatInt(value+1, 10))
}

// isKey reports whether a literal is a key in a composite literal.
func (f *finder) isKey(n ast.Node) bool {
	pair, ok := f.parent().(*ast.KeyValueExpr)
	return ok && pair.Key == n
}

func (f *finder) truth(n *ast.Ident) {
	object := f.src.info.Uses[n]
	if object == nil || object.Parent() != types.Universe || n.Name != "true" && n.Name != "false" || f.isKey(n) {
		return
	}
	if isBool(f.src.info.TypeOf(n)) {
		f.pick(n, "flipped", "bool", n.Name, map[string]string{"true": "false", "false": "true"}[n.Name])
	}
}

func (f *finder) call(n *ast.CallExpr) {
	if name, ok := n.Fun.(*ast.Ident); ok && name.Name == "make" { // a capacity does not change results
		for i, arg := range n.Args[1:] {
			if _, isSlice := f.src.info.TypeOf(n.Args[0]).Underlying().(*types.Slice); i > 0 || !isSlice {
				f.skip[arg] = true
			}
		}
		return
	}
	name := f.textOf(n.Fun)
	if len(n.Args) != 2 || n.Ellipsis.IsValid() {
		return
	}
	x, y := f.textOf(n.Args[0]), f.textOf(n.Args[1])
	switch name {
	case "cmp.Compare", "strings.Compare", "bytes.Compare":
		f.pick(n, "order", "int", f.textOf(n), name+"("+y+", "+x+")")
	case "min", "max":
		if t := f.typeName(n); t != "" && f.isPure(n) {
			f.pick(n, "swapped", t, f.textOf(n), map[string]string{"min": "max", "max": "min"}[name]+"("+x+", "+y+")")
		}
	}
}

// giveBack adds a mutant that returns zero values, or the negation of a returned condition.
func (f *finder) giveBack(n *ast.ReturnStmt) {
	if len(n.Results) == 0 {
		return
	}
	last := n.Results[len(n.Results)-1]
	if isError(f.src.info.TypeOf(last)) && f.textOf(last) != "nil" {
		for _, e := range n.Results[:len(n.Results)-1] {
			f.skip[e] = true
		}
		return
	}
	if t := f.src.info.Types[last]; len(n.Results) == 1 && t.Value == nil && isBool(t.Type) {
		f.another(last, "negated", "!("+f.textOf(last)+")")
		return
	}
	zero := 0
	for _, e := range n.Results {
		if f.isZero(e) {
			zero++
		}
	}
	if results := f.results(); zero < len(n.Results) && results != nil {
		if _, isTruth := last.(*ast.Ident); len(n.Results) == 1 && isTruth && f.src.info.Types[last].Value != nil {
			return // another mutant negates a constant truth value
		}
		values := f.zeros(results)
		m := f.mutant(n, "returns nothing", f.textOf(n), "")
		m.code = "return " + values
		f.sites = append(f.sites, &site{from: f.offset(n.Pos()), to: f.offset(n.Pos()), prefix: true, mutants: []*mutant{m},
			write: func(s *site, _ string) string {
				return fmt.Sprintf("if active.Is(%d) { %s }; ", s.mutants[0].id, s.mutants[0].code)
			}})
	}
}

func (f *finder) zeros(results *ast.FieldList) string {
	var values []string
	for _, field := range results.List {
		for range max(1, len(field.Names)) {
			values = append(values, "active.Zero["+f.textOf(field.Type)+"]()")
		}
	}
	return strings.Join(values, ", ")
}

func (f *finder) isZero(e ast.Expr) bool {
	if c, ok := e.(*ast.CompositeLit); ok {
		return len(c.Elts) == 0
	}
	text := f.textOf(e)
	return text == "nil" || text == "false" || text == "0" || text == `""`
}

// statement adds a mutant without the statement.
func (f *finder) statement(n ast.Stmt) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE || f.textOf(n.Lhs[0]) == "_" && len(n.Lhs) == 1 {
			return
		}
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); !ok || f.textOf(call.Fun) == "panic" ||
			strings.HasSuffix(f.textOf(call.Fun), ".Close") {
			return
		}
	case *ast.BranchStmt:
		if n.Tok != token.BREAK && n.Tok != token.CONTINUE {
			return
		}
	}
	var list []ast.Stmt
	switch p := f.parent().(type) {
	case *ast.BlockStmt:
		list = p.List
	case *ast.CaseClause:
		list = p.Body
	}
	for _, s := range list {
		if s == n {
			f.sites = append(f.sites, &site{from: f.offset(n.Pos()), to: f.offset(n.End()), write: writeUnless,
				mutants: []*mutant{f.mutant(n, "left out", f.textOf(n), "")}})
		}
	}
}

func writeUnless(s *site, inner string) string {
	return fmt.Sprintf("if !active.Is(%d) { %s }", s.mutants[0].id, inner)
}

// dropCase adds a mutant that leaves a case at its beginning. If the case ends with a return or a branch, it adds none,
// since that statement has a mutant.
func (f *finder) dropCase(n *ast.CaseClause) {
	if len(n.Body) < 1 {
		return
	}
	switch last := n.Body[len(n.Body)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return
	case *ast.ExprStmt:
		if len(n.Body) == 1 { // removing the only statement is the same mutant
			return
		}
		if call, ok := last.X.(*ast.CallExpr); ok && f.textOf(call.Fun) == "panic" {
			return
		}
	case *ast.AssignStmt, *ast.IncDecStmt:
		if len(n.Body) == 1 {
			return
		}
	}
	at := n.Body[0]
	m := f.mutant(n, "case left out", f.textOf(n), "")
	f.sites = append(f.sites, &site{from: f.offset(at.Pos()), to: f.offset(at.Pos()), prefix: true, mutants: []*mutant{m},
		write: func(s *site, _ string) string { return fmt.Sprintf("if active.Is(%d) { break }; ", s.mutants[0].id) }})
}
