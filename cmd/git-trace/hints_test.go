package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/cli"
)

// A hint, an example or an error that names a command which is not there, or an option which that command does not
// show, sends the reader into another error.
func TestTextsNameCommandsAndOptionsThatAreThere(t *testing.T) {
	t.Parallel()
	shown := map[string][]string{}
	for _, c := range allCommands() {
		names := []string{"--help"}
		for _, o := range c.Options {
			for _, name := range o.Names {
				names = append(names, cli.Dashed(name))
			}
		}
		shown[c.Name] = names
	}
	// These two are taken before the table of commands is asked.
	shown["help"], shown["hook"] = []string{"--all"}, nil
	commands, options := 0, 0
	for _, text := range ownTexts(t, filepath.Join("..", "..")) {
		for _, found := range namedCommand.FindAllStringSubmatch(text.text, -1) {
			commands++
			known, there := shown[found[1]]
			if !there {
				t.Errorf("%s: %q names no command", text.where, found[0])
			}
			for _, option := range namedOption.FindAllStringSubmatch(found[2], -1) {
				options++
				if there && !slices.Contains(known, option[1]) && !called(found[1:]).Is(likeGit) {
					t.Errorf("%s: git trace %s does not show %s", text.where, found[1], option[1])
				}
			}
		}
	}
	if commands < 150 || options < 30 {
		t.Errorf("only %d commands and %d options were found in texts", commands, options)
	}
}

var (
	namedCommand = regexp.MustCompile(`\bgit trace ([a-z][a-z-]*)([^,;:()'"\n` + "`" + `]*)`)
	namedOption  = regexp.MustCompile(`(?:^|[ \[])(--?[a-zA-Z][a-z-]*)`)
)

type ownText struct{ where, text string }

// ownTexts are the strings of the program's source, without its tests and what serves them.
func ownTexts(t *testing.T, root string) []ownText {
	t.Helper()
	var texts []ownText
	eachOwnFile(t, root, func(set *token.FileSet, file *ast.File) {
		ast.Inspect(file, func(node ast.Node) bool {
			if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if text, err := strconv.Unquote(literal.Value); err == nil {
					texts = append(texts, ownText{set.Position(literal.Pos()).String(), text})
				}
			}
			return true
		})
	})
	return texts
}

// eachOwnFile goes through the program's source below a directory, without its tests and what serves them.
func eachOwnFile(t *testing.T, root string, take func(*token.FileSet, *ast.File)) {
	t.Helper()
	set := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir() && (entry.Name() == "testing" || entry.Name() == "testdata"):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err == nil {
			take(set, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
