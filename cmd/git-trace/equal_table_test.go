package main

import (
	"fmt"
	"slices"
	"strings"
)

// row is one way of telling a figure: of which thing, by which command, and how it is read, by subject. A subject is a
// conversation, a prompt of one (ID#1), a commit, or a name. Of two rows of a thing every subject that both tell must
// have one figure. A new command, or a new member of its output, is a row.
type row struct {
	thing   string
	command string
	read    func(a *allAnswers) map[string]string
}

const truth = "the truth"

// ofTalk makes rows of a figure that log and show both give, show's text too.
func ofTalk(thing string, read func(t *toldTalk) string) []row {
	return []row{
		{thing, "log --json", func(a *allAnswers) map[string]string {
			out := map[string]string{}
			for i := range a.log {
				out[a.log[i].Trace] = read(&a.log[i])
			}
			return out
		}},
		{thing, "show --json CONVERSATION", func(a *allAnswers) map[string]string {
			out := map[string]string{}
			for id, t := range a.show {
				out[id] = read(&t)
			}
			return out
		}},
	}
}

// ofTruth makes the row of the truth about conversations that are known. A figure of "" is none.
func ofTruth(thing string, read func(t *talk) string) row {
	return row{thing, truth, func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for _, t := range a.tale.talks {
			if figure := read(t); t.known && figure != "" {
				out[t.trace()] = figure
			}
		}
		return out
	}}
}

// ofRecord makes rows of a figure of records: those that show holds and those that are exported.
func ofRecord(thing string, read func(r *toldRecord) string) []row {
	return []row{
		{thing, "show --json CONVERSATION, its record", func(a *allAnswers) map[string]string {
			out := map[string]string{}
			for id, t := range a.show {
				if t.Record != nil {
					out[id] = read(t.Record)
				}
			}
			return out
		}},
		{thing, "export --format opentraces", func(a *allAnswers) map[string]string {
			out := map[string]string{}
			for i := range a.records {
				out[a.records[i].TraceID] = read(&a.records[i])
			}
			return out
		}},
	}
}

// equalRows is the table.
var equalRows = slices.Concat(
	listedRows, nameRows, lineRows, countRows, useRows, timeRows, writtenRows, commitRows, aliveRows, outcomeRows, promptRows, sumRows, besideRows, groupRows,
	linkRows, rangeRows,
)

// list is one figure: names, sorted.
func (a *allAnswers) list(each func(yield func(string))) map[string]string {
	var out []string
	each(func(name string) { out = append(out, fmt.Sprintf("%.8s", name)) })
	slices.Sort(out)
	return map[string]string{"the repository": strings.Join(out, " ")}
}

func (a *allAnswers) eachFound(read func(f *toldFound) string) map[string]string {
	out := map[string]string{}
	for _, found := range a.found {
		for i := range found {
			out[found[i].Trace] = read(&found[i])
		}
	}
	return out
}

// eachTrack reads what the trails of a conversation have in common.
func (a *allAnswers) eachTrack(read func(t *toldTrail) string) map[string]string {
	out := map[string]string{}
	for id, trails := range a.tracks {
		var all []string
		for i := range trails {
			if text := read(&trails[i]); !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
		if len(all) > 0 {
			out[id] = strings.Join(all, ", ")
		}
	}
	return out
}

func (a *allAnswers) eachShown(read func(t *toldTalk) string) map[string]string {
	out := map[string]string{}
	for id, t := range a.show {
		if text := read(&t); text != "" {
			out[id] = text
		}
	}
	return out
}

// tellingRows leaves out the figures that are none.
func tellingRows(list []row) []row {
	for i := range list {
		read := list[i].read
		list[i].read = func(a *allAnswers) map[string]string {
			out := read(a)
			for subject, figure := range out {
				if figure == "" {
					delete(out, subject)
				}
			}
			return out
		}
	}
	return list
}
