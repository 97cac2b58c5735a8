package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/upkeep/doctor"
)

// tellMissing lists, after init, the agents on this machine and the earlier conversations that are not traced. It
// offers to read the conversations at once, since some agents delete them.
func (a *app) tellMissing(ctx context.Context, in *installation) error {
	d, err := newDoctor(in.repo)
	if err != nil {
		return err
	}
	var told []string
	for _, one := range in.passed {
		told = append(told, one.agent.Name)
	}
	for _, f := range d.Untraced(ctx, told...) {
		a.warn(f)
	}
	past := d.Past(time.Now())
	for _, f := range past {
		fmt.Fprintf(a.std.err, "git-trace: hint: %s: %s\n", cells.Message(f.What), f.Mend)
	}
	if len(past) == 0 || !a.typing() {
		return nil
	}
	if !terminal.Is(a.std.err) || !a.asks("read them now?") {
		return nil
	}
	return a.call(ctx, backfillCommand(), nil)
}

// `warn` prints a finding that makes answers wrong, with its remedy.
func (a *app) warn(f doctor.Finding) {
	fmt.Fprintf(a.std.err, "git-trace: warning: %s\ngit-trace: hint: %s\n", cells.Message(f.What), cells.Message(f.Mend))
}

// untracedAsked is the time between two searches for untraced agents by blame.
const untracedAsked = 24 * time.Hour

// tellUntraced prints below a blame, once, that this machine has agents without hooks. A file notes that; without the
// file, the message appears again.
func (a *app) tellUntraced(ctx context.Context, repo *refs.Repo) {
	if !terminal.Is(a.std.err) || repo.Bare() || !recorded.Is(repo) {
		return
	}
	memory := filepath.Join(repo.TracesDir(), "cache", "untraced-told")
	if info, err := os.Stat(memory); err == nil && time.Since(info.ModTime()) < untracedAsked {
		return
	}
	d, err := newDoctor(repo)
	if err != nil {
		return
	}
	said, _ := os.ReadFile(memory) // fails before the first message
	text := ""
	for _, f := range d.Untraced(ctx) {
		if text += f.What + "\n"; len(said) < len(text) || string(said[:len(text)]) != text {
			a.warn(f)
		}
	}
	_ = os.WriteFile(memory, []byte(text), 0o600)
}
