package trail

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"os/exec"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// descent is the history that leads to a commit. Git lists it from the newest commit back. The reader stops as early as
// possible, so finding recent commits is fast even in a long history.
type descent struct {
	cmd      *exec.Cmd
	out      *bufio.Reader          // nil when everything was read
	broken   bool                   // git could not read the whole history
	met      map[refs.OID]bool      // commits listed so far
	children map[refs.OID]offspring // children by parent
	reverted map[refs.OID]bool      // commits that a listed commit reverts, by its message
	at       int64                  // time of the last listed commit, in seconds
}

// offspring is the oldest child of a commit, which git lists last.
type offspring struct {
	id    refs.OID
	merge bool
}

// skew is the largest expected difference between the clocks of committers, in seconds.
const skew = 24 * 60 * 60

func newDescent(ctx context.Context, repo *refs.Repo, end refs.OID) (*descent, error) {
	d := &descent{met: map[refs.OID]bool{}, children: map[refs.OID]offspring{}, reverted: map[refs.OID]bool{}}
	d.cmd = repo.Command(ctx, "log", "-z", "--no-show-signature", "--format=%ct %H %P%n%b", end.String(), "--")
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	d.out = bufio.NewReader(out)
	return d, d.cmd.Start()
}

// reach reads until it finds a commit, or a commit with an earlier time. It reports whether it found the commit.
func (d *descent) reach(commit refs.OID, seconds int64) bool {
	for !d.met[commit] && d.out != nil && (len(d.met) == 0 || d.at >= seconds) {
		record, err := d.out.ReadString(0)
		if record != "" {
			err = cmp.Or(d.take(strings.TrimSuffix(record, "\x00")), err)
		}
		if err != nil {
			d.broken = !errors.Is(err, io.EOF)
			d.end()
		}
	}
	return d.met[commit]
}

// child returns the oldest child of a commit in this history, or zero if git does not list it.
func (d *descent) child(commit refs.OID) offspring {
	d.reach(commit, math.MinInt64)
	return d.children[commit]
}

// take reads git's record of one commit: the time, the commit and its parents, followed by the body of the message.
func (d *descent) take(record string) error {
	row, body, _ := strings.Cut(record, "\n")
	fields := strings.Fields(row)
	ids := make([]refs.OID, 0, len(fields))
	for _, field := range fields[min(1, len(fields)):] {
		id, err := refs.ParseOID(field)
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return nil
	}
	at, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		return err
	}
	d.at, d.met[ids[0]] = at, true
	for _, parent := range ids[1:] {
		d.children[parent] = offspring{ids[0], len(ids) > 2}
	}
	if back := takenBack(body); !back.IsZero() {
		d.reverted[back] = true
	}
	return nil
}

// revertedWords is the text that git-revert(1) writes into the message before the id of the commit.
const revertedWords = "This reverts commit "

// takenBack returns the commit that a message reverts, or the zero id.
func takenBack(message string) refs.OID {
	_, rest, _ := strings.Cut(message, revertedWords)
	word, _, _ := strings.Cut(rest, "\n")
	commit, err := refs.ParseOID(strings.TrimRight(word, "., "))
	if err != nil {
		return refs.OID{}
	}
	return commit
}

// `end` ends the process of git.
func (d *descent) end() {
	if d.broken {
		_ = d.cmd.Process.Kill()
	}
	d.broken = d.cmd.Wait() != nil
	d.out = nil
}

func (d *descent) close() {
	if d.out != nil {
		d.broken = true
		d.end()
	}
}

// descentOf returns the history that leads to a commit. The first call starts it.
func (t *Tracker) descentOf(end refs.OID) (*descent, error) {
	d := t.descents[end]
	if d == nil {
		var err error
		if d, err = newDescent(t.ctx, t.repo, end); err != nil {
			return nil, err
		}
		t.descents[end] = d
	}
	return d, nil
}

// isWithin reports whether a commit is an ancestor of another one, or the same. A missing commit is not.
func (t *Tracker) isWithin(commit, of refs.OID) (bool, error) {
	if commit == of || of.IsZero() {
		return commit == of, nil
	}
	c, err := t.objects.Commit(commit)
	if err != nil {
		return false, nil //nolint:nilerr // it is not there
	}
	d, err := t.descentOf(of)
	if err != nil {
		return false, err
	}
	if d.reach(commit, c.Committer.When.Unix()-skew) || d.out == nil && !d.broken {
		return d.met[commit], nil
	}
	key := commit.String() + of.String() // a clock was wrong, or the commit is not an ancestor: ask git
	is, done := t.within[key]
	if !done {
		_, err := t.repo.Git(t.ctx, nil, "merge-base", "--is-ancestor", commit.String(), of.String())
		is = err == nil
		t.within[key] = is
	}
	return is, nil
}
