package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/upkeep/keeping"
	"github.com/git-trace/git-trace/view/lookup"
)

// mostNote is the greatest length of a note in characters.
const mostNote = 2000

func noteCommand() *command {
	return &command{
		Name: "note",
		Does: "say how a conversation ended",
		Form: "git trace note <conversation> [--outcome success|failure|unknown] [--reward <number>]\n" +
			"[--message <text>]",
		About: "The note goes to the log and into the record of the conversation, marked as a person's. Only the\n" +
			"newest note counts; --outcome unknown cancels the previous one. Only the clone that recorded a\n" +
			"conversation can add a note to it. The text of --message is stored in the record, redacted, and\n" +
			"not in the log. So purge can remove it.",
		Options: options("outcome", "reward", "message"),
		Examples: []example{
			{"git trace note 4f2a --outcome success --message 'reviewed'", "say how it ended"},
		},
		Run:    (*app).note,
		Traits: seals,
		Tries:  []string{"--outcome success 1234"},
	}
}

func (a *app) note(c *call, ops operands) error {
	names := ops.All()
	if len(names) != 1 {
		return exit.Usage("one conversation is needed: git trace note <conversation> --outcome <outcome>")
	}
	if !c.IsSet("outcome") && !c.IsSet("reward") && !c.IsSet("message") {
		return exit.Usage("option '--outcome', '--reward' or '--message' is missing")
	}
	said := strings.TrimSpace(c.String("message"))
	if n := utf8.RuneCountInString(said); c.IsSet("message") && (n == 0 || n > mostNote) || !utf8.ValidString(said) {
		return exit.Usage("option '--message' has %d characters; 1 to %d are possible", n, mostNote)
	}
	data := events.NoteData{Outcome: "unknown", Reward: c.String("reward")}
	if c.IsSet("outcome") {
		data.Outcome = c.String("outcome")
	}
	if _, _, err := data.Values(); err != nil {
		return exit.Usage("%s", err)
	}
	if c.IsSet("reward") && data.Reward == "" {
		return exit.Usage("option '--reward' is empty")
	}
	repo, err := a.workTree()
	if err != nil {
		return err
	}
	session, err := a.noted(c.Context, repo, names[0])
	if err != nil {
		return lookup.ReportAmbiguous(a.std.err, err)
	}
	job, err := keeping.NewJob(c.Context, repo)
	if err != nil {
		return exit.Fail(exit.Unchecked, err, "nothing is noted until that is fixed")
	}
	defer job.Close()
	lock, err := job.Lock(c.Context, store.Patience)
	if err != nil {
		return exit.Fail(exit.Unchecked, err, "")
	}
	defer lock.Unlock()
	raw, err := events.Encode(data)
	if err != nil {
		return err
	}
	if _, err := events.OpenLog(repo).Append(c.Context, []events.Draft{{
		Type: events.OutcomeNoted, Time: time.Now(), Method: []events.Method{events.Manual}, Trace: session.Trace,
		Agent: session.Agent, Session: session.Session, Data: raw,
	}}); err != nil {
		return exit.Fail(exit.Unchecked, err, "nothing was noted")
	}
	job.Recorder.Said = said
	if err := job.One(c.Context, session, func(keeping.Outcome) {}); err != nil {
		return exit.Fail(exit.Unchecked, err,
			"the note is in the log, without its --message; git trace record adds that to the record")
	}
	fmt.Fprintf(a.std.out, "noted for conversation %.8s: %s\n", session.Trace,
		cells.Spaced(data.Outcome, data.Reward, cells.Safe(said)))
	return nil
}

// noted returns the conversation of a note. This clone must have made its record.
func (a *app) noted(ctx context.Context, repo *refs.Repo, name string) (waiting.Session, error) {
	known, err := a.openConversations(ctx, repo)
	if err != nil {
		return waiting.Session{}, err
	}
	defer known.Close()
	id, err := known.FindTrace(name)
	if err != nil {
		return waiting.Session{}, err
	}
	t, _, err := known.Conversation(id)
	if err != nil {
		return waiting.Session{}, err
	}
	stored, err := known.Record(ctx, id)
	if err != nil {
		return waiting.Session{}, err
	}
	read := recorder.LastRead(repo, id)
	if stored.Record == nil || !stored.Own || read == "" {
		return waiting.Session{}, exit.Fail(exit.Finding, errors.New("no record of this conversation was made here"),
			"git trace record stores those that wait; imported and fetched ones take no notes")
	}
	return waiting.Session{Trace: id, Agent: t.Agent, Session: t.Session, Transcript: read, WorkTree: repo.WorkTree}, nil
}
