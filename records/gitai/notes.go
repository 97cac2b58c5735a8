package gitai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// NotesWriter stores notes under git-ai's ref. Two processes write all of them: git-notes(1) adds one note at a time,
// and writes the whole tree each time.
type NotesWriter struct {
	ctx  context.Context
	repo *refs.Repo
	has  map[string]bool // commits that already have another tool's note

	stream bytes.Buffer // input of git-fast-import(1): all notes but the last
	last   refs.OID
	text   []byte // text of the last note
	Count  int
}

func NewNotesWriter(ctx context.Context, repo *refs.Repo) (*NotesWriter, error) {
	w := &NotesWriter{ctx: ctx, repo: repo, has: map[string]bool{}}
	objects := repo.Objects()
	defer func() { _ = objects.Close() }()
	err := EachNote(ctx, repo, func(commit string, blob refs.OID) error {
		text, err := objects.Blob(blob)
		if err != nil {
			return fmt.Errorf("read note of %.7s: %w", commit, err)
		}
		note, err := Parse(text)
		w.has[commit] = err != nil || note.Metadata.GitAIVersion != Writer
		return nil //nolint:nilerr // an unreadable one is not ours
	})
	return w, err
}

func (w *NotesWriter) Write(commit refs.OID, text []byte) {
	if w.has[commit.String()] {
		return
	}
	if !w.last.IsZero() {
		fmt.Fprintf(&w.stream, "N inline %s\ndata %d\n%s\n", w.last, len(w.text), w.text)
	}
	w.last, w.text = commit, append(bytes.TrimRight(text, "\n"), '\n') // git-notes(1) ends a note with one newline
	w.Count++
}

// Done stores the notes. git-notes(1) adds the last one, and so gives the tree git's own form.
func (w *NotesWriter) Done() error {
	if w.last.IsZero() {
		return nil
	}
	if w.stream.Len() > 0 {
		who, err := w.repo.Git(w.ctx, nil, "var", "GIT_COMMITTER_IDENT")
		if err != nil {
			return fmt.Errorf("write notes: %w", err)
		}
		const message = "Notes added by 'git-trace export'\n"
		head := fmt.Sprintf("commit %s\ncommitter %sdata %d\n%s", NotesRef, who, len(message), message)
		if _, err := w.repo.ReadRef(NotesRef); err == nil {
			head += "from " + NotesRef + "^0\n"
		}
		in := io.MultiReader(strings.NewReader(head), &w.stream)
		if _, err := w.repo.Git(w.ctx, in, "fast-import", "--quiet", "--date-format=raw"); err != nil {
			return fmt.Errorf("write notes: %w", err)
		}
	}
	_, err := w.repo.Git(w.ctx, bytes.NewReader(w.text), "notes", "--ref="+NotesRef, "add", "-f", "-F", "-",
		w.last.String())
	if err != nil {
		return fmt.Errorf("write note: %w", err)
	}
	return nil
}

// EachNote yields the notes under git-ai's ref.
func EachNote(ctx context.Context, repo *refs.Repo, yield func(commit string, blob refs.OID) error) error {
	if _, err := repo.ReadRef(NotesRef); err != nil {
		if errors.Is(err, refs.ErrRefMissing) {
			return nil
		}
		return err
	}
	out, err := repo.Git(ctx, nil, "notes", "--ref="+NotesRef, "list")
	if err != nil {
		return fmt.Errorf("list notes: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		blob, commit, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		id, err := refs.ParseOID(blob)
		if err != nil {
			return fmt.Errorf("list notes: %w", err)
		}
		if err := yield(commit, id); err != nil {
			return err
		}
	}
	return nil
}
