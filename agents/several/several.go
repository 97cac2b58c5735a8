// Package several reads several session files of one conversation as one: a session that was resumed elsewhere, forked
// or copied leaves files that begin with the same steps.
//
// The files are read one after the other, in the order of their start. A step that an earlier file has is taken only
// once: it has the same time, role, calls and beginning of text. Steps are renumbered. Results that only a later file
// has are passed on as late results. Data about the whole conversation comes from the last file, its task from the
// first one, and totals from all files. There is no cursor, so every reading starts from the beginning.
package several

import (
	"cmp"
	"context"
	"encoding/json"
	"hash/maphash"
	"maps"
	"slices"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/prices"
)

// Parser reads the files in Earlier before the given one.
type Parser struct {
	capability.SessionParser
	Earlier []string
}

// Key returns the same number for copies of a step in different files of a session.
func Key(step *records.Step) uint64 {
	var sum maphash.Hash
	sum.SetSeed(seed)
	add := func(text string) {
		_, _ = sum.WriteString(text) // never fails
		_ = sum.WriteByte(0)
	}
	add(string(step.Role))
	if step.Timestamp != nil {
		add(*step.Timestamp)
	}
	for i := range step.ToolCalls {
		add(step.ToolCalls[i].ToolCallID)
	}
	if step.Content != nil {
		add((*step.Content)[:min(len(*step.Content), telling)])
	}
	return sum.Sum64()
}

// telling is the length of the text that distinguishes steps with the same time, in bytes.
const telling = 100

var seed = maphash.MakeSeed()

// Parse reads all files.
func (p Parser) Parse(ctx context.Context, path string, options capability.ParseOptions,
	sink records.Sink) (*capability.Parsed, error) {
	options.Cursor = nil
	s := &joiner{Sink: sink, prices: cmp.Or(options.Prices, prices.Default()), seen: map[uint64]int{},
		results: map[string]bool{}}
	s.lists = lists{of: map[string][]json.RawMessage{}, known: map[string]bool{}}
	var all []*capability.Parsed
	for _, file := range append(slices.Clone(p.Earlier), path) {
		s.place, s.own = nil, map[uint64]int{}
		parsed, err := p.SessionParser.Parse(ctx, file, options, s)
		if err != nil {
			return nil, err
		}
		maps.Copy(s.seen, s.own)
		all = append(all, parsed)
		s.lists.add(parsed.Head, s.place)
	}
	return s.whole(all), nil
}

// joiner receives the steps of one file after the other.
type joiner struct {
	records.Sink
	prices   *prices.Table
	seen     map[uint64]int // the number of each step of the earlier files
	own      map[uint64]int // number of each step of this file
	results  map[string]bool
	place    []int // the overall number of each step of this file
	waiting  []records.Edited
	lists    lists
	steps    int
	usage    records.TokenUsage
	cost     float64
	unpriced bool
}

// Edited stores an edit until its step comes.
func (s *joiner) Edited(e records.Edited) { s.waiting = append(s.waiting, e) }

// Step passes on a step, unless an earlier file has it.
func (s *joiner) Step(step *records.Step) error {
	edits := s.waiting
	s.waiting = nil
	s.place = s.place[:min(len(s.place), step.StepIndex-1)]
	key := Key(step)
	if at, known := s.seen[key]; known {
		s.place = append(s.place, at)
		for _, o := range step.Observations {
			if err := s.result(at, o); err != nil {
				return err
			}
		}
		return nil
	}
	s.steps++
	s.place = append(s.place, s.steps)
	s.own[key] = s.steps
	if editing, ok := s.Sink.(records.Editing); ok {
		for _, e := range edits {
			e.Step = s.steps
			editing.Edited(e)
		}
	}
	step.StepIndex, step.ParentStep = s.steps, s.renumbered(step.ParentStep)
	for i := range step.Snippets {
		step.Snippets[i].SourceStep = s.renumbered(step.Snippets[i].SourceStep)
	}
	for _, o := range step.Observations {
		s.results[o.SourceCallID] = !isMissing(o)
	}
	s.usage.Add(step.TokenUsage)
	if step.Model != nil && step.TokenUsage != (records.TokenUsage{}) {
		cost, known := s.prices.Cost(*step.Model, prices.Usage{TokenUsage: step.TokenUsage})
		s.cost += cost
		s.unpriced = s.unpriced || !known
	}
	return s.Sink.Step(step)
}

