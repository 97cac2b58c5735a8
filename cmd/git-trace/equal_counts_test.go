package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/records"
)

var countRows = slices.Concat(
	[]row{ofTruth("prompts", func(t *talk) string { return t.said(t.prompts, t.asked) })},
	ofTalk("prompts", func(t *toldTalk) string { return strconv.Itoa(t.Prompts) }),
	ofRecord("prompts", func(r *toldRecord) string {
		n := 0
		for _, s := range r.Steps {
			if s.Role == "user" && s.ParentStep == nil {
				n++
			}
		}
		return strconv.Itoa(n)
	}),
	[]row{
		{"prompts", "show --json CONVERSATION, its turns", func(a *allAnswers) map[string]string {
			return a.eachShown(func(t *toldTalk) string {
				n := 0
				for i := range t.Turns {
					if t.Turns[i].Index > 0 || t.Turns[i].Text != nil {
						n++
					}
				}
				return strconv.Itoa(n)
			})
		}},
		{"prompts", "log (text)", func(a *allAnswers) map[string]string { return a.inLog(3) }},
	},
	[]row{ofTruth("calls", func(t *talk) string { return t.said(t.made(), t.writing) })},
	ofTalk("calls", func(t *toldTalk) string { return strconv.Itoa(t.Calls) }),
	ofRecord("calls", func(r *toldRecord) string {
		n := 0
		for _, s := range r.Steps {
			n += len(s.ToolCalls)
		}
		return strconv.Itoa(n)
	}),
	[]row{
		{"calls", "show --json CONVERSATION, its turns", func(a *allAnswers) map[string]string {
			return a.eachShown(func(t *toldTalk) string {
				n := 0
				for i := range t.Turns {
					n += len(t.Turns[i].Calls)
				}
				return strconv.Itoa(n)
			})
		}},
		{"calls", "quality --json", func(a *allAnswers) map[string]string {
			out := map[string]string{}
			for _, q := range a.quality {
				out[q.Trace] = strconv.Itoa(q.Calls)
			}
			return out
		}},
		{"calls", "log (text)", func(a *allAnswers) map[string]string { return a.inLog(4) }},
	},
)

// said is a figure of what was said: that of the record, or what hooks saw of it.
func (t *talk) said(n, seen int) string {
	switch {
	case t.recorded:
		return strconv.Itoa(n)
	case t.seen:
		return strconv.Itoa(seen)
	}
	return "0"
}

// inLog reads a figure of the first line of a conversation in the text of log: the id, the agent, the model, prompts or
// calls.
func (a *allAnswers) inLog(group int) map[string]string {
	head := regexp.MustCompile(`^([0-9a-f]+)  (\S+) +(.*?)  .*?(\d+) prompts?  +(\d+) calls?$`)
	out := map[string]string{}
	for line := range strings.Lines(a.logText) {
		m := head.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		for i := range a.log {
			if !strings.HasPrefix(a.log[i].Trace, m[1]) {
				continue
			}
			out[a.log[i].Trace] = m[min(group+1, len(m)-1)]
			if group == 1 {
				out[a.log[i].Trace] = m[2] + " " + a.log[i].Session
			}
		}
	}
	return out
}

// usage is what a conversation used: steps, the four buckets of tokens, and the cost.
func usageText(steps, input, output, read, write int, cost *float64) string {
	price := "of unknown cost"
	if cost != nil {
		price = fmt.Sprintf("%.6f $", *cost)
	}
	return fmt.Sprintf("%d steps, %d in, %d out, %d read, %d written, %s", steps, input, output, read, write, price)
}

