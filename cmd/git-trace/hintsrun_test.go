package main

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// hintedCommand is a command of ours or of git's that a hint may name.
var hintedCommand = regexp.MustCompile(`\bgit (?:trace [a-z-]+|add|commit|config|diff|fetch|fsck|log|remote|rev-parse|show)\b`)

// unrun are commands of hints that hints.txtar does not run, each with the reason.
var unrun = map[string]string{
	"git trace purge":   "told where a record holds what must not leave",
	"git trace verify":  "told where the log is damaged",
	"git trace rebuild": "told where a cache is damaged",
	"git trace doctor":  "told where a disk or a lock stands in the way",
	"git fsck":          "told where the repository is damaged",
	"git fetch":         "told of a shallow clone",
	"git diff":          "told where git's own diff cannot be read",
	"git config":        "told where records are kept on a remote",
	"git commit":        "told where git cannot sign",
}

// Each command that a hint names is run by hints.txtar, or it is said why not.
func TestEveryHintIsRun(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile(filepath.Join(scriptDir, "hints.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	var run []string
	for line := range strings.Lines(string(script)) {
		if strings.HasPrefix(line, "hint ") {
			run = append(run, hintedCommand.FindAllString(line, -1)...)
		}
	}
	told := map[string]string{}
	for where, text := range hintTexts(t) {
		for _, command := range hintedCommand.FindAllString(text, -1) {
			told[command] = where
		}
	}
	for command, where := range told {
		if !slices.Contains(run, command) && unrun[command] == "" {
			t.Errorf("%s: a hint names %s, and no row of hints.txtar runs it", where, command)
		}
	}
	for command := range unrun {
		if told[command] == "" {
			t.Errorf("no hint names %s any more", command)
		}
	}
	if len(told) < 25 {
		t.Errorf("hints name only %d commands: they are looked for in the wrong place", len(told))
	}
}

// hintTexts are the strings of hints, by their place in the source.
func hintTexts(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	eachOwnFile(t, "../..", func(set *token.FileSet, file *ast.File) {
		if file.Name.Name != "main" && !slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool {
			return strings.HasSuffix(i.Path.Value, `/internal/exit"`)
		}) {
			return
		}
		take := func(node ast.Node) {
			ast.Inspect(node, func(inner ast.Node) bool {
				if l, is := inner.(*ast.BasicLit); is && l.Kind == token.STRING {
					text, _ := strconv.Unquote(l.Value)
					texts[set.Position(l.Pos()).String()] = text
				}
				return true
			})
		}
		ast.Inspect(file, func(node ast.Node) bool {
			switch n := node.(type) {
			case *ast.CallExpr:
				name, _ := n.Fun.(*ast.SelectorExpr)
				switch {
				case name != nil && name.Sel.Name == "Fail" && len(n.Args) == 3:
					take(n.Args[2])
				case name != nil && name.Sel.Name == "Usage":
					take(n)
				case len(n.Args) > 1 && strings.Contains(source(n.Args[1]), "git-trace: hint:"):
					take(n.Args[1])
				}
			case *ast.KeyValueExpr:
				if key, is := n.Key.(*ast.Ident); is && strings.EqualFold(key.Name, "hint") {
					take(n.Value)
				}
			case *ast.AssignStmt:
				if left, is := n.Lhs[0].(*ast.Ident); is && left.Name == "hint" {
					take(n.Rhs[0])
				}
			}
			return true
		})
	})
	return texts
}

// source is the beginning of a text in the source, "" for anything else.
func source(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Value
	case *ast.BinaryExpr:
		return source(e.X)
	}
	return ""
}

// runHint is the script command `hint CALL COMMAND [FILLED] [mends]`.
func runHint(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: hint CALL COMMAND [FILLED] [mends]")
	}
	mends := args[len(args)-1] == "mends"
	if mends {
		args = args[:len(args)-1]
	}
	call, command, filled := args[0], args[1], args[len(args)-1]
	_ = ts.Exec("sh", "-c", call)
	if said := ts.ReadFile("stderr"); !strings.Contains(said, command) {
		ts.Fatalf("%s: no hint names %q", call, command)
	}
	if command == "git trace show" { // with the id of the call
		filled += " HEAD~1"
	}
	if err := ts.Exec("sh", "-c", filled); err != nil {
		ts.Fatalf("%s: what its hint says fails: %s", call, filled)
	}
	if mends {
		ts.Check(ts.Exec("sh", "-c", call))
	}
}
