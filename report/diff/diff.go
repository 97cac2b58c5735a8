package diff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
)

// Diff is the output of git diff with owners.
type Diff struct {
	Before   []byte // git's figures before the patch, if they were requested
	Files    []*File
	Old, New Side
	Fork     bool // the old side is the merge base of Old and New
	Changed  bool // git found a difference, with --exit-code
	Churn    []Churn

	// Untracked holds the untracked files of the work tree, which git leaves out of a diff. All their lines are new.
	// Unread is the number of further files that were not read.
	Untracked []*File
	Unread    int
}

// File is a file that differs.
type File struct {
	*gitdiff.Record        // nil for git's text about a submodule
	Path            string // relative to the top of the work tree, as raw bytes
	OldPath         string
	Head            []byte // git's text before the first hunk
	Hunks           []Hunk
	binary          bool // the file is untracked and binary
}

// Hunk is a hunk with its context.
type Hunk struct {
	gitdiff.Hunk
	Head  []byte // git's line that begins the hunk
	Lines []Line
}

// Line is a line of a hunk. Owner is nil for an unchanged line, and if owners were not requested. Lines of one run
// share one Owner: it has facts about the owner, not about a line.
type Line struct {
	gitdiff.TextLine
	Owner *blame.Annotated
}

// EachAdded calls the function `take` for each added line.
func (d *Diff) EachAdded(take func(*Line)) {
	for _, f := range d.Files {
		f.each(Added, take)
	}
}

// Content returns the line without its line end.
func (l *Line) Content() []byte { return bytes.TrimSuffix(l.Text, []byte("\n")) }

// Source provides the facts about owners.
type Source struct {
	Resolver blame.Resolver
	Snapshot blame.Resolver // owners of contents that snapshots at boundaries have
	Log      belief.Log
	Searcher belief.Searcher // nil: no search
	Config   refs.Config
	// Added returns, by commit, the number of lines that commits without any known owner added.
	Added func(ctx context.Context, commits []refs.OID) (map[refs.OID]int, error)
}

// Failure is git's refusal of the arguments.
type Failure struct {
	Code    int
	Message string // message as git printed it
}

func (f *Failure) Error() string { return f.Message }

// Git returns the command git diff with the user's arguments, in the user's directory dir.
func (o *Options) Git(ctx context.Context, repo *refs.Repo, dir string) *exec.Cmd {
	args := []string{"diff"}
	if o.Color != "" {
		args = append(args, "--color="+o.Color)
	}
	return o.command(ctx, repo, dir, args)
}

// command returns git diff with args, then the user's arguments. The trees of snapshots are in the side store.
func (o *Options) command(ctx context.Context, repo *refs.Repo, dir string, args []string) *exec.Cmd {
	cmd := repo.CommandUser(ctx, dir, append(args, o.git...)...)
	if len(o.moments) > 0 {
		cmd.Env = append(cmd.Env, repo.SideReadEnv()...)
	}
	return cmd
}

// Read runs git diff in the user's directory dir, and finds the owners.
func Read(ctx context.Context, repo *refs.Repo, dir string, o Options, from Source) (*Diff, error) {
	f := &finder{ctx: ctx, repo: repo, dir: dir, o: &o, from: from, objects: repo.Objects()}
	defer func() { _ = f.objects.Close() }()
	out, changed, err := f.git()
	if err != nil {
		return nil, err
	}
	d := &Diff{Changed: changed}
	f.Diff = d
	s, err := o.sides(ctx, repo, dir)
	if f.sides = s; len(out) == 0 {
		if err != nil { // the diff is empty
			return d, nil
		}
		err = f.untracked()
		d.only(o.Only)
		return d, err
	}
	if err != nil {
		return nil, err
	}
	f.nameTrees()
	d.Old, d.New, d.Fork = f.sides.old, f.sides.new, s.fork
	oldPrefix, newPrefix := o.prefixesOf(from.Config, s)
	text, err := gitdiff.ParseText(out, oldPrefix, newPrefix)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrGit, err)
	}
	f.take(text)
	if err := f.own(); err != nil {
		return nil, err
	}
	err = f.untracked()
	d.only(o.Only)
	return d, err
}

