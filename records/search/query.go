package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/internal/fault"
)

// Query describes a search.
type Query struct {
	Text  string
	Limit int // the number of conversations; 0 for all
	In    In  // the parts of conversations in which words count
	// Count requests the number of conversations with all words, for each of Places.
	Count bool
	// Want selects conversations; nil selects all.
	Want func(*Digest) bool
}

// `In` names the part of a conversation in which words count.
type In string

// The choices.
const (
	Everywhere In = ""
	Prompts    In = "prompts" // texts of people
	Answers    In = "answers" // texts and actions of agents: answers, inputs of calls, file names
	Calls      In = "calls"   // inputs of calls, including file names
	Files      In = "files"   // file names in inputs of calls
)

// Places lists all choices except Everywhere.
var Places = []In{Prompts, Answers, Calls, Files}

// `counts` reports whether an occurrence of a word counts; the parameter `step` is the step that contains it.
func (in In) counts(step uint32, p posting) bool {
	switch in {
	case Prompts:
		return step&promptBit != 0
	case Answers:
		return step&promptBit == 0
	case Calls:
		return p.in&inInput != 0
	case Files:
		return p.in&inFile != 0
	}
	return true
}

// ErrNoWords reports a query without a word.
var ErrNoWords = errors.New("there is no word to look for")

// Result is a conversation that contains all words of a query.
type Result struct {
	Digest
	Score float64
	Hits  []Hit // the most relevant steps, best first
}

// Hit is a step that contains words of a query.
type Hit struct {
	Step int // 0 for a prompt that is not in a record
	// PromptIndex is the number of the prompt, for a prompt that is not in a record and for a call.
	PromptIndex int
	Prompt      bool   // the user wrote it
	Text        string // a line or two around the words
	Call, Tool  string // the call and its tool, for a hit that is a call; otherwise ""
	score       float64
}

const (
	mostHits = 3 // hits of each conversation

	promptWeight = 2.0 // words of the user count more than inputs of tools
	prefixWeight = 0.4 // weight of a word that only begins with the query's word
	phraseWeight = 1.5 // weight of a step that contains the exact query
)

// Found is the result of a search.
type Found struct {
	Total   int        // the number of conversations with all words
	In      map[In]int // the number of conversations with all words in each place; nil unless requested
	Results []Result
}

// place is the position of a conversation in the index.
type place struct {
	segment      int
	conversation uint32
}

// mostWords limits the number of words in a query.
const mostWords = 16

// Search ranks the conversations that contain every word of the query, in the same or different steps.
func (ix *Index) Search(ctx context.Context, q Query) (Found, error) {
	wanted := queryWords(q.Text)
	if len(wanted) == 0 {
		return Found{}, ErrNoWords
	}
	wanted = wanted[:min(len(wanted), mostWords)]
	var out Found
	err := ix.mended(ctx, func() (err error) {
		out, err = ix.search(ctx, q, wanted)
		return err
	})
	if err != nil {
		return Found{}, fmt.Errorf("search: %w", err)
	}
	return out, nil
}

func (ix *Index) search(ctx context.Context, q Query, wanted []string) (Found, error) {
	matches, where, err := ix.allMatches(ctx, wanted, q)
	if err != nil {
		return Found{}, err
	}
	want, err := ix.chosen(q.Want)
	if err != nil {
		return Found{}, err
	}
	if q.Want != nil {
		matches = slices.DeleteFunc(matches, func(m match) bool { return !want(m.place) })
	}
	out := Found{Total: len(matches)}
	if q.Count {
		out.In = counted(where, q.Want != nil, want)
	}
	most := len(matches)
	if q.Limit > 0 {
		most = min(most, q.Limit*4) // the final ones are chosen after their texts were read
	}
	matches = best(matches, most)
	for _, m := range matches {
		r, err := ix.result(m, q.Text, wanted)
		if err != nil {
			return Found{}, err
		}
		out.Results = append(out.Results, r)
	}
	slices.SortStableFunc(out.Results, func(a, b Result) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.End, a.End), cmp.Compare(a.Trace, b.Trace))
	})
	if q.Limit > 0 && len(out.Results) > q.Limit {
		out.Results = out.Results[:q.Limit]
	}
	return out, nil
}

