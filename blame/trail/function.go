package trail

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/function"
	"github.com/git-trace/git-trace/refs/gitdiff"
)

// FunctionJSON is the history of a function, in JSON.
type FunctionJSON struct {
	Path       string       `json:"path"` // present path
	PathBase64 string       `json:"path_base64,omitempty"`
	Name       string       `json:"name"`
	Text       string       `json:"text"`
	Start      int          `json:"start"`
	Count      int          `json:"count"`
	Changes    []ChangeJSON `json:"changes"` // newest first

	Raw string `json:"-"` // the path in raw bytes
}

// ChangeJSON is one change of a function: a commit, or the uncommitted changes.
type ChangeJSON struct {
	Commit     *refs.OID          `json:"commit"` // null for uncommitted changes
	Time       *time.Time         `json:"time"`   // author time
	Author     *string            `json:"author"`
	Subject    *string            `json:"subject"`
	Path       string             `json:"path"` // name of the file in this commit
	PathBase64 string             `json:"path_base64,omitempty"`
	Added      int                `json:"added"`
	Removed    *int               `json:"removed"` // null for uncommitted changes
	Writers    []blame.WriterJSON `json:"writers"` // writers of the added lines

	Raw string `json:"-"`
}

// Functions returns the functions of a file in the work tree, or in HEAD of a bare repository.
func (t *Tracker) Functions(path string) ([]function.Function, error) {
	lines, err := t.lines("", path)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	for i := range lines {
		text.Write(lines[i].Content)
		text.WriteByte('\n')
	}
	return function.Of(t.ctx, t.repo, function.Content{Path: path, Text: text.Bytes()})
}

// Function follows a function of a file. Git finds the commits that changed its lines, under all names of the file.
func (t *Tracker) Function(path string, f *function.Function) (*FunctionJSON, error) {
	out := &FunctionJSON{Name: f.Name, Text: f.Text, Start: f.Start, Count: f.Count, Changes: []ChangeJSON{}, Raw: path}
	out.Path, out.PathBase64 = text(path)
	lines, err := t.lines("", path)
	if err != nil {
		return nil, err
	}
	pending := slices.DeleteFunc(slices.Clone(lines[f.Start-1:f.Start-1+f.Count]), func(l blame.Annotated) bool {
		return l.Commit.Committed()
	})
	if len(pending) > 0 {
		out.Changes = append(out.Changes, ChangeJSON{Path: out.Path, PathBase64: out.PathBase64, Added: len(pending),
			Writers: blame.Writers(pending), Raw: path})
	}
	content, err := t.headBlob(path)
	if err != nil || content == nil {
		return out, err
	}
	list, err := function.Of(t.ctx, t.repo, function.Content{Path: path, Text: content})
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(list, func(one function.Function) bool { return one.Name == f.Name })
	if at < 0 { // the function is not committed yet
		return out, nil
	}
	changes, err := t.changes(path, list[at].Start, list[at].Count)
	out.Changes = append(out.Changes, changes...)
	return out, err
}

func (t *Tracker) headBlob(path string) ([]byte, error) {
	head, _, err := t.repo.Head()
	if err != nil || head.IsZero() {
		return nil, err
	}
	return t.blob(head, path)
}

// changes asks git log -L for the commits that changed a range of lines of HEAD, and then finds the owners.
func (t *Tracker) changes(path string, start, count int) ([]ChangeJSON, error) {
	r := lineLog{}
	err := t.repo.GitRead(t.ctx, nil, r.read, "-c", "log.showSignature=false", "log", "--no-color", "--no-ext-diff",
		"--no-textconv", "--no-notes", "--format="+recordSign+"%H%x00%at%x00%ct%x00%an%x00%s",
		fmt.Sprintf("-L%d,%d:%s", start, start+count-1, path), "HEAD")
	if err != nil {
		return nil, fmt.Errorf("find the commits of a function: %w", err)
	}
	owned, err := blame.Owners(t.ctx, t.resolver, r.lines, func(string) ([]byte, error) { return nil, nil })
	if err != nil {
		return nil, err
	}
	for i := range r.changes {
		c := &r.changes[i]
		c.Writers = blame.Writers(owned[:c.Added])
		owned = owned[c.Added:]
	}
	return r.changes, nil
}

// recordSign is the first byte of the output for each commit.
const recordSign = "\x1e"

// lineLog reads the output of git log -L.
type lineLog struct {
	changes []ChangeJSON
	lines   []gitblame.Line // the added lines of all changes
	commit  *gitblame.Commit
}

var errLineLog = errors.New("unexpected output of git log -L")

func (r *lineLog) read(out io.Reader) error {
	in := bufio.NewReader(out)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			return err
		case bytes.HasPrefix(line, []byte(recordSign)):
			err = r.begin(strings.Split(string(line[len(recordSign):]), "\x00"))
		case r.commit == nil:
		case bytes.HasPrefix(line, []byte("+++ b/")):
			r.file(bytes.TrimSuffix(line[len("+++ b/"):], []byte("\t")))
		case bytes.HasPrefix(line, []byte(`+++ "b/`)):
			if path, ok := gitdiff.Unquote(line[len("+++ "):]); ok {
				r.file([]byte(path[len("b/"):]))
			}
		case bytes.HasPrefix(line, []byte("@@ ")):
			err = r.hunk(in, line)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
}

// begin reads the data of a commit.
func (r *lineLog) begin(fields []string) error {
	if len(fields) < 5 {
		return errLineLog
	}
	id, err := refs.ParseOID(fields[0])
	authored, failed := strconv.ParseInt(fields[1], 10, 64)
	committed, last := strconv.ParseInt(fields[2], 10, 64)
	if err := errors.Join(err, failed, last); err != nil {
		return fmt.Errorf("%w: %w", errLineLog, err)
	}
	when := time.Unix(authored, 0).UTC()
	r.commit = &gitblame.Commit{ID: id, Summary: fields[4]}
	r.commit.Author.Name, r.commit.Author.Time, r.commit.Committer.Time = fields[3], authored, committed
	r.changes = append(r.changes, ChangeJSON{Commit: &id, Time: &when, Author: &fields[3], Subject: &fields[4],
		Removed: new(int)})
	return nil
}

func (r *lineLog) file(path []byte) {
	c := &r.changes[len(r.changes)-1]
	c.Raw = string(path)
	c.Path, c.PathBase64 = text(c.Raw)
}

// hunk reads the lines of a hunk with context.
func (r *lineLog) hunk(in *bufio.Reader, header []byte) error {
	h, err := gitdiff.ParseHunk(header)
	if err != nil {
		return err
	}
	c := &r.changes[len(r.changes)-1]
	for old, line := h.OldCount, h.NewStart; old > 0 || line < h.NewStart+h.NewCount; {
		text, err := in.ReadBytes('\n')
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			return err
		case len(text) == 0:
			return fmt.Errorf("%w: half a hunk", errLineLog)
		}
		switch text[0] {
		case '+':
			r.lines = append(r.lines, gitblame.Line{Commit: r.commit, OrigPath: c.Raw, OrigLine: line, FinalLine: line,
				Content: bytes.TrimSuffix(text[1:], []byte("\n"))})
			c.Added++
			line++
		case '-':
			*c.Removed++
			old--
		case '\\':
		default:
			old, line = old-1, line+1
		}
	}
	return nil
}