// isMissing reports whether an observation only says that there is no result.
func isMissing(o records.Observation) bool {
	return o.Error != nil && *o.Error == records.ErrorNoResult
}

// Late passes on a result.
func (s *joiner) Late(stepIndex int, result records.Observation) error {
	if stepIndex < 1 || stepIndex > len(s.place) {
		return nil
	}
	return s.result(s.place[stepIndex-1], result)
}

// result passes on the result of a call, unless an earlier file had it.
func (s *joiner) result(at int, result records.Observation) error {
	if isMissing(result) || s.results[result.SourceCallID] {
		return nil
	}
	s.results[result.SourceCallID] = true
	return s.Sink.Late(at, result)
}

func (s *joiner) renumbered(step *int) *int {
	if step == nil || *step < 1 || *step > len(s.place) {
		return step
	}
	return new(s.place[*step-1])
}

// `whole` returns the data of the conversation apart from its steps.
func (s *joiner) whole(all []*capability.Parsed) *capability.Parsed {
	first, last := all[0].Head, all[0].Head
	out := &capability.Parsed{FirstStep: 1}
	prompts := map[string]string{}
	for _, p := range all {
		out.Lines, out.Lost = out.Lines+p.Lines, out.Lost+p.Lost
		if records.Value(p.Head.TimestampStart) != "" && (records.Value(first.TimestampStart) == "" ||
			*p.Head.TimestampStart < *first.TimestampStart) {
			first = p.Head
		}
		if records.Value(p.Head.TimestampEnd) >= records.Value(last.TimestampEnd) {
			last = p.Head
		}
		maps.Copy(prompts, p.Head.SystemPrompts)
	}
	head := *last
	head.TimestampStart, head.Task = first.TimestampStart, first.Task
	if len(prompts) > 0 {
		head.SystemPrompts = prompts
	}
	head.Metadata = maps.Clone(head.Metadata)
	s.lists.set(&head)
	head.SetMeta("session_files", len(all))
	head.Metrics = s.metrics(&head)
	if head.Metrics.EstimatedCostUSD != nil {
		head.SetMeta(records.MetaPricesAsOf, s.prices.AsOf)
	}
	head.Attribution = nil // its step numbers refer to one file
	out.Head = &head
	return out
}

func (s *joiner) metrics(head *records.Record) records.Metrics {
	m := records.Metrics{
		TotalSteps: s.steps, TotalInputTokens: s.usage.InputTokens, TotalOutputTokens: s.usage.OutputTokens,
		TotalCacheReadTokens: s.usage.CacheReadTokens, TotalCacheCreationTokens: s.usage.CacheWriteTokens,
	}
	if seen := s.usage.InputTokens + s.usage.CacheReadTokens + s.usage.CacheWriteTokens; seen > 0 {
		m.CacheHitRate = new(records.Float(float64(s.usage.CacheReadTokens*1e4/seen) / 1e4))
	}
	if !s.unpriced && s.usage != (records.TokenUsage{}) {
		m.EstimatedCostUSD = new(records.Float(prices.Round(s.cost)))
	}
	start, errStart := time.Parse(time.RFC3339Nano, records.Value(head.TimestampStart))
	end, errEnd := time.Parse(time.RFC3339Nano, records.Value(head.TimestampEnd))
	if cmp.Or(errStart, errEnd) == nil {
		m.TotalDurationS = new(records.Float(float64(end.Sub(start).Milliseconds()) / 1000))
	}
	return m
}
