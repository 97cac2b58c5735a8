package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/git-trace/git-trace/correlate/reconcile"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/redact/configured"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/sharing"
)

// pushSchema names the form of the JSON output; docs/schema/push-1.schema.json describes it.
const pushSchema = "git-trace.push/1"

func pushCommand() *command {
	return &command{
		name: "push",
		does: "let others see who wrote the lines of published commits",
		form: "git trace push [<remote>] [--to <level>] [--dry-run] [--review] [--no-verify] [--json]\n" +
			"git trace push --rebuild-digest [--dry-run] [--no-verify] [--json] [<remote>]\n" +
			"git trace push --retract [--records] [<remote>]\n" +
			"git trace push --adopt <id>… [--dry-run] [--no-verify] [<remote>]",
		about: "Sends recorded data to a remote, apart from its branches. First it lists the data that would\n" +
			"leave. If no level was chosen for this remote yet, it asks. remote.<name>.traceShare keeps the\n" +
			"answer for the present URL of the remote; nothing is sent to another URL. Nothing is pushed\n" +
			"automatically, unless trace.autoPush is true.\n\n" +
			"commits: the owners of the lines of each recorded commit that the remote has: paths, line\n" +
			"numbers, agent, model, number and time of the prompt.\n" +
			"Texts of prompts and answers, unpublished commits and other files stay here.\n" +
			"conversations: also the texts of the conversations that wrote these lines, redacted once more\n" +
			"before they leave.\n" +
			"log: also the whole event log, with the names of all files, the times of all calls, and discarded\n" +
			"work.\n\n" +
			"--rebuild-digest replaces everything that was published by the present state. Use it after you\n" +
			"have removed a path from the history of all branches. Readers see a message. --adopt publishes a\n" +
			"digest that another clone published elsewhere, for instance in a fork, and that you pulled. That\n" +
			"clone must allow it with trace.allowAdopt.\n\n" +
			"The exit status is 1 when the push is refused, 2 when the remote was not reached.",
		options: options("to", "dry-run", "review", "no-verify", "rebuild-digest", "retract", "records", "adopt", "json"),
		examples: []example{
			{"git trace push --dry-run origin", "what would leave, and what stays here"},
			{"git trace push --to commits origin", "let others see who wrote the published lines"},
		},
		run:    (*app).push,
		traits: common,
		tries:  []string{"--dry-run origin", "", "origin", "--to commits origin"},
	}
}

func (a *app) push(c *call, ops operands) error {
	log, s, remote, err := a.settledRemote(c, ops)
	if err != nil {
		return err
	}
	repo := log.Repo()
	switch {
	case len(c.StringSlice("adopt")) > 0:
		return a.adopt(c, log, s, remote)
	case c.Bool("retract"):
		return a.retract(c, log, s, remote)
	}
	level := sharing.Level(c.String("to"))
	switch {
	case level == "" && remote.Share != sharing.LevelNone:
		level = remote.Share
	case level == "":
		level = sharing.LevelCommits
	case level.Wider(sharing.LevelNone):
	default:
		return usage("option '--to': '%s' is not allowed; it is commits, conversations or log", string(level))
	}
	plan := sharing.MakePlan
	if c.Bool("rebuild-digest") {
		if remote.Share == sharing.LevelNone {
			return explainSharing(fmt.Errorf("%w: %s", sharing.ErrNotChosen, remote.Name))
		}
		plan = sharing.MakePlanAnew
	}
	p, err := plan(c.Context, log, s, remote, level, meansToShare(repo))
	var foreign *sharing.NotOwn
	if errors.As(err, &foreign) {
		sayEvents(quietWriter{a.std.err}, foreign.Events)
	}
	if err != nil {
		return explainSharing(err)
	}
	defer p.Close()
	if c.Bool("review") {
		return a.reviewPush(p)
	}
	asked := !level.Wider(remote.Share) && remote.Pinned != ""
	if !c.Bool("json") && (!asked || c.Bool("dry-run")) {
		sayPlan(quietWriter{a.std.out}, p)
	}
	dry := c.Bool("dry-run")
	chosen := !dry && !asked
	if chosen {
		if ok, err := a.agreesToPush(c, p); err != nil || !ok {
			return err
		}
		if err := sharing.Settle(c.Context, repo, remote.Name, level, p.URL); err != nil {
			return err
		}
	}
	var sent []sharing.Pushed
	if !dry {
		if sent, err = p.Push(c.Context, !c.Bool("no-verify")); err != nil {
			a.tellRemote(err)
			return choiceStays(explainSharing(err), remote.Name, chosen)
		}
	}
	switch {
	case c.Bool("json"):
		if err := writeJSON(quietWriter{a.std.out}, pushedJSON(p, sent, dry)); err != nil {
			return err
		}
	case !dry:
		sayPushed(quietWriter{a.std.out}, p, sent)
	}
	for _, k := range p.Records.Kept {
		if k.Fault {
			return fail(exitFinding, fmt.Errorf("%s was not sent: %s", k.Trace, k.Why), "the others were")
		}
	}
	return nil
}

