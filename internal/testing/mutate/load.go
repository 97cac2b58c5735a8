package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

const module = "github.com/git-trace/git-trace"

// source is a package with its types.
type source struct {
	dir   string // relative to the root
	fset  *token.FileSet
	files map[string]*ast.File // files by path relative to the root
	text  map[string][]byte
	info  *types.Info
	pkg   *types.Package
}

// listed is the output of go list about a package.
type listed struct {
	ImportPath, Dir, Export         string
	GoFiles                         []string
	TestGoFiles, XTestGoFiles       []string
	Deps, TestImports, XTestImports []string
}

func goList(root string, args ...string) ([]listed, error) {
	cmd := exec.Command("go", append([]string{"list", "-json"}, args...)...)
	cmd.Dir = root
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, said.Bytes())
	}
	var all []listed
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var one listed
		if err := decoder.Decode(&one); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
}

// load parses and type-checks the packages in these directories.
func load(root string, dirs []string) (map[string]*source, error) {
	args := []string{"-export", "-deps"}
	for _, dir := range dirs {
		args = append(args, "./"+dir)
	}
	all, err := goList(root, args...)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, one := range all {
		exports[one.ImportPath] = one.Export
	}
	lookup := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	out := map[string]*source{}
	for _, one := range all {
		dir, err := filepath.Rel(root, one.Dir)
		if err != nil || !slices.Contains(dirs, filepath.ToSlash(dir)) {
			continue
		}
		s, err := check(filepath.ToSlash(dir), one, lookup)
		if err != nil {
			return nil, err
		}
		out[s.dir] = s
	}
	return out, nil
}

func check(dir string, one listed, lookup importer.Lookup) (*source, error) {
	s := &source{dir: dir, fset: token.NewFileSet(), files: map[string]*ast.File{}, text: map[string][]byte{},
		info: &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
		}}
	var files []*ast.File
	for _, name := range one.GoFiles {
		text, err := os.ReadFile(filepath.Join(one.Dir, name))
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(s.fset, filepath.Join(one.Dir, name), text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		s.files[dir+"/"+name], s.text[dir+"/"+name] = file, text
		files = append(files, file)
	}
	config := types.Config{Importer: importer.ForCompiler(s.fset, "gc", lookup)}
	pkg, err := config.Check(one.ImportPath, s.fset, files, s.info)
	s.pkg = pkg
	return s, err
}
