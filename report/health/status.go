package health

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/report/answers"
	"github.com/git-trace/git-trace/report/show"
	"github.com/git-trace/git-trace/sharing"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/upkeep/doctor"
	"github.com/git-trace/git-trace/upkeep/keeping"
	"github.com/git-trace/git-trace/upkeep/purge"
	"github.com/git-trace/git-trace/view"
)

// oldPrompt is the age at which status mentions a prompt without a record. A record is stored at the end of a turn.
const oldPrompt = 24 * time.Hour

// Of collects everything that is quick to find out.
func Of(ctx context.Context, repo *refs.Repo, h *doctor.Doctor, now time.Time) (answers.Status, error) {
	g, err := h.Glance(ctx, now)
	r := answers.Status{
		Schema: answers.StatusSchema, WorkTree: repo.WorkTree, Recording: g.Recording, Listed: g.Listed, GitHooks: g.GitHooks,
		Agents: g.Agents, Log: g.Log, Spooled: g.Spooled, Failure: g.Failure, Attention: g.Attention,
		Purged: purge.Conversations(repo), Open: append([]trails.OpenCall{}, trails.OpenCalls(repo)...),
	}
	if err != nil {
		return r, err
	}
	if r.Prompts, err = view.TypedPrompts(repo); err != nil {
		return r, err
	}
	r.Collected = keeping.LoadCollected(repo)
	if r.Shared, err = sharing.States(ctx, events.OpenLog(repo)); err != nil {
		r.Attention = append(r.Attention, doctor.Finding{What: err.Error(), Mend: "git trace verify"})
	}
	r.Shared = append([]sharing.State{}, r.Shared...)
	if m := trails.MissedHooks(repo); m.Hooks > 0 && now.Sub(m.Last) < doctor.Recent {
		r.Missed = &answers.MissedHooks{Calls: m.Calls, Hooks: m.Hooks, First: m.First, Last: m.Last,
			Why: append([]string{}, m.Why...)}
	}
	if !r.Recording {
		return r, nil
	}
	if left, err := view.PendingOf(ctx, repo, nil); err != nil {
		r.Attention = append(r.Attention, doctor.Finding{What: err.Error(), Mend: "git trace doctor"})
	} else {
		r.Pending = &answers.PendingLines{PendingFigures: left.Figures()}
		if r.Pending.Unknown > 0 {
			r.Pending.Why = show.WhyUnknown(ctx, repo, left)
		}
	}
	return r, nil
}

// Draw writes one row for each fact, with the command that mends it.
func Draw(s *terminal.Screen, r answers.Status, now time.Time) error {
	t := rows{screen: s}
	if r.Recording {
		t.row("recording", recordingText(r), "")
	} else {
		first := min(1, len(r.Attention)) // the first finding gives the reason
		t.findings("recording", r.Attention[:first])
		r.Attention = r.Attention[first:]
	}
	switch {
	case r.Log != nil:
		t.row("log", fmt.Sprintf("%s, the last %s", numbers.Count(int(r.Log.Events), "event"), numbers.Ago(r.Log.LastTime,
			now)), "")
	case r.Recording:
		t.row("log", "no events yet", "")
	}
	for _, call := range r.Open {
		t.row("open", openText(call, r.WorkTree, now), "")
	}
	if m := r.Missed; m != nil {
		t.row("attention", missedText(m, now), "docs/containers.md says what to do")
	}
	if p := r.Pending; p != nil && p.Lines > 0 {
		t.row("pending", fmt.Sprintf("%s, %s not committed in %s",
			numbers.Count(p.Conversations, "conversation"), numbers.Count(p.Lines, "line"), numbers.Count(p.Files, "file")),
			"git trace diff")
	}
	if p := r.Pending; p != nil && p.Unknown > 0 {
		t.row("unknown", fmt.Sprintf("%s not committed, writer unknown: %s", numbers.Count(p.Unknown, "line"),
			show.InWords(p.Why)), "")
	}
	if p := r.Pending; p != nil && p.Unread > 0 {
		t.row("pending", fmt.Sprintf("%s more %s changed, too many or too large to check", numbers.Thousands(p.Unread),
			numbers.Agree(p.Unread, "file", "files")), "")
	}
	for _, s := range r.Shared {
		t.shared(s, now)
	}
	if p := r.Prompts; p.Oldest != nil && now.Sub(*p.Oldest) > oldPrompt {
		t.row("prompts", fmt.Sprintf("%s as typed, in no record, the oldest %s", numbers.Count(p.Count, "prompt"),
			numbers.Ago(*p.Oldest, now)),
			keeping.PromptExpireKey+" sets when they are deleted")
	}
	if k := r.Collected; k != nil {
		t.row("telemetry", keeping.CollectedText(k), "")
	}
	if p := r.Purged; p.Last != nil && now.Sub(*p.Last) < doctor.Recent {
		t.row("purged", fmt.Sprintf("%s continued after a purge, the last %s, and %s no longer recorded",
			numbers.Count(p.WentOn, "conversation"), numbers.Ago(*p.Last, now), numbers.Agree(p.WentOn, "is", "are")),
			"git trace record --force <id> records one again")
	}
	t.findings("attention", r.Attention)
	if r.Failure != nil {
		t.row("attention", "a hook failed "+numbers.Ago(r.Failure.Time, now)+": "+r.Failure.What, "git trace doctor")
	}
	return t.write()
}

