package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/sharing"
	"github.com/git-trace/git-trace/upkeep/doctor"
)

// obtainConsent records the user's consent to git-trace's hooks, for agents that need it. The user consents by the
// option or at a prompt. Without consent it changes nothing: the agent does not run the hooks, and tellObstacles tells
// the user how to allow them.
func (a *app) obtainConsent(ctx context.Context, in *installation, given bool) (allowed []planned, err error) {
	for _, agent := range in.agents {
		if agent.Trust == nil {
			continue
		}
		status, err := agent.Installer.Status(ctx, in.target)
		if err != nil {
			return allowed, fmt.Errorf("%s: %w", agent.Name, err)
		}
		if !waitsForConsent(status) || !given && !a.consents(agent.Trust.Ask(in.target)) {
			continue
		}
		actions, err := agent.Trust.Allow(ctx, in.target)
		if err != nil {
			return allowed, fmt.Errorf("%s: %w", agent.Name, err)
		}
		for _, action := range actions {
			allowed = append(allowed, planned{who: agent.Name, what: describeAction(action)})
		}
	}
	return allowed, nil
}

func waitsForConsent(status capability.Status) bool {
	for _, obstacle := range status.Obstacles {
		if obstacle.Untrusted {
			return true
		}
	}
	return false
}

// `consents` asks a person; without a terminal it returns false.
func (a *app) consents(what string) bool {
	if what == "" || !a.typing() {
		return false
	}
	fmt.Fprintln(a.std.err, cells.Message(what))
	return a.asks("allow them?")
}

// typing reports whether the input is a terminal.
func (a *app) typing() bool {
	in, isFile := a.std.in.(*os.File)
	return isFile && terminal.Is(in)
}

// `asks` asks a person a question. Without an answer it returns false.
func (a *app) asks(question string) bool {
	fmt.Fprintf(a.std.err, "%s [y/N] ", question)
	answer := a.answer()
	return answer == "y" || answer == "yes"
}

// `asked` asks a person at a terminal, and returns the typed answer; "" accepts the proposed one.
func (a *app) asked(question, proposed string) string {
	if !a.typing() {
		return ""
	}
	fmt.Fprintf(a.std.err, "%s [%s] ", question, cells.Message(proposed))
	line, _ := bufio.NewReader(a.std.in).ReadString('\n')
	return strings.TrimSpace(line)
}

// asksSummary asks a person at a terminal whether they want a line after each commit, once for all their repositories.
// It returns the answer as a value of the setting; "" if the setting exists, or without a terminal.
func (a *app) asksSummary(config refs.Config) string {
	if _, has := config.Get(runner.SummaryKey); has || !a.typing() {
		return ""
	}
	return strconv.FormatBool(a.asks("after your commits, print one line that says whose lines they added?"))
}

// answer reads the person's answer, in small letters.
func (a *app) answer() string {
	line, err := bufio.NewReader(a.std.in).ReadString('\n')
	if err != nil { // input ended: end the line of the question
		fmt.Fprintln(a.std.err)
	}
	return strings.ToLower(strings.TrimSpace(line))
}

// confirm asks before something that cannot be undone. Without a terminal it refuses. does completes its hint about
// --yes.
func (a *app) confirm(question, does string) (bool, error) {
	if !terminal.Is(a.std.err) {
		return false, exit.Fail(exit.Misuse, errors.New("there is no terminal to confirm on"),
			"--yes "+does+" without asking")
	}
	return a.asks(question), nil
}

// tellObstacles names the reasons why installed hooks do not run yet.
func (a *app) tellObstacles(ctx context.Context, in *installation) error {
	if len(in.agents)+len(in.passed) == 0 && !in.global {
		fmt.Fprintf(a.std.err, "git-trace: hint: no coding agent was found on this machine; name one with --agent: %s\n",
			strings.Join(installable(in.env), ", "))
	}
	for _, agent := range in.agents {
		status, err := agent.Installer.Status(ctx, in.target)
		if err != nil {
			return explainInstall(fmt.Errorf("%s: %w", agent.Name, err))
		}
		for _, obstacle := range status.Obstacles {
			fmt.Fprintf(a.std.err, "git-trace: hint: %s: %s; %s\n", agent.Name, cells.Message(obstacle.What),
				cells.Message(obstacle.Mend))
		}
	}
	if in.repo == nil {
		return nil
	}
	mirrors, err := sharing.MirrorNotes(ctx, in.repo)
	for _, note := range mirrors {
		fmt.Fprintf(a.std.err, "git-trace: hint: %s\n", cells.Message(note))
	}
	return err
}

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
