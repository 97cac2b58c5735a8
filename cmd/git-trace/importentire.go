package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/internal/companion"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view/transcripts"
)

// entireName is the name of Entire's checkpoints as an import format.
const entireName = "entire"

// Entire keeps the session files of agents in its own branches and refs. Version 1 uses entire/checkpoints/v1. Version
// 2 uses refs/entire/checkpoints/v2/full, and later one ref a checkpoint. Each session has a directory with a
// metadata.json and the whole session file (full.jsonl or raw_transcript; a long one in numbered pieces). Session files
// of subagents are below "tasks". Each checkpoint repeats the whole file.

// entireFile is a session file in a checkpoint. Its pieces are in order.
type entireFile struct {
	dir    string // directory in the ref; empty for a subagent's file
	name   string
	pieces []refs.OID
	about  refs.OID // metadata.json of the same directory
	size   int64
}

// entireReader writes the session files of checkpoints into a directory.
type entireReader struct {
	objects *refs.Objects
	dir     string

	checkpoints, files, again, unread int
}

// importEntire finds the lines of Entire's sessions in commits, as backfill does with session files.
func (a *app) importEntire(c *call, ops operands) error {
	if len(ops.all()) > 0 || c.Bool("notes") {
		return exit.Usage("--from %s reads the branches of this repository, and takes neither a file nor --notes", entireName)
	}
	repo, err := a.repo()
	if err != nil {
		return err
	}
	list, err := repo.Git(c.Context, nil, "for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/entire",
		"refs/remotes", "refs/entire")
	if err != nil {
		return err
	}
	var tips []string
	for line := range strings.Lines(string(list)) {
		tip, ref, _ := strings.Cut(line, " ")
		if strings.Contains(ref, "/entire/checkpoints/") && !slices.Contains(tips, tip) {
			tips = append(tips, tip)
		}
	}
	if len(tips) == 0 {
		return exit.Fail(exit.Finding, errors.New("this repository has no checkpoints of Entire"),
			"git fetch origin '+refs/heads/entire/checkpoints/*:refs/entire/checkpoints/*' brings a remote's")
	}
	dir, err := os.MkdirTemp("", "git-trace-entire-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	r := &entireReader{objects: repo.Objects(), dir: dir}
	defer func() { _ = r.objects.Close() }()
	files := map[string]*entireFile{}
	for _, tip := range tips {
		tree, err := repo.Git(c.Context, nil, "ls-tree", "-r", "-l", "-z", "--end-of-options", tip)
		if err != nil {
			return err
		}
		r.list(files, string(tree))
	}
	if err := r.write(files); err != nil {
		return err
	}
	b := &filler{app: a, ctx: c.Context, repo: repo, json: c.Bool("json"), dry: c.Bool("dry-run")}
	commits, err := b.commits(refs.Everywhere())
	if err != nil {
		return err
	}
	env, err := companion.Env()
	if err != nil {
		return err
	}
	found, err := transcripts.Below(env, dir)
	if err != nil {
		return exit.Fail(exit.Unchecked, err, "")
	}
	err = b.read(commits, found)
	fmt.Fprintf(a.std.err, "git-trace: hint: read %s of %s; left out: %s that a later one includes, %s unreadable, "+
		"%s of unknown agents\n", numbers.Count(r.files, "session file"), numbers.Count(r.checkpoints, "checkpoint"),
		numbers.Thousands(r.again), numbers.Thousands(r.unread), numbers.Thousands(max(0, r.files-len(found))))
	return err
}

var (
	entireMain = compiled(`^(full\.jsonl|raw_transcript)(\.[0-9]{1,6})?$`)
	entireTask = compiled(`^agent-[A-Za-z0-9_-]{1,100}\.jsonl$`)
	entireID   = compiled(`^[A-Za-z0-9][A-Za-z0-9._-]{0,200}$`)
)

// compiled returns a function that compiles an expression on its first call.
func compiled(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// list adds the session files of a tree to files. tree is the output of git-ls-tree(1).
func (r *entireReader) list(files map[string]*entireFile, tree string) {
	about, mine := map[string]refs.OID{}, map[string]*entireFile{}
	for entry := range strings.SplitSeq(tree, "\x00") {
		head, name, _ := strings.Cut(entry, "\t")
		fields := strings.Fields(head)
		if len(fields) != 4 || fields[1] != "blob" || fields[0] == "120000" {
			continue
		}
		id, err := refs.ParseOID(fields[2])
		size, _ := strconv.ParseInt(fields[3], 10, 64) // "-" if the content is not here
		dir, base := path.Split(name)
		switch {
		case err != nil:
		case base == "metadata.json":
			about[dir] = id
		case entireMain().MatchString(base):
			f := mine[dir]
			if f == nil {
				f = &entireFile{dir: dir, name: "full.jsonl"}
				mine[dir] = f
			}
			f.pieces, f.size = append(f.pieces, id), f.size+size // git lists the pieces in the order of their numbers
		case entireTask().MatchString(base) && strings.Contains(dir, "/tasks/"):
			mine[name] = &entireFile{name: base, pieces: []refs.OID{id}, size: size}
		}
	}
	for _, f := range mine {
		if f.dir != "" {
			r.checkpoints++
			f.about = about[f.dir]
		}
		key := fmt.Sprint(f.pieces)
		if files[key] != nil {
			r.again++
			continue
		}
		files[key] = f
	}
}

// write writes the files. It leaves out a file that is only the beginning of another file of its session.
func (r *entireReader) write(files map[string]*entireFile) error {
	sessions := map[string][]*entireFile{}
	for key, f := range files {
		if id := r.session(f); id != "" {
			f.name = id + ".jsonl"
			key = f.name
		} else if f.dir == "" {
			key = f.name
		}
		sessions[key] = append(sessions[key], f)
	}
	for _, list := range sessions {
		slices.SortFunc(list, func(a, b *entireFile) int {
			return cmp.Or(cmp.Compare(b.size, a.size), slices.CompareFunc(a.pieces, b.pieces, refs.OID.Compare))
		})
		var longest []byte
		for _, f := range list {
			content, err := r.content(f)
			switch {
			case err != nil:
				r.unread++
				continue
			case longest != nil && bytes.HasPrefix(longest, bytes.TrimSuffix(content, []byte("\n"))):
				r.again++
				continue
			case longest == nil:
				longest = content
			}
			r.files++
			dir := filepath.Join(r.dir, strconv.Itoa(r.files))
			if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, f.name), content, 0o600)); err != nil {
				return err
			}
		}
	}
	return nil
}

// content joins the pieces of a file.
func (r *entireReader) content(f *entireFile) ([]byte, error) {
	var all []byte
	for _, id := range f.pieces {
		piece, err := r.objects.Blob(id)
		if err != nil {
			return nil, err
		}
		if len(all) > 0 && all[len(all)-1] != '\n' {
			all = append(all, '\n')
		}
		all = append(all, piece...)
	}
	return all, nil
}

// session returns the session id of a file; empty if unknown.
func (r *entireReader) session(f *entireFile) string {
	var about struct {
		ID string `json:"session_id"`
	}
	if f.about.IsZero() {
		return ""
	}
	raw, err := r.objects.Blob(f.about)
	if err != nil || json.Unmarshal(raw, &about) != nil || !entireID().MatchString(about.ID) {
		return ""
	}
	return about.ID
}
