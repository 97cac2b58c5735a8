package function

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
)

// Finder caches git's answers for further contents of the same paths. It is not safe for concurrent use.
type Finder struct {
	ctx   context.Context // a finder lives as long as the call that created it
	repo  *refs.Repo
	known map[string]map[string]bool // path and line → whether it is a function line
}

// NewFinder returns a finder with an empty cache.
func NewFinder(ctx context.Context, repo *refs.Repo) *Finder {
	return &Finder{ctx: ctx, repo: repo, known: map[string]map[string]bool{}}
}

// Learn asks git about the lines that are not in the cache. It starts one process.
func (f *Finder) Learn(files ...Content) error {
	asked := map[string][]string{}
	for _, file := range files {
		known := f.known[file.Path]
		if known == nil {
			known = map[string]bool{}
			f.known[file.Path] = known
		}
		if gitdiff.Binary(file.Text) {
			continue
		}
		for line := range bytes.Lines(file.Text) {
			line = bytes.TrimSuffix(line, []byte("\n"))
			if _, is := known[string(line)]; is || len(line) == 0 {
				continue
			}
			text := string(line)
			known[text] = false
			asked[file.Path] = append(asked[file.Path], text)
		}
	}
	if len(asked) == 0 {
		return nil
	}
	if err := f.ask(asked); err != nil {
		return fmt.Errorf("find functions: %w", err)
	}
	return nil
}

// ask writes the lines into files of commits, and stores which of them git treats as function lines.
func (f *Finder) ask(asked map[string][]string) error {
	dir, err := os.MkdirTemp("", "git-trace-functions-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	args := []string{"grep", "--no-color", "--no-column", "--no-recurse-submodules", "--full-name", "-a", "-n", "-z",
		"--show-function", "-G", "-e", "^$"}
	for left := slices.Sorted(maps.Keys(asked)); len(left) > 0; {
		top := &node{}
		var beside []string // paths that collide: one needs a directory where another one needs a file
		for _, path := range left {
			blob, err := f.repo.WriteLoose(dir, refs.BlobObject, spaced(asked[path]))
			if err != nil {
				return err
			}
			if !top.add(strings.Split(path, "/"), blob) {
				beside = append(beside, path)
			}
		}
		tree, err := top.write(f.repo, dir)
		if err != nil {
			return err
		}
		const nobody = "nobody <> 0 +0000" // git-grep(1) reads attributes for commits, but not for trees
		commit, err := f.repo.WriteLoose(dir, refs.CommitObject,
			fmt.Appendf(nil, "tree %s\nauthor %s\ncommitter %s\n\n", tree, nobody, nobody))
		if err != nil {
			return err
		}
		args, left = append(args, commit.String()), beside
	}
	cmd := f.repo.Command(f.ctx, args...)
	cmd.Env = append(cmd.Env, f.repo.AlternateEnv(dir)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	read := f.note(bufio.NewReader(out), asked)
	if read != nil {
		_, _ = io.Copy(io.Discard, out)
	}
	if err := cmd.Wait(); err != nil {
		return errors.Join(f.ctx.Err(), fmt.Errorf("git grep: %w: %s", err, bytes.TrimSpace(said.Bytes())))
	}
	return read
}

// `spaced` returns the lines with an empty line after each.
func spaced(lines []string) []byte {
	var out bytes.Buffer
	for _, line := range lines {
		out.WriteString(line + "\n\n")
	}
	return out.Bytes()
}

// note parses git's output: COMMIT:PATH, the number of a line and the line, separated by NUL.
func (f *Finder) note(out *bufio.Reader, asked map[string][]string) error {
	for {
		name, err := out.ReadBytes(0)
		if errors.Is(err, io.EOF) && len(name) == 0 {
			return nil
		}
		digits, failed := out.ReadBytes(0)
		_, last := out.ReadBytes('\n')
		if err := errors.Join(err, failed, last); err != nil {
			return fmt.Errorf("git grep is cut off: %w", err)
		}
		_, path, _ := strings.Cut(string(name[:len(name)-1]), ":")
		line, err := strconv.Atoi(string(digits[:len(digits)-1]))
		if lines := asked[path]; err != nil || line < 1 || line > 2*len(lines) {
			return fmt.Errorf("git grep names line %.20q", digits)
		} else if line%2 == 1 { // even numbers are the empty lines
			f.known[path][lines[line/2]] = true
		}
	}
}

// node is a file or a directory in the tree that the finder writes.
type node struct {
	blob    refs.OID
	entries map[string]*node
}

// add adds a file to a directory. It returns false if the path collides with another one.
func (n *node) add(path []string, blob refs.OID) bool {
	if !n.blob.IsZero() {
		return false
	}
	if n.entries == nil {
		n.entries = map[string]*node{}
	}
	next := n.entries[path[0]]
	switch {
	case len(path) > 1 && next != nil:
		return next.add(path[1:], blob)
	case next != nil:
		return false
	}
	next = &node{}
	n.entries[path[0]] = next
	if len(path) > 1 {
		return next.add(path[1:], blob)
	}
	next.blob = blob
	return true
}

// `write` stores a directory as a tree object.
func (n *node) write(repo *refs.Repo, dir string) (refs.OID, error) {
	var entries []refs.TreeEntry
	for name, next := range n.entries {
		entry := refs.TreeEntry{Name: name, Mode: refs.ModeFile, OID: next.blob}
		if next.blob.IsZero() {
			entry.Mode = refs.ModeDir
			var err error
			if entry.OID, err = next.write(repo, dir); err != nil {
				return refs.OID{}, err
			}
		}
		entries = append(entries, entry)
	}
	return repo.WriteLoose(dir, refs.TreeObject, refs.EncodeTree(entries))
}
