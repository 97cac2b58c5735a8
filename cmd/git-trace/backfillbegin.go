package main

import (
	"github.com/git-trace/git-trace/correlate/backfill"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/upkeep/testimony"
	"github.com/git-trace/git-trace/view"
)

// begin returns the missing events of a conversation: its times, its model, its prompts. After a killed run some of
// them are in the log already.
func (b *filler) begin(log *view.Log, l backfill.Link) ([]events.Draft, error) {
	t := b.keeper.byTrace[l.Trace]
	if b.linked[l.Trace] || t == nil {
		return nil, nil
	}
	told, hooked, err := testimony.Told(log, l.Trace)
	if err != nil || hooked {
		return nil, err
	}
	b.keeper.number(l.Trace)
	return testimony.ConversationDrafts(told, l.Trace, t)
}
