package doctor

import (
	"context"
	"fmt"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/upkeep/purge"
)

// checkRecords checks that the conversations which the log says were stored still exist. A tool that rewrites the whole
// history by path, such as git filter-repo, takes the records on refs/traces/records for files of the project.
func (d *Doctor) checkRecords(ctx context.Context) (string, []Finding) {
	if unfinished := d.purgeFindings(); len(unfinished) > 0 {
		return "", unfinished // an interrupted purge may explain missing objects
	}
	if wrong := d.settingsFindings(ctx); len(wrong) > 0 {
		return "", wrong
	}
	there, gone, err := d.storedRecords(ctx)
	switch {
	case err != nil:
		return "", []Finding{{What: "the records cannot be read: " + err.Error(), Mend: "git fsck"}}
	case len(gone) == 0:
		fine := "of " + numbers.Count(there, "conversation")
		if n := purge.Conversations(d.repo).Count; n > 0 {
			fine += fmt.Sprintf("; %s that %s purged as a whole %s no longer recorded", numbers.Count(n, "conversation"),
				numbers.Agree(n, "was", "were"), numbers.Agree(n, "is", "are"))
		}
		return fine, nil
	}
	return "", []Finding{{
		What: fmt.Sprintf("%s stored on %s %s not there any more: something rewrote or deleted the ref",
			numbers.Count(len(gone), "conversation"), store.Ref, numbers.Agree(len(gone), "is", "are")),
		Mend: "git trace doctor --fix reads them again from the agents' session files",
		fix: &repair{"the conversations are stored again", func(ctx context.Context) error {
			return d.deeds.Store(ctx, gone)
		}},
	}}
}

// purgeFindings reports interrupted purges.
func (d *Doctor) purgeFindings() []Finding {
	what := purge.Unfinished(d.repo)
	if what == "" {
		return nil
	}
	return []Finding{{
		What: what, Mend: "git trace doctor --fix",
		fix: &repair{"what was begun to be purged is gone", func(ctx context.Context) error {
			return purge.Finish(ctx, d.repo)
		}},
	}}
}

// settingsFindings reports settings that prevent that conversations are stored.
func (d *Doctor) settingsFindings(ctx context.Context) []Finding {
	config, err := d.repo.Config(ctx)
	if err != nil {
		return nil // git's own error, which every command reports
	}
	if mend, err := d.deeds.Settings(config); err != nil {
		return []Finding{{What: "no conversation is stored: " + err.Error(), Mend: mend}}
	}
	return nil
}

// storedRecords counts the records. It lists the conversations that this clone stored and did not purge, but whose
// records are missing.
func (d *Doctor) storedRecords(ctx context.Context) (there int, gone []waiting.Session, err error) {
	reader, err := index.Open(d.repo)
	if err != nil {
		return 0, nil, err
	}
	defer reader.Close()
	told, err := reader.ByType(events.RecordStored)
	if err != nil {
		return 0, nil, err
	}
	records := store.Open(d.repo)
	defer func() { _ = records.Close() }()
	list, err := records.List(ctx)
	if err != nil {
		return 0, nil, err
	}
	writer, err := d.log.Writer()
	if err != nil {
		return 0, nil, err
	}
	seen := map[events.TraceID]bool{}
	for _, e := range list {
		seen[e.Trace] = true
	}
	for _, e := range told {
		if seen[e.Trace] || e.Writer != writer || purge.Was(d.repo, e.Trace) {
			continue
		}
		seen[e.Trace] = true
		gone = append(gone, waiting.Session{Trace: e.Trace, Agent: e.Agent, Session: e.Session, WorkTree: d.repo.WorkTree})
	}
	return len(list), gone, nil
}
