package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/driver"
)

// asker is how a client asks for consent to a shell command at a terminal.
type asker struct {
	client string
	first  []string // what it shows before, and the keys that go on from there
	shows  string   // the dialog, without white space
	allow  string   // the key that consents
	tells  bool     // it says how long the call ran
	late   bool     // it announces the call when the person has consented
}

func askers() []asker {
	return []asker{
		{client: "claude", shows: "Doyouwanttoproceed", allow: "\r", tells: true},
		{client: "codex", first: []string{"Useexistingmodel", "2"}, shows: "Wouldyouliketorun", allow: "y"},
		{client: "qwen", late: true, shows: "Allowexecutionof", allow: "\r", tells: true},
		{client: "gemini", shows: "Allowexecutionof", allow: "\r"},
		{client: "copilot", shows: "Doyouwanttorun", allow: "\r"},
		{client: "droid", first: []string{"Trustthisfolder", "\r"}, shows: "Commandtoapprove", allow: "\r"},
		{client: "opencode", shows: "Permissionrequired", allow: "\r", tells: true},
	}
}

// A permission dialog is open, the person edits, commits some of it, and comes back to allow the command or
// to refuse it with Esc.
func TestWhatIsTypedAtADialogOfAClientIsAPersons(t *testing.T) {
	t.Parallel()
	tools := shellTools()
	for _, c := range askers() {
		for _, answer := range []string{"allowed", "refused"} {
			t.Run(c.client+" "+answer, func(t *testing.T) {
				t.Parallel()
				if os.Getenv("GITTRACE_LONG") == "" && (c.client != "claude" || answer != "allowed") {
					t.Skip("GITTRACE_LONG=1 runs it")
				}
				tool := tools[slices.IndexFunc(tools, func(s shellTool) bool { return s.client == c.client })]
				r := newTraced(t, c.client, tool.options...)
				if c.client == "claude" {
					r.onThePath(tool.options...)
				}
				ended := filepath.Join(r.Dir, "ended")
				input := tool.argument("echo by-the-call > call.txt; sleep 1; touch " + ended)
				if c.client == "codex" {
					input["sandbox_permissions"], input["justification"] = "require_escalated", "for the test"
				}
				script := driver.Main(driver.Turn{Tools: []driver.Tool{{Name: tool.tool, Input: input}}}, driver.Turn{Text: "finished"})
				types := func(line string) { r.Write("a.txt", r.Read("a.txt")+line+"\n") }
				want := func(file, line string, fine ...string) {
					t.Helper()
					for _, l := range r.blame(file) {
						if l.Content == line && !slices.Contains(fine, l.Contributor) {
							t.Errorf("%q is %s (%s), want %s", line, l.Contributor, l.Confidence, fine)
						}
						if l.Content == line && l.Contributor == "ai" && l.Confidence == "high" && slices.Contains(fine, "human") {
							t.Errorf("%q is an agent's, with high confidence", line)
						}
					}
				}
				r.played(script, driver.Options{AllowFailure: true, At: func(s *driver.Terminal) {
					if len(c.first) > 0 && s.See(c.first[0]) {
						s.Press(c.first[1]) // and no more: it goes on at once, and the next key would be the answer to the dialog
					}
					if !s.See(c.shows) {
						return
					}
					time.Sleep(3 * consentPause) // the screen may be there before the hook of the dialog
					types("first at the dialog")
					want("a.txt", "first at the dialog", "human")
					r.commitAll()
					want("a.txt", "first at the dialog", "human")
					types("second at the dialog")
					time.Sleep(consentPause)
					if answer == "refused" {
						s.Press("\x1b")
						time.Sleep(time.Second)
						return
					}
					s.Press(c.allow)
					if s.File(ended) {
						time.Sleep(2 * time.Second) // for the hook of its end
					}
				}})
				if !strings.Contains(r.trace("events", "--json"), "window_opened") && (!c.late || answer == "allowed") {
					t.Fatal("the call was not recorded")
				}
				second := []string{"human"}
				switch {
				case answer == "refused":
					second = append(second, "unknown") // it may have been interrupted as well
				case !c.tells:
					second = append(second, "ai") // it may be the call's as well
				}
				want("a.txt", "second at the dialog", second...)
				r.commitAll()
				want("a.txt", "second at the dialog", second...)
				if answer == "allowed" {
					want("call.txt", "by-the-call", "ai")
				}
				types("typed when all is over")
				want("a.txt", "typed when all is over", "human")
				r.trace("verify")
			})
		}
	}
}

// The person consents, the command runs and writes, they interrupt it with Esc and go on by hand.
func TestWhatIsTypedAfterEscIsNotTheCommands(t *testing.T) {
	t.Parallel()
	if os.Getenv("GITTRACE_LONG") == "" {
		t.Skip("GITTRACE_LONG=1 runs it")
	}
	tools := shellTools()
	tool := tools[slices.IndexFunc(tools, func(s shellTool) bool { return s.client == "claude" })]
	r := newTraced(t, "claude", tool.options...)
	r.onThePath(tool.options...)
	started := filepath.Join(r.Tmp, "started")
	input := tool.argument("echo by-the-call > call.txt; touch " + started + "; sleep 30")
	script := driver.Main(driver.Turn{Tools: []driver.Tool{{Name: tool.tool, Input: input}}}, driver.Turn{Text: "finished"})
	want := func(file, line string, fine ...string) {
		t.Helper()
		for _, l := range r.blame(file) {
			if l.Content == line && !slices.Contains(fine, l.Contributor) {
				t.Errorf("%q is %s (%s), want %s", line, l.Contributor, l.Confidence, fine)
			}
		}
	}
	r.played(script, driver.Options{AllowFailure: true, At: func(s *driver.Terminal) {
		if !s.See("Doyouwanttoproceed") {
			return
		}
		s.Press("\r")
		if !s.File(started) {
			return
		}
		s.Press("\x1b")
		time.Sleep(2 * time.Second) // until it has written that down
		r.Write("a.txt", r.Read("a.txt")+"typed after Esc\n")
		want("a.txt", "typed after Esc", "human", "unknown")
		want("call.txt", "by-the-call", "ai", "unknown")
		r.commitAll()
	}})
	want("a.txt", "typed after Esc", "human", "unknown")
	want("call.txt", "by-the-call", "ai", "unknown") // the client writes the same of a call that was refused
	r.Write("a.txt", r.Read("a.txt")+"typed later\n")
	want("a.txt", "typed later", "human")
	r.commitAll()
	want("a.txt", "typed later", "human")
	if !strings.Contains(r.trace("events", "--json"), "window_opened") {
		t.Error("the call was not recorded")
	}
}
