package dataset

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/stats"
	"github.com/git-trace/git-trace/serve/dataset/shards"
	"github.com/git-trace/git-trace/view"
)

// Source is a repository with its logs and records.
type Source struct {
	Name  string // name of the repository
	Repo  *refs.Repo
	Known *view.Reader
	Lines stats.Source
	Force bool        // also write records that could not be read in large part
	Hide  *Anonymiser // nil: keep names
}

// Written is the result for a repository.
type Written struct {
	LeftOut []events.TraceID // conversations whose records lack much: their steps and calls are not written
}

// maker writes the tables of a source.
type maker struct {
	Source
	ctx context.Context // the context of one export
	set *shards.Set
	out Written
}

// Write makes the rows of all tables. It skips complete tables.
func Write(ctx context.Context, from Source, set *shards.Set) (Written, error) {
	m := &maker{Source: from, ctx: ctx, set: set}
	list, err := from.Known.Conversations()
	if err != nil {
		return m.out, err
	}
	slices.Reverse(list) // the oldest first, so that months follow each other
	for _, group := range []struct {
		of     string
		tables []string
		make   func(t writers) error
	}{
		{"conversations", []string{"conversations", "prompts", "steps", "calls"}, func(t writers) error {
			return m.conversations(list, t)
		}},
		{"patches", []string{"patches"}, m.patches},
		{"commits", []string{"commits", "lines"}, m.history},
		{"lives", []string{"lives"}, m.lives},
	} {
		if err := m.write(group.tables, group.make); err != nil {
			return m.out, fmt.Errorf("%s: %w", group.of, err)
		}
	}
	return m.out, nil
}

// writers holds the tables that are made together, by name.
type writers map[string]*shards.Writer

// write makes tables, unless all of them are complete.
func (m *maker) write(names []string, rows func(t writers) error) error {
	t := writers{}
	whole := true
	for _, table := range Tables() {
		if !slices.Contains(names, table.Name) {
			continue
		}
		w, err := m.set.Table(table)
		if err != nil {
			return err
		}
		t[table.Name] = w
		whole = whole && w == nil
	}
	if whole {
		return nil
	}
	if err := rows(t); err != nil {
		for _, w := range t {
			w.Drop()
		}
		return err
	}
	var faults []error
	for _, name := range names {
		faults = append(faults, t[name].Close())
	}
	return errors.Join(faults...)
}

// row writes a row.
func (m *maker) row(w *shards.Writer, row any) error {
	if w == nil {
		return nil
	}
	if m.Hide != nil {
		m.Hide.Row(row)
	}
	if err := m.ctx.Err(); err != nil {
		return err
	}
	return w.Row(row)
}

// month returns the partition of a time.
func month(t time.Time) *string { return maybe(stats.MonthOf(t)) }