// `counted` adds up the numbers for each place. If `some` is set, only wanted conversations count.
func counted(where []whole, some bool, want func(place) bool) map[In]int {
	out := map[In]int{}
	for _, w := range where {
		for at, in := range Places {
			if !some {
				out[in] += w.count[at]
			}
			for _, p := range w.list[at] {
				if want(p) {
					out[in]++
				}
			}
		}
	}
	return out
}

// whole counts, for each place, the conversations with all words in it, and lists them if requested.
type whole struct {
	count [4]int
	list  [4][]place
}

// allMatches searches all segments in parallel. If requested, it also returns, for each segment, the conversations with
// all words in one place.
func (ix *Index) allMatches(ctx context.Context, wanted []string, q Query) ([]match, []whole, error) {
	lists, errs := make([][]match, len(ix.segments)), make([]error, len(ix.segments))
	where := make([]whole, len(ix.segments))
	var looking sync.WaitGroup
	for i := range ix.segments {
		looking.Go(fault.In(func() { lists[i], where[i], errs[i] = ix.matches(ctx, i, wanted, q) }))
	}
	looking.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, nil, err
		}
	}
	return slices.Concat(lists...), where, nil
}

// `best` returns at most `most` matches, the best first.
func best(matches []match, most int) []match {
	order := func(a, b match) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.segment, b.segment),
			cmp.Compare(a.conversation, b.conversation))
	}
	if len(matches) > 2*most && most > 0 { // only the best need to be sorted
		scores := make([]float64, len(matches))
		for i := range matches {
			scores[i] = matches[i].score
		}
		slices.Sort(scores)
		least := scores[len(scores)-most]
		matches = slices.DeleteFunc(matches, func(m match) bool { return m.score < least })
	}
	slices.SortFunc(matches, order)
	return matches[:most]
}

// match is a conversation with all words, and its best steps.
type match struct {
	place
	score float64
	kept  int              // the number of steps in the array
	steps [mostHits]scored // the best first
}

// scored is a step with its score.
type scored struct {
	document uint32
	score    float64
}

// weights holds the scores of a segment's steps for the words of a query.
type weights struct {
	score []float64
	held  []uint16 // for each step, a bit for each word that it contains
	in    []placed // places of the words in each conversation; nil unless requested
}

// placed has, for each of Places, a bit for each word of a query.
type placed [4]uint16

// `add` records a word of a step.
func (h *placed) add(bit uint16, step uint32, in uint32) {
	if step&promptBit != 0 {
		h[0] |= bit
	} else {
		h[1] |= bit
	}
	if in&inInput != 0 {
		h[2] |= bit
	}
	if in&inFile != 0 {
		h[3] |= bit
	}
}

// weigh computes the BM25 scores of the steps of a segment.
func (s *segment) weigh(ctx context.Context, wanted []string, q Query) (weights, error) {
	table, err := s.documents()
	if err != nil {
		return weights{}, err
	}
	w := weights{score: make([]float64, s.counts[0]), held: make([]uint16, s.counts[0])}
	if q.Count {
		w.in = make([]placed, s.counts[2])
	}
	for bit, text := range wanted {
		if err := ctx.Err(); err != nil {
			return w, err
		}
		entries, err := s.find(text)
		if err != nil {
			return w, err
		}
		for _, e := range entries {
			list, err := s.postings(e)
			if err != nil {
				return w, err
			}
			weight := math.Log(1 + float64(s.counts[0])/float64(len(list)+1))
			if e.text != text {
				weight *= prefixWeight
			}
			for _, p := range list {
				d := entry(table, p.document)
				if uint64(d.conversation) >= s.counts[2] {
					return w, fmt.Errorf("%w: there is no conversation %d", errDamaged, d.conversation)
				}
				if q.Count {
					w.in[d.conversation].add(1<<bit, d.step, p.in)
				}
				if q.In.counts(d.step, p) {
					w.held[p.document] |= 1 << bit
					w.score[p.document] += weight * saturate(p.count, d)
				}
			}
		}
	}
	return w, nil
}

