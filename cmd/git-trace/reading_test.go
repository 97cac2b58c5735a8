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
	"importer.go":  "writes what it reads, and asks what is here already",
}

// readers are the names by which the log and the records are read.
var readers = map[string]bool{
	"ByTrace": true, "ByCommit": true, "ByType": true, "ByPath": true, "ToolCall": true, "Traces": true, "TraceIDs": true,
	"Digests": true, "store.Open": true, "search.Open": true,
}

func TestCommandsReadConversationsThroughView(t *testing.T) {
	t.Parallel()
	var names []string
	for _, pattern := range []string{"*.go", "../../report/*/*.go", "../../upkeep/intake/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: no files: %v", pattern, err)
		}
		names = append(names, found...)
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
			read[filepath.Base(name)] = true
			if readsBesideView[filepath.Base(name)] == "" {
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
