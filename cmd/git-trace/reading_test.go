package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// What is known of conversations is united in package view, and who wrote lines is weighed in package belief. Commands
// ask these two. A file that reads the log or the records beside them stands here, with the reason.
var readsBesideView = map[string]string{
	"uninstall.go": "counts what it deletes: what this clone has by itself, and nothing of others",
	"import.go":    "writes what it reads, and asks what is here already",
}

// readers are the names by which the log and the records are read.
var readers = map[string]bool{
	"ByTrace": true, "ByCommit": true, "ByType": true, "ByPath": true, "ToolCall": true, "Traces": true, "TraceIDs": true,
	"Digests": true, "store.Open": true, "search.Open": true,
}

func TestCommandsReadConversationsThroughView(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("no files: %v", err)
	}
	read := map[string]bool{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			selector, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			what := selector.Sel.Name
			if of, ok := selector.X.(*ast.Ident); ok && !readers[what] {
				what = of.Name + "." + what
			}
			if !readers[what] {
				return true
			}
			if read[name] = true; readsBesideView[name] == "" {
				t.Errorf("%s: %s reads beside view: ask it, or say in readsBesideView why not", set.Position(call.Pos()), what)
			}
			return true
		})
	}
	for name := range readsBesideView {
		if !read[name] {
			t.Errorf("%s is listed and no longer reads beside view", name)
		}
	}
}
