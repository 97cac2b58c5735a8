package shared

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/sharing"
)

// TakenOff explains the effect of removing events from the refs of a remote.
const TakenOff = "whoever has fetched it keeps it until their next pull; " +
	"a remote may keep unreachable objects for weeks\n"

// pushSchema names the form of the JSON output; docs/schema/push-1.schema.json describes it.
const pushSchema = "git-trace.push/1"

// Plan prints the data that would be sent.
func Plan(w io.Writer, p *sharing.Plan) {
	fmt.Fprintf(w, "to %s (%s); whoever can read it will read this\n", cells.Message(p.Remote.Name),
		cells.Message(sharing.Bare(p.URL)))
	fmt.Fprintf(w, "  commits     %s, %s, %s:\n", numbers.Count(len(p.Digest.Commits), "commit"),
		numbers.Count(len(p.Digest.Conversations), "conversation"), numbers.Count(len(p.New()), "new event"))
	sayLeaves(w, sharing.LevelCommits)
	if r := p.Records; p.Level.Wider(sharing.LevelCommits) {
		fmt.Fprintf(w, "  texts       %s, redacted (%s); %s\n", numbers.Count(len(r.Sent), "conversation"),
			numbers.Count(r.Redacted, "place"), numbers.Agree(r.Unstored+len(r.Kept), "1 stays here",
				fmt.Sprintf("%s stay here", numbers.Thousands(r.Unstored+len(r.Kept)))))
		if r.Attached > 0 {
			fmt.Fprintf(w, "              %s not in them\n", numbers.Agree(r.Attached, "1 image or file is",
				numbers.Thousands(r.Attached)+" images and files are"))
		}
		if r.Encoded > 0 {
			fmt.Fprintf(w, "              %s encoded data, which no rule reads\n", numbers.Agree(r.Encoded, "1 text has",
				numbers.Thousands(r.Encoded)+" texts have"))
		}
		if r.Unstored > 0 {
			fmt.Fprintf(w, "              %s stored: git trace record reads the texts\n",
				numbers.Agree(r.Unstored, "1 is not", numbers.Thousands(r.Unstored)+" are not"))
		}
		for _, k := range r.Kept {
			fmt.Fprintf(w, "              %s stays: %s\n", k.Trace[:8], cells.Message(k.Why))
		}
	}
	if p.Level == sharing.LevelLog {
		fmt.Fprintf(w, "  log         all %s:\n", numbers.Count(int(p.Digest.Source.Seq), "event"))
		sayLeaves(w, sharing.LevelLog)
	}
	texts := "prompts and answers, "
	if p.Level.Wider(sharing.LevelCommits) {
		texts = "prompts as typed, "
	}
	code := "the remote"
	if p.Remote.Code != p.Remote.Name {
		code = cells.Message(p.Remote.Code)
	}
	fmt.Fprintf(w, "  stays here  %s that "+code+" does not have, %s\n"+
		"              without a line there, "+texts+"snapshots", numbers.Count(p.Digest.Withheld, "commit"),
		numbers.Count(p.Digest.Silent, "conversation"))
	if p.Level != sharing.LevelLog {
		fmt.Fprintf(w, ",\n              the log (%s)", numbers.Count(int(p.Digest.Source.Seq), "event"))
	}
	fmt.Fprintln(w)
	if p.Branches == 0 && p.Remote.Code == p.Remote.Name && p.Digest.Withheld > 0 {
		fmt.Fprintf(w, "  no branch   git config remote.%s.traceCode <remote> names\n"+
			"              the remote that has the commits\n", cells.Message(p.Remote.Name))
	}
	sayDoubts(w, p.Doubts)
}

// sayLeaves prints the facts that a level allows to leave.
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

// sayDoubts prints the logs of which others have seen later events.
func sayDoubts(w io.Writer, doubts []sharing.Doubt) {
	for _, d := range doubts {
		fmt.Fprintf(w, "  in doubt    %s\n", d)
	}
}

// Pushed prints what was sent.
func Pushed(w io.Writer, p *sharing.Plan, sent []sharing.Pushed) {
	if len(sent) == 0 {
		fmt.Fprintf(w, "%s has everything: %s\n", cells.Message(p.Remote.Name), numbers.Count(len(p.Digest.Commits),
			"commit"))
		return
	}
	fmt.Fprintf(w, "sent to %s: %s, %s", cells.Message(p.Remote.Name), numbers.Count(len(p.Digest.Commits), "commit"),
		numbers.Count(len(p.New()), "new event"))
	if n := p.TakenBack(); n > 0 {
		fmt.Fprintf(w, "; removed from it: the texts of %s", numbers.Count(n, "conversation"))
	}
	fmt.Fprintln(w)
	if p.Replaces() {
		fmt.Fprint(w, TakenOff)
	}
	if p.Others >= sharing.MostOthers {
		fmt.Fprintf(w, "%s has %s of traces of other clones, and every push reads them;\n"+
			"git trace archive %s joins the refs of unused clones\n", cells.Message(p.Remote.Name),
			numbers.Count(p.Others, "ref"), cells.Message(p.Remote.Name))
	}
}

// Review prints the events and records in the form in which they would be sent.
func Review(w io.Writer, p *sharing.Plan) error {
	for _, d := range p.New() {
		line, err := terminal.JSONLine(d)
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

// Push lists the events that were sent or would be sent.
type Push struct {
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
	Texts         int              `json:"texts"`      // number of records that the remote has, or would have
	Redactions    int              `json:"redactions"` // number of redacted places in the records
	Attached      int              `json:"attached"`   // number of images and files that the records do not contain
	Encoded       int              `json:"encoded"`    // number of texts in the records with encoded data
	Doubts        []sharing.Doubt  `json:"doubts"`
	Kept          []sharing.Kept   `json:"kept"` // records that remain in this clone
	Refs          []sharing.Pushed `json:"refs"`
}

// PushOf returns what a push sent, or would send.
func PushOf(p *sharing.Plan, sent []sharing.Pushed, dry bool) Push {
	out := Push{
		Schema: pushSchema, Remote: p.Remote.Name, URL: sharing.Bare(p.URL), Level: p.Level, Writer: p.Writer, DryRun: dry,
		Commits: len(p.Digest.Commits), Conversations: len(p.Digest.Conversations), NewEvents: len(p.New()),
		Withheld: p.Digest.Withheld, Silent: p.Digest.Silent, Refs: append([]sharing.Pushed{}, sent...),
		Texts: len(p.Records.Sent), Redactions: p.Records.Redacted, Kept: append([]sharing.Kept{}, p.Records.Kept...),
		Attached: p.Records.Attached, Encoded: p.Records.Encoded, Doubts: append([]sharing.Doubt{}, p.Doubts...),
	}
	return out
}
