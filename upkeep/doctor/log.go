package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/checkpoint"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
)

// LogEnd describes the end of the log. It does not say whether the log is complete; verify does.
type LogEnd struct {
	Events   int64     `json:"events"`
	Tip      refs.OID  `json:"tip"`
	Last     events.ID `json:"last_event"`
	LastTime time.Time `json:"last_time"`
}

// logEnd reads the last event; nil if there is no log.
func (d *Doctor) logEnd() (*LogEnd, error) {
	end, err := d.log.End(refs.EventsRef)
	if err != nil || end.Seq == 0 {
		return nil, err
	}
	return &LogEnd{Events: end.Seq, Tip: end.Tip, Last: end.Event, LastTime: end.Time}, nil
}

// ofLog makes a finding from an error of the log. If a newer program wrote the log, the remedy is that program.
func ofLog(what string, err error, mend Finding) Finding {
	if errors.Is(err, events.ErrNewer) {
		mend = Finding{Mend: "install the newest git-trace"}
	}
	mend.What = what + ": " + err.Error()
	return mend
}

// checkLog reads and checks the whole log.
func (d *Doctor) checkLog(ctx context.Context) (string, []Finding) {
	if lost := d.lossFindings(); len(lost) > 0 {
		return "", lost
	}
	report, err := d.log.Verify(ctx, events.Verification{Anchors: checkpoint.Sources()})
	switch {
	case err != nil:
		return "", []Finding{ofLog("the log could not be checked", err, Finding{Mend: "git fsck"})}
	case report.State == events.Broken:
		return "", []Finding{{What: "the log is " + report.Summary() + ": " + report.Faults[0].Detail,
			Mend: "git trace verify"}}
	case report.Lost != "":
		return "", []Finding{{What: report.Lost, Mend: "git trace checkpoint signs the log as it is now"}}
	}
	return numbers.Count(report.Events, "event") + ", " + report.Summary(), nil
}

// lossFindings reports events of this clone that its log has lost.
func (d *Doctor) lossFindings() (out []Finding) {
	losses, _ := d.log.Losses() // checkLog reports a log that cannot be read
	noted := &repair{"the log says which events it has lost", func(ctx context.Context) error {
		_, err := d.log.NoteLosses(ctx)
		return err
	}}
	for _, lost := range losses {
		out = append(out, Finding{What: lost.String(), fix: noted, Mend: "put " + d.log.JournalPath() +
			" back from a copy; or git trace doctor --fix notes in the log that they are lost"})
		noted = nil // one repair serves all losses
	}
	return out
}

func (d *Doctor) checkIndex(ctx context.Context) (string, []Finding) {
	anew := &repair{"the caches are made anew", func(ctx context.Context) error {
		_, _, err := index.Rebuild(ctx, d.repo, nil)
		return err
	}}
	reader, err := index.Open(d.repo)
	if err != nil {
		return "", []Finding{ofLog("the read cache cannot be used", err, Finding{Mend: "git trace rebuild", fix: anew})}
	}
	defer reader.Close()
	misnamed, err := d.log.Misnamed(ctx)
	if err != nil {
		return "", []Finding{{What: "the fetched logs cannot be listed: " + err.Error(), Mend: "git trace verify"}}
	}
	problems := append(misnamedFindings(misnamed), d.strayFindings(ctx)...)
	for _, note := range reader.Notes() {
		told := func(m events.Misnamed) bool { return strings.Contains(note, m.Ref) }
		if !slices.ContainsFunc(misnamed, told) {
			problems = append(problems, Finding{What: note, Mend: "git trace verify"})
		}
	}
	return "holds " + numbers.Count(int(reader.Last()), "event"), problems
}

// strayFindings reports fetched refs of remotes that are no longer configured, because git does not remove them.
func (d *Doctor) strayFindings(ctx context.Context) []Finding {
	if d.deeds.Strays == nil {
		return nil
	}
	strays, err := d.deeds.Strays(ctx)
	if err != nil {
		return []Finding{{What: "the remotes of fetched logs cannot be listed: " + err.Error(), Mend: "git remote -v"}}
	}
	var out []Finding
	mend := &repair{"logs of renamed remotes were moved, and logs of removed remotes deleted", d.deeds.Gather}
	for _, s := range strays {
		logs := numbers.Count(s.Logs, "log")
		f := Finding{What: s.Remote + " is not a remote any more, and " + logs + " of it " +
			numbers.Agree(s.Logs, "is", "are") + " read", fix: mend,
			Mend: "git trace doctor --fix deletes what was fetched from it"}
		if s.Now != "" {
			f.What = s.Remote + " is called " + s.Now + " now, and " + logs + " that came from it " +
				numbers.Agree(s.Logs, "has", "have") + " the old name"
			f.Mend = "git trace doctor --fix renames what was fetched from it"
		}
		out = append(out, f)
	}
	return out
}

// misnamedFindings reports fetched logs that are not read because their refs do not have the writer's name.
func misnamedFindings(list []events.Misnamed) []Finding {
	var out []Finding
	for _, m := range list {
		out = append(out, Finding{
			What: "the fetched log " + m.Ref + " is not read: its name is not that of its writer",
			Mend: fmt.Sprintf("git update-ref %s %s && git update-ref -d %s", m.True, m.Ref, m.Ref),
		})
	}
	return out
}
