package main

import (
	"context"
	"fmt"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/numbers"
	"github.com/git-trace/git-trace/purge"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/records/waiting"
)

// checkRecords looks for the conversations of which the log says that they were stored. A tool that rewrites the whole
// history by path, as git filter-repo does, takes the records of refs/traces/records for files of the project.
func (h *health) checkRecords(ctx context.Context) (string, []finding) {
	if unfinished := h.purgeFindings(); len(unfinished) > 0 {
		return "", unfinished // what is missing may be on its way back
	}
	if wrong := h.settingsFindings(ctx); len(wrong) > 0 {
		return "", wrong
	}
	there, gone, err := h.storedRecords(ctx)
	switch {
	case err != nil:
		return "", []finding{{What: "the records cannot be read: " + err.Error(), Mend: "git fsck"}}
	case len(gone) == 0:
		fine := "of " + plural(there, "conversation")
		if n := purge.Conversations(h.repo).Count; n > 0 {
			fine += fmt.Sprintf("; %s that %s purged as a whole %s not recorded any more", plural(n, "conversation"),
				numbers.Agree(n, "was", "were"), numbers.Agree(n, "is", "are"))
		}
		return fine, nil
	}
	return "", []finding{{
		What: fmt.Sprintf("%s stored on %s %s not there any more: something rewrote or deleted the ref",
			plural(len(gone), "conversation"), store.Ref, numbers.Agree(len(gone), "is", "are")),
		Mend: "git trace doctor --fix reads them again from the agents' session files",
		fix: &repair{"the conversations are stored again", func(ctx context.Context) error {
			return h.storeAgain(ctx, gone)
		}},
	}}
}

// purgeFindings tells of purges that were interrupted.
func (h *health) purgeFindings() []finding {
	what := unfinishedPurge(h.repo)
	if what == "" {
		return nil
	}
	return []finding{{
		What: what, Mend: "git trace doctor --fix",
		fix: &repair{"what was begun to be purged is gone", func(ctx context.Context) error {
			return purge.Finish(ctx,
				h.repo)
		}},
	}}
}

// storedRecords counts the records and lists the conversations that this clone stored, did not purge, and has no more.
func (h *health) storedRecords(ctx context.Context) (there int, gone []waiting.Session, err error) {
	reader, err := index.Open(h.repo)
	if err != nil {
		return 0, nil, err
	}
	defer reader.Close()
	told, err := reader.ByType(events.RecordStored)
	if err != nil {
		return 0, nil, err
	}
	records := store.Open(h.repo)
	defer func() { _ = records.Close() }()
	list, err := records.List(ctx)
	if err != nil {
		return 0, nil, err
	}
	writer, err := h.log.Writer()
	if err != nil {
		return 0, nil, err
	}
	seen := map[events.TraceID]bool{}
	for _, e := range list {
		seen[e.Trace] = true
	}
	for _, e := range told {
		if seen[e.Trace] || e.Writer != writer || purge.Was(h.repo, e.Trace) {
			continue
		}
		seen[e.Trace] = true
		gone = append(gone, waiting.Session{Trace: e.Trace, Agent: e.Agent, Session: e.Session, WorkTree: h.repo.WorkTree})
	}
	return len(list), gone, nil
}

// storeAgain reads conversations from the session files that their agents keep.
func (h *health) storeAgain(ctx context.Context, gone []waiting.Session) error {
	job, err := newRecording(ctx, h.repo)
	if err != nil {
		return err
	}
	defer job.close()
	lock, err := job.lock(ctx, store.Patience)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	for _, session := range gone {
		if err := job.one(ctx, session, func(recordedConversation) {}); err != nil {
			return fmt.Errorf("conversation %.8s: %w", session.Trace, err)
		}
	}
	return nil
}