var useRows = slices.Concat(
	[]row{ofTruth("use", func(t *talk) string {
		if !t.recorded {
			return ""
		}
		var cost *float64
		if p := taleModels[t.agent].price; p != nil && t.calls > 0 {
			sum := 0.0
			for i, n := range []int{t.used.in, t.used.out, t.used.read, t.used.write} {
				sum += float64(n) * p[i] / 1e6
			}
			cost = &sum
		}
		return usageText(t.steps(), t.used.in, t.used.out, t.used.read, t.used.write, cost)
	})},
	ofTalk("use", func(t *toldTalk) string {
		if t.Usage == nil {
			return "none"
		}
		u := t.Usage
		return usageText(u.Steps, u.Input, u.Output, u.CacheRead, u.CacheWrite, u.CostUSD)
	}),
	ofRecord("use", func(r *toldRecord) string {
		m := r.Metrics
		return usageText(len(r.Steps), m.Input, m.Output, m.CacheRead, m.CacheWrite, m.Cost)
	}),
	[]row{
		ofTruth("steps", func(t *talk) string {
			if !t.recorded {
				return ""
			}
			return strconv.Itoa(t.steps())
		}),
		{"steps", "quality --json", func(a *allAnswers) map[string]string {
			out := map[string]string{}
			for _, q := range a.quality {
				out[q.Trace] = strconv.Itoa(q.Steps)
			}
			return out
		}},
	},
)

var timeRows = slices.Concat(
	ofTalk("times", func(t *toldTalk) string { return sameMoment(t.First) + " to " + sameMoment(t.Last) }),
	[]row{
		{"times", "search --json WORD", func(a *allAnswers) map[string]string {
			return a.eachFound(func(f *toldFound) string {
				return sameMoment(records.Value(f.Start)) + " to " + sameMoment(records.Value(f.End))
			})
		}},
		ofTruth("span", func(t *talk) string {
			if !t.recorded {
				return ""
			}
			return "as it was"
		}),
		{"span", "log --json", func(a *allAnswers) map[string]string {
			told := map[string]string{}
			for i := range a.log {
				told[a.log[i].Trace] = sameMoment(a.log[i].First) + " to " + sameMoment(a.log[i].Last)
			}
			for _, t := range a.tale.talks {
				if t.wasThen(told[t.trace()]) {
					told[t.trace()] = "as it was"
				}
			}
			return told
		}},
	},
)

// wasThen reports whether a conversation began and ended at the times of "… to …". What a hook saw was between the
// start of the hook and its end. A record may lack its end.
func (t *talk) wasThen(span string) bool {
	first, last, _ := strings.Cut(span, " to ")
	within := func(stamp string, bounds [2]time.Time) bool {
		at, err := time.Parse(time.RFC3339Nano, stamp)
		return err == nil && !at.Before(bounds[0].Add(-time.Millisecond)) && !at.After(bounds[1])
	}
	return within(first, t.began) && (t.endless || within(last, t.ended))
}

// changed are lines added and removed, and files.
func changedText(added, removed, files int) string {
	return fmt.Sprintf("+%d -%d in %d files", added, removed, files)
}

var changesLine = regexp.MustCompile(`(?m)^changes +\+(\d+) −(\d+) in (\d+) files?`)

var writtenRows = slices.Concat(
	[]row{ofTruth("changes", func(t *talk) string {
		if !t.seen {
			return ""
		}
		return changedText(t.added, t.removed, len(t.files))
	})},
	tellingRows(ofTalk("changes", func(t *toldTalk) string {
		if !t.seen() {
			return ""
		}
		return changedText(t.Added, t.Removed, t.Files)
	})),
	[]row{
		{"changes", "show CONVERSATION (text)", func(a *allAnswers) map[string]string {
			out := map[string]string{}
			for id, text := range a.text {
				if m := changesLine.FindStringSubmatch(text); m != nil {
					out[id] = fmt.Sprintf("+%s -%s in %s files", m[1], m[2], m[3])
				}
			}
			return out
		}},
		ofTruth("lines written", func(t *talk) string {
			if !t.seen {
				return ""
			}
			return strconv.Itoa(t.added)
		}),
		{"lines written", "show --json CONVERSATION, its calls", func(a *allAnswers) map[string]string {
			return a.eachShown(func(t *toldTalk) string {
				n := 0
				for _, turn := range t.Turns {
					for _, call := range turn.Calls {
						for _, f := range call.Files {
							n += f.Added
						}
					}
				}
				if !t.seen() {
					return ""
				}
				return strconv.Itoa(n)
			})
		}},
		{"lines written", "track --json CONVERSATION", func(a *allAnswers) map[string]string {
			out := map[string]string{}
			for id, trails := range a.tracks {
				n := 0
				for i := range trails {
					n += trails[i].Lines
				}
				if t := a.show[id]; t.seen() {
					out[id] = strconv.Itoa(n)
				}
			}
			return out
		}},
	},
)