// whyMissed describes the reasons why hooks could not record.
var whyMissed = map[string]string{
	recorded.WhyUnlisted:  "they found the repository recorded elsewhere, or by another user",
	recorded.WhyUnwritten: "the git directory could not be written",
}

func missedText(m *answers.MissedHooks, now time.Time) string {
	var why []string
	for _, word := range m.Why {
		why = append(why, whyMissed[word])
	}
	return fmt.Sprintf("%s and %s could not be recorded, the last %s: %s", numbers.Count(m.Calls, "call"),
		numbers.Count(m.Hooks-m.Calls, "other hook"), numbers.Ago(m.Last, now), strings.Join(why, "; "))
}

// whyOpen describes the reasons why a call counts as open.
var whyOpen = map[string]string{
	"running":      "its end was not reported yet",
	"left_running": "it ended and left something running",
	"background":   "its agent says that it still runs",
	"consent":      "you are asked for your consent",
	"end_unknown":  "a lost hook may have been its end",
}

// openText describes an open call: agent, tool, start, why it is open, and the work tree if it is another one.
func openText(call trails.OpenCall, here string, now time.Time) string {
	text := call.Agent + ": " + cmp.Or(call.Tool, "a call")
	if call.WorkTree != here {
		text += " in " + call.WorkTree
	}
	return text + ", begun " + numbers.Ago(call.Since, now) + ": " + whyOpen[call.Why]
}

// shared adds rows about this clone's and others' publications on a remote.
func (t *rows) shared(s sharing.State, now time.Time) {
	var parts []string
	mend := ""
	if s.Level != sharing.LevelNone {
		parts = append(parts, numbers.Count(s.Commits, "commit"))
	}
	switch {
	case s.Moved:
		parts = append(parts, "its URL has changed, and nothing is sent")
		mend = "git trace push " + s.Remote
	case s.Waiting > 0:
		parts = append(parts, numbers.Count(s.Waiting, "commit")+" more "+numbers.Agree(s.Waiting, "waits", "wait"))
		mend = "git trace push " + s.Remote
	}
	if f := s.Failed; f != nil {
		parts = append(parts, fmt.Sprintf("automatic pushes have failed since %s (%s)", f.Since.Local().Format("2 Jan 15:04"),
			f.Why))
		mend = "git trace push " + s.Remote
	}
	if s.Writers > 0 {
		parts = append(parts, numbers.Count(s.Writers, "other writer"))
	}
	if !s.Heard.IsZero() {
		parts = append(parts, "last news "+numbers.Ago(s.Heard, now))
	}
	t.row("shared", s.Remote+": "+strings.Join(parts, ", "), mend)
}

func recordingText(r answers.Status) string {
	var names []string
	for _, agent := range r.Agents {
		if agent.Traced {
			names = append(names, agent.Name)
		}
	}
	text := strings.Join(names, ", ")
	if text == "" {
		text = "no agent"
	}
	if !r.GitHooks.Works() {
		return text
	}
	text += "; git hooks ok"
	if others := r.GitHooks.Neighbours(); others != "" {
		text += " beside " + others
	}
	if r.Listed != nil && r.Listed.Enrolled {
		text += "; enrolled by git trace setup"
	}
	return text
}