// meansToShare returns the work of other rooms that a push needs.
func meansToShare(repo *refs.Repo) sharing.Means {
	return sharing.Means{
		Redactor: func(ctx context.Context) (*redact.Redactor, error) { return configured.Redactor(ctx, repo) },
		Store: func(ctx context.Context) error {
			job, err := newRecording(ctx, repo)
			if err != nil {
				return fmt.Errorf("%w: %w", sharing.ErrUnredacted, err)
			}
			defer job.close()
			failed, err := job.drain(ctx, store.Patience, func(recordedConversation) {})
			for _, f := range failed {
				runner.NoteFailure(repo, f)
			}
			return err
		},
		Reconcile: reconcile.Remote,
	}
}

// choiceStays adds to the hint that the choice for a remote stays, though nothing was sent.
func choiceStays(err error, remote string, chosen bool) error {
	var told *failure
	if chosen && errors.As(err, &told) {
		told.hint += anotherHint + "the choice for " + printable(remote) + " stays; git config --unset remote." +
			printable(remote) + ".traceShare takes it back"
	}
	return err
}

// retract takes publications off a remote.
func (a *app) retract(c *call, log *events.Log, s *sharing.Settings, remote sharing.Remote) error {
	gone, err := s.Retract(c.Context, log, remote, c.Bool("records"))
	if err != nil {
		a.tellRemote(err)
		return explainSharing(err)
	}
	w := quietWriter{a.std.out}
	if len(gone) == 0 {
		fmt.Fprintf(w, "%s has nothing of that\n", printable(remote.Name))
		return nil
	}
	for _, r := range gone {
		fmt.Fprintf(w, "taken off %s: %s\n", printable(remote.Name), printable(r.Ref))
	}
	fmt.Fprint(w, takenOff)
	return nil
}

// takenOff describes events that were taken off the refs of a remote.
const takenOff = "whoever has fetched it keeps it until their next pull; " +
	"a remote may keep unreachable objects for weeks\n"

// agreesToPush asks the person; without a terminal, --to with the level is the answer. A server may forbid things that
// nobody knows before: so it lists the needs of a retraction.
func (a *app) agreesToPush(c *call, p *sharing.Plan) (bool, error) {
	if p.Remote.Share == sharing.LevelNone {
		fmt.Fprintln(a.std.err, "git-trace: hint: git trace push --retract takes it back, unless the server forbids "+
			"rewinding and deleting refs")
	}
	if _, terminal := terminalOf(a.std.err); !terminal {
		if c.IsSet("to") {
			return true, nil
		}
		return false, fail(exitUsage,
			fmt.Errorf("no level was chosen for %s, and there is no terminal to ask on", p.Remote.Name),
			"git trace push "+p.Remote.Name+" --to commits chooses without asking; --dry-run says what would leave")
	}
	yes := a.asks("send that, now and with each later git trace push?")
	if !yes {
		fmt.Fprintln(a.std.err, "nothing was sent")
	}
	return yes, nil
}

