package trails

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/vector"
)

// A story is a session in a repository: what agents, git and a person do, a line each with a `$` before it, and below
// it every event that the timeline records of it, but for times and trees. What somebody reads of a line afterwards is
// the scripts' affair; that each event says what happened, and no more, is this one's. UPDATE_TIMELINE=1 writes the
// events anew.
const timelineDir = "../testdata/timeline"

func TestTheTimelineOfCommits(t *testing.T) { t.Parallel(); tellStories(t, "commits") }
func TestTheTimelineOfConsent(t *testing.T) { t.Parallel(); tellStories(t, "consent") }
func TestTheTimelineOfForms(t *testing.T)   { t.Parallel(); tellStories(t, "forms") }
func TestTheTimelineOfGit(t *testing.T)     { t.Parallel(); tellStories(t, "git") }

func TestTheTimelineOfLateBoundaries(t *testing.T) { t.Parallel(); tellStories(t, "late") }
func TestTheTimelineOfLines(t *testing.T)          { t.Parallel(); tellStories(t, "lines") }
func TestTheTimelineOfNames(t *testing.T)          { t.Parallel(); tellStories(t, "names") }
func TestTheTimelineOfPlaces(t *testing.T)         { t.Parallel(); tellStories(t, "places") }
func TestTheTimelineOfProcesses(t *testing.T)      { t.Parallel(); tellStories(t, "processes") }
func TestTheTimelineOfRewrites(t *testing.T)       { t.Parallel(); tellStories(t, "rewrites") }
func TestTheTimelineOfSessions(t *testing.T)       { t.Parallel(); tellStories(t, "sessions") }
func TestTheTimelineOfWindows(t *testing.T)        { t.Parallel(); tellStories(t, "windows") }

