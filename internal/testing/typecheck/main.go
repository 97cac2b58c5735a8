// Command typecheck checks the types of all packages and their tests for other systems, by reading only the sources.
//
//	typecheck GOOS/GOARCH ...    # status 1 if a package has an error
//
// It compiles nothing: go vet and go build would compile the whole module and the standard library for each system.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	faults := 0
	for _, target := range os.Args[1:] {
		n, err := check(target)
		if err != nil {
			fmt.Fprintln(os.Stderr, "typecheck:", err)
			faults++
		}
		faults += n
	}
	if faults > 0 {
		os.Exit(1)
	}
}

// `check` prints the errors of the packages below the current directory, and returns their number.
func check(target string) (faults int, err error) {
	system, arch, _ := strings.Cut(target, "/")
	here, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	found, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesSizes,
		Tests: true,
		Env:   append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0"),
		ParseFile: func(set *token.FileSet, name string, src []byte) (*ast.File, error) {
			file, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution)
			// For other modules the declarations are enough. The main file of a test has a name without an extension.
			if file != nil && strings.HasSuffix(name, ".go") && !strings.HasPrefix(name, here) {
				for _, decl := range file.Decls {
					if f, is := decl.(*ast.FuncDecl); is {
						f.Body = nil
					}
				}
			}
			return file, err
		},
	}, "./...")
	if err != nil {
		return 0, err
	}
	for _, p := range found {
		for _, fault := range p.Errors {
			fmt.Fprintf(os.Stderr, "%s: %s: %v\n", target, p.ID, fault)
			faults++
		}
	}
	return faults, nil
}