// `matches` finds the conversations of a segment with all words, both in the searched part and in each single place.
func (ix *Index) matches(ctx context.Context, at int, wanted []string, q Query) ([]match, whole, error) {
	s := ix.segments[at]
	w, err := s.weigh(ctx, wanted, q)
	if err != nil {
		return nil, whole{}, err
	}
	all := uint16(1<<len(wanted) - 1)
	held := make([]uint16, s.counts[2]) // by conversation: a bit for each word that it contains
	for i, bits := range w.held {
		if bits == 0 {
			continue
		}
		held[entry(s.table, uint32(i)).conversation] |= bits
	}
	var out []match
	number := make([]int32, s.counts[2]) // by conversation: the number of its match, from 1
	for i, bits := range w.held {
		d := entry(s.table, uint32(i))
		if bits == 0 || held[d.conversation] != all || s.dead[d.conversation] {
			continue
		}
		if number[d.conversation] == 0 {
			out = append(out, match{place: place{at, d.conversation}})
			number[d.conversation] = int32(len(out))
		}
		score := w.score[i]
		if bits == all {
			score *= phraseWeight
		}
		out[number[d.conversation]-1].take(scored{uint32(i), score})
	}
	for i := range out {
		// A conversation's score is the score of its best step, plus a small part for each other step.
		for n, step := range out[i].steps[:out[i].kept] {
			out[i].score += step.score / float64(int(1)<<(2*n))
		}
	}
	var where whole
	for conversation := range w.in {
		for i, bits := range w.in[conversation] {
			if bits == all && !s.dead[uint32(conversation)] {
				where.count[i]++
				if q.Want != nil {
					where.list[i] = append(where.list[i], place{at, uint32(conversation)})
				}
			}
		}
	}
	return out, where, nil
}

// take keeps a step if it is one of the best.
func (m *match) take(s scored) {
	at := m.kept
	for at > 0 && m.steps[at-1].score < s.score {
		at--
	}
	if at == mostHits {
		return
	}
	m.kept = min(m.kept+1, mostHits)
	copy(m.steps[at+1:m.kept], m.steps[at:])
	m.steps[at] = s
}

// `chosen` returns a function that reports whether a conversation is wanted.
func (ix *Index) chosen(want func(*Digest) bool) (func(place) bool, error) {
	if want == nil {
		return func(place) bool { return true }, nil
	}
	digests, err := ix.allDigests()
	if err != nil {
		return nil, err
	}
	wanted := map[place]bool{}
	for i := range digests {
		if want(&digests[i]) {
			wanted[place{digests[i].segment, digests[i].conversation}] = true
		}
	}
	return func(p place) bool { return wanted[p] }, nil
}

// saturate computes the part of BM25 by which later occurrences count less than the first. An occurrence in a long text
// also counts less than one in a short text.
func saturate(count uint32, d document) float64 {
	const k, b, usual = 1.2, 0.5, 60.0
	n := float64(count)
	score := n * (k + 1) / (n + k*(1-b+b*float64(d.words)/usual))
	if d.step&promptBit != 0 {
		score *= promptWeight
	}
	return score
}

// result reads the texts of a match's best steps.
func (ix *Index) result(m match, text string, wanted []string) (Result, error) {
	d, err := ix.digestAt(m.place)
	if err != nil {
		return Result{}, err
	}
	r := Result{Digest: d, Score: m.score}
	s := ix.segments[m.segment]
	for _, step := range m.steps[:m.kept] {
		doc := entry(s.table, step.document)
		body, err := s.text(doc)
		if err != nil {
			return r, err
		}
		body = unmarked(body)
		if len(wanted) > 1 && strings.Contains(strings.ToLower(body), strings.ToLower(text)) {
			step.score *= phraseWeight
			r.Score = max(r.Score, m.score*phraseWeight)
		}
		r.Hits = append(r.Hits, Hit{
			Step: int(doc.step &^ promptBit), Prompt: doc.step&promptBit != 0, Text: snippet(body, text, wanted),
			score: step.score,
		})
	}
	slices.SortStableFunc(r.Hits, func(a, b Hit) int { return cmp.Compare(b.score, a.score) })
	return r, nil
}
