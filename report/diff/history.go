package diff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
)

// history lists the commits between two commits, with the paths that each changed.
type history struct {
	commits  []*gitblame.Commit // commits that only the newer side has, including merges
	straight bool               // the older side has no commits of its own
	merges   bool
	touches  map[string][]touch
}

// touch is one commit's change of a path.
type touch struct {
	commit *gitblame.Commit // nil for a commit of the older side
	record gitdiff.Record
}

// `between` reads the history between the sides, if both are commits, or one is the work tree.
func (f *finder) between() error {
	old, now := f.sides.old, f.sides.new
	rev := now.Rev
	if now.Kind != Commit {
		rev = head
	}
	var args []string
	switch {
	case f.empty(old.Rev) && now.Kind == Commit: // all commits that lead to the newer side
		args = []string{rev}
	case old.Kind != Commit || now.Kind == Tree || now.Kind != Commit && isHeadRev(old.Rev):
		return nil
	case f.sides.fork:
		args = []string{rev, "^" + old.Rev}
	default:
		args = []string{old.Rev + "..." + rev}
	}
	h, err := readHistory(f.ctx, f.repo, f.dir, args)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrGit, err)
	}
	h.straight = h.straight || f.sides.fork
	f.history = h
	return nil
}

// logFormat lists the fields of a commit: side, id, the author's name, address and time, the same of the committer,
// parents, subject.
const logFormat = "--format=%x1e%m%x1f%H%x1f%aN%x1f%aE%x1f%ad%x1f%cN%x1f%cE%x1f%cd%x1f%P%x1f%s"

const logFields = 10

var errLog = errors.New("unexpected output of git log")

// readHistory reads the changes of commits from their trees alone. It follows renames as git-blame(1) does.
func readHistory(ctx context.Context, repo *refs.Repo, dir string, revs []string) (*history, error) {
	args := []string{"-c", "log.showRoot=true", "-c", "log.follow=false", "-c", "log.showSignature=false", "log",
		"--left-right", "--diff-merges=off", "--no-notes", "--no-relative", "--date=raw", "--encoding=UTF-8", "-M",
		logFormat}
	args = append(append(append(args, gitdiff.Raw()...), revs...), "--")
	var stderr bytes.Buffer
	cmd := repo.CommandUser(ctx, dir, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git log: %w", err)
	}
	h := &history{straight: true, touches: map[string][]touch{}}
	var commit *gitblame.Commit
	for len(out) > 0 {
		out = bytes.TrimPrefix(out, []byte("\n"))
		field, rest, _ := bytes.Cut(out, []byte{0})
		switch {
		case len(field) == 0:
			out = rest
		case field[0] == 0x1e:
			if commit, err = h.logCommit(string(field[1:])); err != nil {
				return nil, err
			}
			if commit != nil {
				h.commits = append(h.commits, commit)
			} else {
				h.straight = false
			}
			out = rest
		case field[0] == ':':
			n := recordsLength(out)
			list, err := gitdiff.Records(out[:n])
			if err != nil {
				return nil, fmt.Errorf("%w: %w", errLog, err)
			}
			for _, r := range list {
				h.touch(commit, r)
			}
			out = out[n:]
		default:
			return nil, errLog
		}
	}
	return h, nil
}

// recordsLength returns the length in bytes of the raw diff records at the beginning of the output.
func recordsLength(out []byte) int {
	n := 0
	for n < len(out) && out[n] == ':' {
		head := bytes.IndexByte(out[n:], 0)
		if head < 0 {
			return len(out)
		}
		paths := 1
		if status := out[n+bytes.LastIndexByte(out[n:n+head], ' ')+1]; status == 'R' || status == 'C' {
			paths = 2
		}
		n += head + 1
		for range paths {
			end := bytes.IndexByte(out[n:], 0)
			if end < 0 {
				return len(out)
			}
			n += end + 1
		}
	}
	return n
}

func (h *history) touch(c *gitblame.Commit, r gitdiff.Record) {
	h.touches[r.Path] = append(h.touches[r.Path], touch{c, r})
	if r.OldPath != r.Path {
		h.touches[r.OldPath] = append(h.touches[r.OldPath], touch{c, r})
	}
}

// logCommit parses the fields of a commit; nil for a commit of the older side.
func (h *history) logCommit(text string) (*gitblame.Commit, error) {
	fields := strings.SplitN(text, "\x1f", logFields)
	if len(fields) != logFields {
		return nil, errLog
	}
	if fields[0] == "<" {
		return nil, nil // the caller only needs to know that such a commit exists
	}
	id, err := refs.ParseOID(fields[1])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errLog, err)
	}
	h.merges = h.merges || strings.Contains(fields[8], " ")
	c := &gitblame.Commit{ID: id, Summary: fields[9]}
	for i, person := range []*gitblame.Person{&c.Author, &c.Committer} {
		seconds, zone, _ := strings.Cut(fields[4+3*i], " ")
		*person = gitblame.Person{Name: fields[2+3*i], Mail: "<" + fields[3+3*i] + ">", TZ: zone}
		if person.Time, err = strconv.ParseInt(seconds, 10, 64); err != nil {
			return nil, fmt.Errorf("%w: %w", errLog, err)
		}
	}
	return c, nil
}

// `only` returns the single commit that made the whole change of a file; nil if several commits did.
func (h *history) only(f *File) *gitblame.Commit {
	list := h.touches[f.Path]
	if len(list) != 1 || f.OldPath != f.Path && len(h.touches[f.OldPath]) != 1 {
		return nil
	}
	t := &list[0]
	if t.record.Path != f.Path || t.record.Old != f.Old || t.record.New != f.New || t.record.OldPath != f.OldPath {
		return nil
	}
	return t.commit
}

// `untouched` reports whether no commit between the two sides changed a file.
func (h *history) untouched(f *File) bool {
	return h != nil && len(h.touches[f.Path])+len(h.touches[f.OldPath]) == 0
}
