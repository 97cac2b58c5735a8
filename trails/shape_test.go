package trails

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// What a type and the room may have at most, so that a reader can hold it in mind.
const (
	mostFields  = 15
	mostMethods = 25
	mostFiles   = 30
)

// TestNoTypeKnowsEverything counts what can be reached from a value of a type: its fields and methods, and those of the
// types that it embeds.
func TestNoTypeKnowsEverything(t *testing.T) {
	t.Parallel()
	types := map[string]*ast.StructType{}
	methods := map[string]int{}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, file := range files {
		if !isSource(file) {
			continue
		}
		read++
		parsed, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if s, is := n.Type.(*ast.StructType); is {
					types[n.Name.Name] = s
				}
			case *ast.FuncDecl:
				if n.Recv != nil {
					methods[typeName(n.Recv.List[0].Type)]++
				}
			}
			return true
		})
	}
	if read > mostFiles {
		t.Errorf("%d files, at most %d", read, mostFiles)
	}
	for name := range types {
		f, m := reached(name, types, methods)
		if f > mostFields || m > mostMethods {
			t.Errorf("%s has %d fields and %d methods, at most %d and %d", name, f, m, mostFields, mostMethods)
		}
	}
	for name, n := range methods {
		if types[name] == nil && n > mostMethods {
			t.Errorf("%s has %d methods", name, n)
		}
	}
}

func isSource(file fs.DirEntry) bool {
	return strings.HasSuffix(file.Name(), ".go") && !strings.HasSuffix(file.Name(), "_test.go")
}

func reached(name string, types map[string]*ast.StructType, methods map[string]int) (fields, own int) {
	own = methods[name]
	if types[name] == nil {
		return 0, own
	}
	for _, f := range types[name].Fields.List {
		if len(f.Names) == 0 {
			more, theirs := reached(typeName(f.Type), types, methods)
			fields, own = fields+max(1, more), own+theirs
		}
		fields += len(f.Names)
	}
	return fields, own
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