// git runs git diff. Our options come before the user's, so that the user's override them.
func (f *finder) git() (out []byte, changed bool, err error) {
	args := []string{"diff", "--raw", "-p", "--no-abbrev", "--no-color", "--no-ext-diff"}
	if value, _ := f.from.Config.Get("diff.submodule"); value == "diff" {
		args = append(args, "--submodule=log")
	}
	cmd := f.o.command(f.ctx, f.repo, f.dir, args)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case f.ctx.Err() != nil:
		return nil, false, f.ctx.Err()
	case errors.As(err, &exit) && exit.ExitCode() == 1: // with --exit-code
		return stdout.Bytes(), true, nil
	case errors.As(err, &exit):
		return nil, false, &Failure{exit.ExitCode(), stderr.String()}
	case err != nil:
		return nil, false, fmt.Errorf("git diff: %w", err)
	}
	return stdout.Bytes(), false, nil
}

// prefixesOf returns the prefixes of the two paths (diff.noPrefix and diff.mnemonicPrefix in git-config(1)).
func (o *Options) prefixesOf(config refs.Config, s sides) (old, now string) {
	old, now = "a/", "b/"
	for key, to := range map[string]*string{"diff.srcprefix": &old, "diff.dstprefix": &now} {
		if value, found := config.Get(key); found {
			*to = value
		}
	}
	switch {
	case o.prefixes != nil:
		old, now = o.prefixes[0], o.prefixes[1]
	case config.Bool("diff.noprefix", false):
		old, now = "", ""
	case config.Bool("diff.mnemonicprefix", false) && s.given != [2]Kind{Commit, Commit}:
		letters := map[Kind]string{Commit: "c/", Index: "i/", Work: "w/"}
		old, now = letters[s.given[0]], letters[s.given[1]]
	}
	if o.reverse {
		return now, old
	}
	return old, now
}

// take builds the diff from git's output.
func (f *finder) take(text *gitdiff.Text) {
	f.Before = text.Before
	if f.o.reverse {
		f.Old, f.New = f.New, f.Old
	}
	below := f.below()
	for i := range text.Sections {
		s := &text.Sections[i]
		file := &File{Record: s.Record, Head: s.Head}
		if s.Record != nil {
			file.OldPath, file.Path = path.Join(below, s.Record.OldPath), path.Join(below, s.Record.Path)
		}
		for _, p := range s.Passages {
			h := Hunk{Hunk: p.Hunk, Head: p.Head, Lines: make([]Line, len(p.Lines))}
			for k := range p.Lines {
				h.Lines[k].TextLine = p.Lines[k]
			}
			file.Hunks = append(file.Hunks, h)
		}
		f.Files = append(f.Files, file)
	}
}

// `below` returns the directory to which paths are relative, seen from the top of the work tree (--relative,
// diff.relative).
func (f *finder) below() string {
	here := ""
	if prefix, err := filepath.Rel(f.repo.Top(), f.dir); err == nil && !f.repo.Bare() && prefix != "." &&
		!strings.HasPrefix(prefix, "..") {
		here = filepath.ToSlash(prefix)
	}
	switch r := f.o.relative; {
	case r == nil && f.from.Config.Bool("diff.relative", false):
		return here
	case r == nil || *r == "-":
		return ""
	case *r == "":
		return here
	default:
		return path.Join(here, *r)
	}
}

// EachLine calls the function `take` for each line of the hunks.
func (f *File) EachLine(take func(*Line)) {
	for i := range f.Hunks {
		for k := range f.Hunks[i].Lines {
			take(&f.Hunks[i].Lines[k])
		}
	}
}

// `each` calls the function `take` for the lines that only one side has.
func (f *File) each(sign byte, take func(*Line)) {
	f.EachLine(func(l *Line) {
		if l.Sign == sign {
			take(l)
		}
	})
}

// The signs of added and removed lines.
const (
	Added   byte = '+'
	Removed byte = '-'
)

// `nobody` returns the answer for lines without evidence.
func nobody() *blame.Annotated {
	out := &blame.Annotated{Owner: &blame.Attribution{Kind: events.OwnerUnknown}}
	out.Commit = noCommit
	return out
}

// `only` filters the diff: it keeps the hunks with a line of a selected owner, and the files with such a hunk.
func (d *Diff) only(kinds []events.OwnerKind) {
	if len(kinds) == 0 {
		return
	}
	chosen := func(l Line) bool {
		return l.Owner != nil && slices.Contains(kinds, writerOf(l.Owner.Owner.Kind.Stored(), "", "", "").Kind)
	}
	for _, list := range []*[]*File{&d.Files, &d.Untracked} {
		*list = slices.DeleteFunc(*list, func(f *File) bool {
			f.Hunks = slices.DeleteFunc(f.Hunks, func(h Hunk) bool { return !slices.ContainsFunc(h.Lines, chosen) })
			return len(f.Hunks) == 0
		})
	}
}