// sayPlan prints the things that would leave.
func sayPlan(w io.Writer, p *sharing.Plan) {
	fmt.Fprintf(w, "to %s (%s); whoever can read it will read this\n", printable(p.Remote.Name),
		printable(sharing.Bare(p.URL)))
	fmt.Fprintf(w, "  commits     %s, %s, %s:\n", plural(len(p.Digest.Commits), "commit"),
		plural(len(p.Digest.Conversations), "conversation"), plural(len(p.New()), "new event"))
	sayLeaves(w, sharing.LevelCommits)
	if r := p.Records; p.Level.Wider(sharing.LevelCommits) {
		fmt.Fprintf(w, "  texts       %s, redacted (%s); %s\n", plural(len(r.Sent), "conversation"),
			plural(r.Redacted, "place"), numbers.Agree(r.Unstored+len(r.Kept), "1 stays here",
				fmt.Sprintf("%s stay here", thousands(r.Unstored+len(r.Kept)))))
		if r.Attached > 0 {
			fmt.Fprintf(w, "              %s not in them\n", numbers.Agree(r.Attached, "1 image or file is",
				thousands(r.Attached)+" images and files are"))
		}
		if r.Encoded > 0 {
			fmt.Fprintf(w, "              %s encoded data, which no rule reads\n", numbers.Agree(r.Encoded, "1 text has",
				thousands(r.Encoded)+" texts have"))
		}
		if r.Unstored > 0 {
			fmt.Fprintf(w, "              %s stored: git trace record reads the texts\n",
				numbers.Agree(r.Unstored, "1 is not", thousands(r.Unstored)+" are not"))
		}
		for _, k := range r.Kept {
			fmt.Fprintf(w, "              %s stays: %s\n", k.Trace[:8], printable(k.Why))
		}
	}
	if p.Level == sharing.LevelLog {
		fmt.Fprintf(w, "  log         all %s:\n", plural(int(p.Digest.Source.Seq), "event"))
		sayLeaves(w, sharing.LevelLog)
	}
	texts := "prompts and answers, "
	if p.Level.Wider(sharing.LevelCommits) {
		texts = "prompts as typed, "
	}
	code := "the remote"
	if p.Remote.Code != p.Remote.Name {
		code = printable(p.Remote.Code)
	}
	fmt.Fprintf(w, "  stays here  %s that "+code+" does not have, %s\n"+
		"              without a line there, "+texts+"snapshots", plural(p.Digest.Withheld, "commit"),
		plural(p.Digest.Silent, "conversation"))
	if p.Level != sharing.LevelLog {
		fmt.Fprintf(w, ",\n              the log (%s)", plural(int(p.Digest.Source.Seq), "event"))
	}
	fmt.Fprintln(w)
	if p.Branches == 0 && p.Remote.Code == p.Remote.Name && p.Digest.Withheld > 0 {
		fmt.Fprintf(w, "  no branch   git config remote.%s.traceCode <remote> tells of the\n"+
			"              commits that another remote has\n", printable(p.Remote.Name))
	}
	sayDoubts(w, p.Doubts)
}

