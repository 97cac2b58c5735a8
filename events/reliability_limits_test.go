package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// fastest is the shortest of three runs: a machine that is busy otherwise must not fail a bound on time.
func fastest(run func()) time.Duration {
	best := time.Hour
	for range 3 {
		start := time.Now()
		run()
		best = min(best, time.Since(start))
	}
	return best
}

const refusedWithin = 100 * time.Millisecond

// lineWith is a stored event whose data are the ones given.
func lineWith(data string) []byte {
	return []byte(`{"data":` + data + `,"id":"` + string(longestID) + `","method":["manual"],"prev":"","seq":1,` +
		`"time":"2026-11-20T09:00:00.000000000Z","type":"log_started","v":1,"writer":"00000000000000ff"}`)
}

// What is beyond the limits of the format is refused when read, in a time that does not depend on how far beyond it is.
func TestReliabilityH1WhatIsTooLargeIsRefusedAtOnce(t *testing.T) { // alone, for it measures
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	tests := map[string]string{
		"a field of a byte more":       `{"a":"` + strings.Repeat("x", MaxField+1) + `"}`,
		"a field of a megabyte":        `{"a":"` + strings.Repeat("x", 1<<20) + `"}`,
		"a field of 64 megabytes":      `{"a":"` + strings.Repeat("x", 64<<20) + `"}`,
		"escapes without end":          `{"a":"` + strings.Repeat(`\n`, 32<<20) + `"}`,
		"one level too deep":           strings.Repeat(`{"a":`, MaxDepth) + `"x"` + strings.Repeat(`}`, MaxDepth),
		"a hundred thousand levels":    `{"a":` + strings.Repeat(`[`, 100_000) + strings.Repeat(`]`, 100_000) + `}`,
		"levels that never end":        `{"a":` + strings.Repeat(`[`, 32<<20),
		"a million lines in a hunk":    `{"lines":"` + strings.Repeat("AAAAAAAA", 1_000_000) + `"}`,
		"a hundred thousand files":     `{"files":[{"a":""}` + many(100_000, `,{"path":"%d"}`) + `]}`,
		"a million equal members":      `{"b":1` + strings.Repeat(`,"b":1`, 1_000_000) + `}`,
		"a number of a million digits": `{"a":1` + strings.Repeat("0", 1_000_000) + `}`,
	}
	for name, data := range tests {
		line := lineWith(data)
		var err error
		took := fastest(func() { _, err = DecodeLine(line) })
		if err == nil || took > refusedWithin {
			t.Errorf("%s: %v after %v", name, err, took)
		}
		if err != nil && len(err.Error()) > 300 {
			t.Errorf("%s: an error of %d bytes", name, len(err.Error()))
		}
	}
	if _, err := DecodeLine(lineWith(`{"a":"` + strings.Repeat("x", MaxField) + `"}`)); err != nil {
		t.Errorf("the longest field there may be: %v", err)
	}
	if _, err := DecodeLine(lineWith(strings.Repeat(`{"a":`, MaxDepth-1) + `"x"` + strings.Repeat(`}`, MaxDepth-1))); err != nil {
		t.Errorf("the deepest event there may be: %v", err)
	}
}

// The same when written: nothing is left behind, and nothing of the content is in the error.
func TestReliabilityH1WhatIsTooLargeIsNotWritten(t *testing.T) {
	log := OpenLog(newRepo(t))
	mustAppend(t, log, promptDraft(0))
	before := readAll(t, log, Range{})
	for name, data := range map[string]string{
		"a field of a byte more":  `{"a":"` + strings.Repeat("x", MaxField+1) + `"}`,
		"a field of 64 megabytes": `{"a":"` + strings.Repeat("x", 64<<20) + `"}`,
		"too deep":                strings.Repeat(`{"a":`, MaxDepth) + `"x"` + strings.Repeat(`}`, MaxDepth),
		"levels without end":      `{"a":` + strings.Repeat(`[`, 100_000) + strings.Repeat(`]`, 100_000) + `}`,
		"an event of a megabyte":  `{"a":[""` + strings.Repeat(`,"`+strings.Repeat("x", 1000)+`"`, 1100) + `]}`,
	} {
		d := promptDraft(1)
		d.Data = json.RawMessage(data)
		var err error
		took := fastest(func() { _, err = log.Append(context.Background(), []Draft{d}) })
		if err == nil || errors.Is(err, ErrSpooled) || took > refusedWithin || strings.Contains(err.Error(), "xxx") {
			t.Errorf("%s: %.200v after %v", name, err, took)
		}
	}
	// The deepest event that can be written can be read.
	deepest := promptDraft(2)
	deepest.Data = json.RawMessage(strings.Repeat(`{"a":`, MaxDepth-1) + `"x"` + strings.Repeat(`}`, MaxDepth-1))
	mustAppend(t, log, deepest)
	if after := readAll(t, log, Range{}); len(after) != len(before)+1 {
		t.Errorf("%d events, %d before", len(after), len(before))
	}
	if files, err := log.Spooled(); err != nil || len(files) > 0 {
		t.Errorf("spooled: %v, %v", files, err)
	}
}