// tellStories tells those of one file.
func tellStories(t *testing.T, file string) {
	t.Helper()
	if file == "processes" {
		needsProcesses(t)
	}
	name := filepath.Join(timelineDir, file+".txt")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	stories := strings.Split(string(text), "\n## ") // the first is what the file is about
	told := slices.Clone(stories)
	t.Run("stories", func(t *testing.T) {
		for i, lines := range stories[1:] {
			title, lines, _ := strings.Cut(lines, "\n")
			t.Run(title, func(t *testing.T) {
				t.Parallel()
				told[i+1] = title + "\n" + tellStory(t, lines)
			})
		}
	})
	now := strings.Join(told, "\n## ")
	if t.Failed() || now == string(text) {
		return
	}
	if os.Getenv("UPDATE_TIMELINE") != "" {
		if err := os.WriteFile(name, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for i := range stories {
		if told[i] != stories[i] {
			t.Errorf("%s tells another story; if it is right now, UPDATE_TIMELINE=1 writes it:\n## %s", name, told[i])
		}
	}
}

func TestEveryFileOfStoriesIsTold(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(timelineDir + "/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	source, err := os.ReadFile("timeline_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if call := fmt.Sprintf("tellStories(t, %q)", strings.TrimSuffix(filepath.Base(name), ".txt")); !strings.Contains(string(source), call) {
			t.Errorf("no test tells %s", name)
		}
	}
}

// tellStory carries out the lines of a story that are orders, and gives them with what is recorded of each.
func tellStory(t *testing.T, lines string) string {
	t.Helper()
	var told strings.Builder
	y := newStory(t)
	for line := range strings.Lines(lines) {
		order, isOrder := strings.CutPrefix(line, "$ ")
		switch {
		case isOrder:
			told.WriteString(line)
			y.do(strings.TrimRight(order, "\n"))
			told.WriteString(y.said.String())
			y.said.Reset()
		case strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "":
			told.WriteString(line)
		}
	}
	y.end()
	return told.String()
}

// name is a short name for an id: of one kind all are counted.
func (y *story) name(kind byte, id string) string {
	if id == "" {
		return ""
	}
	if y.names[id] == "" {
		y.counts[kind]++
		y.names[id] = fmt.Sprintf("%c%d", kind, y.counts[kind])
	}
	return y.names[id]
}

// tell writes an event as one line.
func (y *story) tell(d events.Draft) {
	var data map[string]any
	y.check(json.Unmarshal(d.Data, &data))
	if d.Type == events.CommitAnchored && data["revision"] == nil {
		return // "was made" tells it
	}
	for _, gone := range []string{"tree", "head", "lines", "chars", "owners", "files", "commit", "ended"} {
		delete(data, gone)
	}
	rename := func(key string, kind byte) {
		switch v := data[key].(type) {
		case string:
			data[key] = y.name(kind, v)
		case []any:
			for i := range v {
				v[i] = y.name(kind, v[i].(string))
			}
		}
	}
	rename("patch", 'p')
	rename("previous", 'p')
	rename("before", 'b')
	rename("after", 'b')
	if kept, ok := data["kept"].([]any); ok {
		for i, k := range kept {
			run := k.(map[string]any)
			patch, _ := run["patch"].(string)
			kept[i] = fmt.Sprintf("%v+%v %v%s %v", run["start"], run["count"], run["kind"], y.name('p', patch), run["why"])
		}
	}
	if candidates, ok := data["candidates"].([]any); ok {
		for i, c := range candidates {
			call := c.(map[string]any)
			candidates[i] = fmt.Sprint(call["session"], " ", call["tool_call"])
		}
	}
	if data["new_start"] != nil {
		data["hunk"] = fmt.Sprintf("-%v,%v+%v,%v", data["old_start"], data["old_count"], data["new_start"], data["new_count"])
		for _, key := range []string{"old_start", "old_count", "new_start", "new_count"} {
			delete(data, key)
		}
	}
	who := d.Session
	if d.Subagent != "" {
		who += "/" + d.Subagent
	}
	fmt.Fprintf(&y.said, "  %s", strings.Join(slices.DeleteFunc([]string{string(d.Type), who, d.ToolCall}, func(s string) bool { return s == "" }), " "))
	for _, key := range slices.Sorted(maps.Keys(data)) {
		fmt.Fprintf(&y.said, " %s=%v", key, data[key])
	}
	if len(d.Limits) > 0 {
		fmt.Fprintf(&y.said, " limits=%v", d.Limits)
	}
	fmt.Fprintf(&y.said, " by %s\n", d.Method[0])
}

// owners tells who owns the lines of a file of the work tree.
func (y *story) owners(path string) {
	y.t.Helper()
	raw, err := os.ReadFile(filepath.Join(y.repo.WorkTree, path))
	y.check(err)
	pending, err := Pending(y.t.Context(), y.repo, y.settle, nil, path, raw)
	y.check(err)
	y.said.WriteString("  ")
	if pending.Vector.Len() == 0 {
		y.said.WriteString("no lines")
	}
	for i, run := range pending.Vector.Runs() {
		if i > 0 {
			y.said.WriteString(", ")
		}
		y.said.WriteString(y.owner(run, pending.Describe(run.Owner)))
	}
	if len(pending.Doubts) > 0 {
		fmt.Fprintf(&y.said, " because of %v", pending.Doubts)
	}
	y.said.WriteString("\n")
}

func (y *story) tellOwners(what string, vec vector.Vector, describe func(events.PatchID) events.AnchorOwner, why []string) {
	y.said.WriteString("  " + what)
	for i, run := range vec.Runs() {
		if i > 0 {
			y.said.WriteString(",")
		}
		owner := events.AnchorOwner{Kind: run.Owner.Kind}
		if run.Owner.Patch != "" {
			owner = describe(run.Owner.Patch)
		}
		y.said.WriteString(" " + y.owner(run, owner))
		if why != nil {
			y.said.WriteString(" " + strings.Join(slices.Compact(slices.Clone(why[run.Start:run.Start+run.Count])), "+"))
		}
	}
	y.said.WriteString("\n")
}

// owner tells of a run of lines how many they are, whose, by which patch, and in whose place they stand.
func (y *story) owner(run vector.Run, o events.AnchorOwner) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d %s", run.Count, run.Owner.Kind)
	for _, word := range []string{o.Session, o.Subagent, o.ToolCall, o.Model} {
		if word != "" {
			b.WriteString(" " + word)
		}
	}
	for _, c := range o.Candidates {
		b.WriteString(" ?" + c.ToolCall)
	}
	for _, l := range o.Limits {
		b.WriteString(" !" + string(l))
	}
	if run.Owner.Previous != "" {
		b.WriteString(" <" + y.name('p', string(run.Owner.Previous)))
	}
	return b.String()
}