// sayLeaves prints the facts that may leave at a level.
func sayLeaves(w io.Writer, level sharing.Level) {
	const indent, width = "              ", 78
	line := ""
	words := strings.Fields(strings.Join(sharing.Told(level), ", "))
	for _, word := range words {
		if line != "" && len(indent)+len(line)+1+len(word) > width {
			fmt.Fprintln(w, indent+line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	fmt.Fprintln(w, indent+line)
}

// sayDoubts prints the logs whose later events others have seen.
func sayDoubts(w io.Writer, doubts []sharing.Doubt) {
	for _, d := range doubts {
		fmt.Fprintf(w, "  in doubt    %s\n", d)
	}
}

func sayPushed(w io.Writer, p *sharing.Plan, sent []sharing.Pushed) {
	if len(sent) == 0 {
		fmt.Fprintf(w, "%s has everything: %s\n", printable(p.Remote.Name), plural(len(p.Digest.Commits), "commit"))
		return
	}
	fmt.Fprintf(w, "sent to %s: %s, %s", printable(p.Remote.Name), plural(len(p.Digest.Commits), "commit"),
		plural(len(p.New()), "new event"))
	if n := p.TakenBack(); n > 0 {
		fmt.Fprintf(w, "; removed from it: the texts of %s", plural(n, "conversation"))
	}
	fmt.Fprintln(w)
	if p.Replaces() {
		fmt.Fprint(w, takenOff)
	}
	if p.Others >= sharing.MostOthers {
		fmt.Fprintf(w, "%s has %s of traces of other clones, and every push reads them;\n"+
			"git trace archive %s joins the refs of unused clones\n", printable(p.Remote.Name),
			plural(p.Others, "ref"), printable(p.Remote.Name))
	}
}

// reviewPush prints the events and the records that would be sent, in the form that would be sent.
func (a *app) reviewPush(p *sharing.Plan) error {
	w := quietWriter{a.std.out}
	for _, d := range p.New() {
		line, err := marshal(d)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s\n", line); err != nil {
			return err
		}
	}
	return p.Texts(func(raw []byte) error {
		var line bytes.Buffer
		err := json.Compact(&line, raw)
		if err == nil {
			_, err = fmt.Fprintf(w, "%s\n", line.Bytes())
		}
		return err
	})
}

// pushJSON lists the sent events, or the events that would be sent.
type pushJSON struct {
	Schema        string           `json:"schema"`
	Remote        string           `json:"remote"`
	URL           string           `json:"url"`
	Level         sharing.Level    `json:"level"`
	Writer        string           `json:"writer"`
	DryRun        bool             `json:"dry_run"`
	Commits       int              `json:"commits"`
	Conversations int              `json:"conversations"`
	NewEvents     int              `json:"new_events"`
	Withheld      int              `json:"withheld_commits"`
	Silent        int              `json:"withheld_conversations"`
	Texts         int              `json:"texts"`      // records that the remote has, or would
	Redactions    int              `json:"redactions"` // places in them
	Attached      int              `json:"attached"`   // images and files that are not in them
	Encoded       int              `json:"encoded"`    // texts in them with encoded data
	Doubts        []sharing.Doubt  `json:"doubts"`
	Kept          []sharing.Kept   `json:"kept"` // records that stay here
	Refs          []sharing.Pushed `json:"refs"`
}

func pushedJSON(p *sharing.Plan, sent []sharing.Pushed, dry bool) pushJSON {
	out := pushJSON{
		Schema: pushSchema, Remote: p.Remote.Name, URL: sharing.Bare(p.URL), Level: p.Level, Writer: p.Writer, DryRun: dry,
		Commits: len(p.Digest.Commits), Conversations: len(p.Digest.Conversations), NewEvents: len(p.New()),
		Withheld: p.Digest.Withheld, Silent: p.Digest.Silent, Refs: append([]sharing.Pushed{}, sent...),
		Texts: len(p.Records.Sent), Redactions: p.Records.Redacted, Kept: append([]sharing.Kept{}, p.Records.Kept...),
		Attached: p.Records.Attached, Encoded: p.Records.Encoded, Doubts: append([]sharing.Doubt{}, p.Doubts...),
	}
	return out
}

// tellRemote prints the remote's lines.
func (a *app) tellRemote(err error) {
	var remote *sharing.RemoteError
	if !errors.As(err, &remote) {
		return
	}
	for _, line := range remote.Lines {
		fmt.Fprintf(a.std.err, "git: %s\n", printable(line))
	}
}

// notOursHint is the hint if somebody else wrote in this clone's name.
const notOursHint = "nothing was sent\ngit-trace: hint: if somebody else wrote it, " +
	"git trace push --rebuild-digest replaces it by this clone's records"

// explainSharing gives the errors of sharing their exit statuses and hints.
func explainSharing(err error) error {
	var remote *sharing.RemoteError
	switch {
	case errors.Is(err, sharing.ErrNoRemote):
		return fail(exitUsage, err, "git remote -v lists the remotes; git trace push <remote> names one")
	case errors.Is(err, sharing.ErrNoneThere):
		return fail(exitUsage, err, "git remote add <name> <url> adds one")
	case errors.Is(err, sharing.ErrUnknownRemote):
		return fail(exitUsage, err, "git remote -v lists them; git remote add <name> <url> adds one")
	case errors.Is(err, sharing.ErrNotChosen):
		return fail(exitUsage, err, "git trace push <remote> shows what would leave, and asks")
	case errors.Is(err, sharing.ErrNoLeave):
		return fail(exitFinding, err, "its owner sets trace.allowAdopt, and pushes once more")
	case errors.Is(err, sharing.ErrUnknown):
		return fail(exitFinding, err, "git trace pull <url> fetches what is published in a fork")
	case errors.Is(err, sharing.ErrThereItself), errors.Is(err, sharing.ErrNotKept), errors.Is(err, sharing.ErrNotArchive):
		return fail(exitFinding, err, "")
	case errors.Is(err, sharing.ErrNothing):
		return fail(exitFinding, err, "git trace init begins to record")
	case errors.Is(err, sharing.ErrEmpty):
		return fail(exitFinding, err, "git trace push sends what agents and commits add from now on")
	case errors.Is(err, sharing.ErrMoved):
		return fail(exitFinding, err,
			"if the new URL is right, git config --unset remote.<name>.traceUrl, and git trace push asks again")
	case errors.Is(err, sharing.ErrUnredacted):
		return fail(exitUnchecked, err, "--to commits sends no texts")
	case errors.Is(err, sharing.ErrBrokenLog):
		return fail(exitFinding, err, "git trace verify lists every fault")
	case errors.Is(err, sharing.ErrDiverged):
		return fail(exitFinding, err, "git trace init --new-writer gives this one an id of its own; "+notOursHint)
	case errors.Is(err, sharing.ErrBehind):
		return fail(exitFinding, err, "after a backup git trace pull --own shows what is there, and asks; of a copy "+
			"git trace init --new-writer\ngit-trace: hint: gives this one an id of its own; "+notOursHint)
	case errors.Is(err, sharing.ErrNotOwn):
		return fail(exitFinding, err, notOursHint)
	case errors.Is(err, sharing.ErrNothingLost):
		return fail(exitFinding, err, "")
	case errors.Is(err, sharing.ErrNoWriter):
		return fail(exitUsage, err, "git trace pull --json lists them")
	case errors.Is(err, sharing.ErrTooMuch):
		return fail(exitFinding, err,
			"git config trace.maxFetched <bytes> sets the limit; --writer <id> fetches less")
	case errors.Is(err, sharing.ErrOtherObjects):
		return fail(exitFinding, err, "")
	case errors.Is(err, sharing.ErrTooMany):
		return fail(exitFinding, err, "--writer <id> chooses clones")
	case errors.Is(err, sharing.ErrLocked):
		return fail(exitUnchecked, err, "git trace doctor --fix removes locks of killed processes")
	case errors.Is(err, sharing.ErrUnreached), errors.Is(err, sharing.ErrBusy), errors.Is(err, context.DeadlineExceeded):
		return fail(exitUnchecked, err, "run the same command again: it continues")
	case errors.Is(err, sharing.ErrHidden):
		return fail(exitFinding, err,
			"others cannot fetch them while uploadpack.hideRefs or transfer.hideRefs on the remote names them")
	case errors.Is(err, sharing.ErrKept):
		return fail(exitFinding, err,
			"an administrator can give you the right to rewind and delete refs/traces/ (in gitolite: RW+)")
	case errors.Is(err, sharing.ErrLogRefused):
		return fail(exitFinding, err, "its commits are not in your name: rules for mail, signature or message refuse them;\n"+
			"git-trace: hint: git config remote.<name>.traceShare conversations sends conversations, but not the log")
	case errors.As(err, &remote):
		return fail(exitFinding, err, "the remote refused it; nothing was noted as sent")
	}
	return err
}
