package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Prompts stores the texts of prompts as typed, until a redacted record has them or they expire, in <common git
// dir>/traces/prompts/TRACE/INDEX. Only the user can read them. They never leave the machine.
type Prompts struct {
	dir string
}

// maxPromptBytes limits the size of one stored prompt.
const maxPromptBytes = 4 << 20

// NewPrompts returns the store of the repository. It opens no file before the first use.
func NewPrompts(repo *refs.Repo) *Prompts {
	return &Prompts{dir: filepath.Join(repo.TracesDir(), "prompts")}
}

// Put stores the text of a prompt. An empty text stores nothing.
func (p *Prompts) Put(trace events.TraceID, index int, text string) error {
	if text == "" {
		return nil
	}
	if len(text) > maxPromptBytes {
		text = text[:maxPromptBytes]
	}
	dir := filepath.Join(p.dir, string(trace))
	if err := refs.MakeDirs(dir, 0o700); err != nil {
		return fmt.Errorf("store prompt: %w", err)
	}
	if err := refs.WriteFileAtomic(filepath.Join(dir, strconv.Itoa(index)), []byte(text), 0o600); err != nil {
		return fmt.Errorf("store prompt: %w", err)
	}
	return nil
}

// Get returns the text of a prompt. The result `found` is false if this machine does not have it.
func (p *Prompts) Get(trace events.TraceID, index int) (text string, found bool, err error) {
	raw, err := refs.ReadFile(filepath.Join(p.dir, filepath.Base(string(trace)), strconv.Itoa(index)))
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("read prompt: %w", err)
	}
	return string(raw), true, nil
}

// List returns the texts of a conversation's prompts that this machine has, by number.
func (p *Prompts) List(trace events.TraceID) (map[int]string, error) {
	dir := filepath.Join(p.dir, filepath.Base(string(trace)))
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list prompts: %w", err)
	}
	texts := map[int]string{}
	for _, entry := range entries {
		index, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue // a file that is being written
		}
		raw, err := refs.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil, fmt.Errorf("read prompt: %w", err)
		}
		texts[index] = string(raw)
	}
	return texts, nil
}

// Traces returns the conversations for which this machine has texts of prompts.
func (p *Prompts) Traces() (map[events.TraceID]bool, error) {
	names, err := os.ReadDir(p.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list prompts: %w", err)
	}
	out := make(map[events.TraceID]bool, len(names))
	for _, name := range names {
		out[events.TraceID(name.Name())] = true
	}
	return out, nil
}

// Kept returns the number of stored texts, and the time of the oldest one.
func (p *Prompts) Kept() (n int, oldest time.Time, err error) {
	err = p.each(func(_ events.TraceID, _ int, at time.Time) error {
		if n++; oldest.IsZero() || at.Before(oldest) {
			oldest = at
		}
		return nil
	})
	return n, oldest, err
}

// Expire deletes the texts that were typed before a time, and returns their number. If `dry` is set, it only counts
// them.
func (p *Prompts) Expire(before time.Time, dry bool) (n int, err error) {
	err = p.each(func(trace events.TraceID, index int, at time.Time) error {
		if !at.Before(before) {
			return nil
		}
		n++
		if dry {
			return nil
		}
		return p.Drop(trace, index)
	})
	return n, err
}

// `each` calls the function `yield` for every stored text, with its time.
func (p *Prompts) each(yield func(trace events.TraceID, index int, at time.Time) error) error {
	traces, err := p.Traces()
	if err != nil {
		return err
	}
	for trace := range traces {
		entries, err := os.ReadDir(filepath.Join(p.dir, string(trace)))
		if err != nil {
			continue // just deleted, or not a directory
		}
		for _, entry := range entries {
			index, err := strconv.Atoi(entry.Name())
			info, statErr := entry.Info()
			if err != nil || statErr != nil {
				continue // being written, or just deleted
			}
			if err := yield(trace, index, info.ModTime()); err != nil {
				return err
			}
		}
	}
	return nil
}

// Drop deletes the text of a prompt.
func (p *Prompts) Drop(trace events.TraceID, index int) error {
	dir := filepath.Join(p.dir, filepath.Base(string(trace)))
	if err := os.Remove(filepath.Join(dir, strconv.Itoa(index))); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("drop prompt: %w", err)
	}
	_ = os.Remove(dir) // fails unless it is empty
	return nil
}
