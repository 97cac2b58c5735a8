package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/internal/testing/mutate/active"
)

// world is the code under test: its mutants, and the test programs that contain all of them, inactive.
type world struct {
	root, dir string // root of the module, and directory for files that this program makes
	mutants   []*mutant
	perFile   map[string][]*site
	text      map[string][]byte
	broken    []*mutant // mutants that do not compile
	programs  map[string]string
}

// survey finds the mutants in the listed functions of the wanted packages.
func survey(root string, list []decision, wanted func(pkg string) bool) (*world, error) {
	var dirs []string
	for _, d := range list {
		if wanted(d.pkg()) && !slices.Contains(dirs, d.pkg()) {
			dirs = append(dirs, d.pkg())
		}
	}
	if len(dirs) == 0 {
		return nil, fmt.Errorf("no package of decisions.txt is wanted")
	}
	sources, err := load(root, dirs)
	if err != nil {
		return nil, err
	}
	w := &world{root: root, perFile: map[string][]*site{}, text: map[string][]byte{}, programs: map[string]string{}}
	for _, d := range list {
		if !wanted(d.pkg()) {
			continue
		}
		src := sources[d.pkg()]
		if src == nil || src.files[d.file] == nil {
			return nil, fmt.Errorf("decisions.txt: there is no file %s", d.file)
		}
		sites, unknown := find(src, d)
		if len(unknown) > 0 {
			return nil, fmt.Errorf("decisions.txt: %s has no function %s", d.file, strings.Join(unknown, ", "))
		}
		w.perFile[d.file] = append(w.perFile[d.file], sites...)
		w.text[d.file] = src.text[d.file]
	}
	w.number()
	return w, nil
}

// number gives the mutants ids from 1.
func (w *world) number() {
	w.mutants = nil
	files := make([]string, 0, len(w.perFile))
	for file := range w.perFile {
		files = append(files, file)
	}
	slices.Sort(files)
	for _, file := range files {
		for _, s := range w.perFile[file] {
			for _, m := range s.mutants {
				w.mutants = append(w.mutants, m)
				m.id = int32(len(w.mutants))
			}
		}
	}
}

// overlay writes the changed files, and their list for the go command.
func (w *world) overlay() (string, error) {
	replace := map[string]string{}
	for file, sites := range w.perFile {
		if len(sites) == 0 {
			continue
		}
		copied := filepath.Join(w.dir, "source", filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(copied), 0o755); err != nil {
			return "", err
		}
		text, err := rewrite(w.text[file], sites)
		if err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		if err := os.WriteFile(copied, text, 0o644); err != nil {
			return "", err
		}
		replace[filepath.Join(w.root, filepath.FromSlash(file))] = copied
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(w.dir, "overlay.json")
	return path, os.WriteFile(path, data, 0o644)
}

var complaint = regexp.MustCompile(`(?m)([^\s:]+\.go):(\d+)(?::\d+)?: `)

// compile builds the packages with all mutants. It drops mutants on lines that do not compile.
func (w *world) compile(ctx context.Context, packages []string) (overlay string, err error) {
	for range 8 {
		if overlay, err = w.overlay(); err != nil {
			return "", err
		}
		args := []string{"build", "-gcflags=-e", "-overlay", overlay}
		for _, pkg := range packages {
			args = append(args, "./"+pkg)
		}
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir = w.root
		out, err := cmd.CombinedOutput()
		if err == nil {
			return overlay, nil
		}
		if !w.drop(out) {
			return "", fmt.Errorf("go build: %w\n%s", err, out)
		}
	}
	return "", fmt.Errorf("the mutants do not compile after eight attempts")
}

// drop removes mutants that do not compile, by the compiler's output.
func (w *world) drop(said []byte) bool {
	bad := map[string]bool{}
	for _, m := range complaint.FindAllSubmatch(said, -1) {
		line, _ := strconv.Atoi(string(m[2]))
		for file := range w.perFile {
			if strings.HasSuffix(filepath.ToSlash(string(m[1])), file) {
				bad[file+":"+strconv.Itoa(line)] = true
			}
		}
	}
	before := len(w.broken)
	for file, sites := range w.perFile {
		w.perFile[file] = slices.DeleteFunc(sites, func(s *site) bool {
			at := 1 + bytes.Count(w.text[file][:s.from], []byte("\n"))
			until := 1 + bytes.Count(w.text[file][:s.to], []byte("\n"))
			for line := at; line <= until; line++ {
				if bad[file+":"+strconv.Itoa(line)] && (at == until || line == at) {
					w.broken = append(w.broken, s.mutants...)
					return true
				}
			}
			return false
		})
	}
	w.number()
	return len(w.broken) > before
}

// link builds the test program of a package.
func (w *world) link(ctx context.Context, overlay, pkg string) error {
	path := filepath.Join(w.dir, "programs", strings.ReplaceAll(pkg, "/", "_")+".test")
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-trimpath", "-vet=off", "-overlay", overlay, "-o", path, "./"+pkg)
	cmd.Dir = w.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go test -c %s: %w\n%s", pkg, err, out)
	}
	w.programs[pkg] = path
	return nil
}

// awaken copies a test program with one mutant active, or with recording of the reached mutants.
func awaken(program, to string, id int32, record string) error {
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	marker := fmt.Sprintf("%s%06d %s", active.Mark, id, record)
	length := len(active.Mark) + len(active.Blank)
	if len(marker) > length {
		return fmt.Errorf("the path %s is too long", record)
	}
	marker += strings.Repeat(" ", length-len(marker))
	old := []byte(active.Mark + active.Blank)
	if !bytes.Contains(data, old) {
		return fmt.Errorf("%s has no mutants in it", filepath.Base(program))
	}
	return os.WriteFile(to, bytes.ReplaceAll(data, old, []byte(marker)), 0o755)
}
