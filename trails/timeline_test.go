package trails

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/vector"
)

// A story is a session in a repository: what agents, git and a person do, a line each with a `$` before it, and below
// it every event that the timeline records of it, but for times and trees. What somebody reads of a line afterwards is
// the scripts' affair; that each event says what happened, and no more, is this one's. UPDATE_TIMELINE=1 writes the
// events anew.
const timelineDir = "../testdata/timeline"

func TestWhatTheTimelineRecords(t *testing.T) {
	t.Parallel()
	stories, err := filepath.Glob(timelineDir + "/*.txt")
	if err != nil || len(stories) == 0 {
		t.Fatal(stories, err)
	}
	for _, name := range stories {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var told strings.Builder
			var story *story
			for line := range strings.Lines(string(text)) {
				order, isOrder := strings.CutPrefix(line, "$ ")
				switch {
				case isOrder:
					if story == nil {
						story = newStory(t)
					}
					told.WriteString(line)
					story.do(strings.TrimRight(order, "\n"))
					told.WriteString(story.said.String())
					story.said.Reset()
				case strings.HasPrefix(line, "#"):
					if story != nil && strings.HasPrefix(line, "##") {
						story = nil // another repository
					}
					told.WriteString(line)
				case strings.TrimSpace(line) == "":
					told.WriteString(line)
				}
			}
			if told.String() == string(text) {
				return
			}
			if os.Getenv("UPDATE_TIMELINE") != "" {
				if err := os.WriteFile(name, []byte(told.String()), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("%s tells another story; if it is right now, UPDATE_TIMELINE=1 writes it:\n%s", name, told.String())
		})
	}
}

// story is a repository with a timeline, and the log of that.
type story struct {
	t       *testing.T
	repo    *refs.Repo
	names   map[string]string // of patches, contents and commits, in the order in which they come up
	counts  map[byte]int
	said    strings.Builder
	settled map[string]Outcome
	agents  map[string]func() int // their processes
	minutes int
}

func newStory(t *testing.T) *story {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	y := &story{
		t: t, repo: &refs.Repo{WorkTree: dir}, names: map[string]string{}, counts: map[byte]int{}, settled: map[string]Outcome{}, agents: map[string]func() int{},
	}
	y.git("init", "-q", "-b", "main", ".")
	if y.repo, err = refs.DiscoverHook(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(y.repo.TracesDir(), 0o755); err != nil {
		t.Fatal(err)
	}
	return y
}

func (y *story) check(err error) {
	y.t.Helper()
	if err != nil {
		y.t.Fatal(err)
	}
}

func (y *story) git(args ...string) string {
	y.t.Helper()
	y.minutes++
	return testenv.GitAt(y.t, y.repo.WorkTree, y.minutes, args...)
}

// Writer and Append make a story a log.
func (y *story) Writer() (string, error) { return "writer", nil }

func (y *story) Append(_ context.Context, drafts []events.Draft) ([]events.Event, error) {
	for _, d := range drafts {
		y.tell(d)
	}
	return nil, nil
}

// Walk reads nothing: what a revision makes of a log is tested with a real one.
func (y *story) Walk(context.Context, events.Range) iter.Seq2[events.Event, error] {
	return func(func(events.Event, error) bool) {}
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
	for _, gone := range []string{"tree", "head", "lines", "chars"} {
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

// do carries out one line of a story.
func (y *story) do(order string) {
	y.t.Helper()
	words := strings.Fields(order)
	engine := New(y.repo, y, func(w Window) End { return End{Outcome: y.settled[w.CallID]} })
	at := func(path string) string { return filepath.Join(y.repo.WorkTree, path) }
	switch words[0] {
	case "write": // write PATH LINE|LINE
		_, text, _ := strings.Cut(order, words[1])
		y.check(os.MkdirAll(filepath.Dir(at(words[1])), 0o755))
		y.check(os.WriteFile(at(words[1]), []byte(lined(text)), 0o644))
	case "mv":
		y.check(os.Rename(at(words[1]), at(words[2])))
	case "cp":
		raw, err := os.ReadFile(at(words[1]))
		y.check(err)
		y.check(os.WriteFile(at(words[2]), raw, 0o644))
	case "rm":
		y.check(os.Remove(at(words[1])))
	case "chmod":
		y.check(os.Chmod(at(words[1]), 0o755))
	case "origin":
		y.check(engine.Origin(y.t.Context(), time.Now()))
	case "git":
		y.git(words[1:]...)
	case "touched": // git's hook says that git wrote to the work tree
		y.check(engine.Touched(y.t.Context(), time.Now(), events.Watcher, "checkout"))
	case "restored":
		y.check(engine.Restored(y.t.Context(), time.Now(), events.Watcher, "checkout"))
	case "commit": // commit [PATH...]: of all, or of what is staged; the hook looks at it
		y.commit(engine)
	case "watch": // what is changed while a conversation goes on of which no hook tells
		var unreported []Unreported
		for _, session := range words[1:] {
			unreported = append(unreported, Unreported{Agent: "claude-code", Session: session})
		}
		changed, err := engine.Watch(y.t.Context(), time.Now(), unreported)
		y.check(err)
		fmt.Fprintf(&y.said, "  %d changed\n", changed)
	case "agent": // a process, for boundaries that say by=NAME
		y.agent(words[1])
	case "dies":
		y.agents[words[1]+" dies"]()
	case "settled": // the transcript tells how a call ended
		y.settled[words[1]] = Outcome(words[2])
	case "owners":
		y.owners(words[1])
	default:
		y.check(engine.Handle(y.t.Context(), y.boundary(words, order)))
	}
}

// agent starts a process that does nothing until it dies.
func (y *story) agent(name string) {
	y.t.Helper()
	cmd := exec.Command("git", "cat-file", "--batch")
	cmd.Dir = y.repo.WorkTree
	in, err := cmd.StdinPipe()
	y.check(err)
	y.check(cmd.Start())
	end := sync.OnceFunc(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	y.t.Cleanup(end)
	y.agents[name] = func() int { return cmd.Process.Pid }
	y.agents[name+" dies"] = func() int { end(); return 0 }
}

// lined is a text of lines that stand between bars.
func lined(text string) string {
	text = strings.TrimPrefix(text, " ")
	if text == "" {
		return ""
	}
	return strings.ReplaceAll(text, "|", "\n") + "\n"
}

// boundaryKinds are the words for boundaries.
var boundaryKinds = map[string]events.BoundaryKind{
	"start": events.SessionStart, "end": events.SessionEnd, "prompt": events.PromptSubmit, "stop": events.TurnEnd,
	"before": events.ToolBefore, "after": events.ToolAfter, "failed": events.ToolFailed, "tools": events.ToolsEnd,
	"substart": events.SubagentStart, "subend": events.SubagentEnd,
}

// boundary reads KIND SESSION[/SUBAGENT] [CALL CLASS [PATH...]] [KEY=VALUE...] [:: OLD => NEW]
func (y *story) boundary(words []string, order string) events.Boundary {
	kind, known := boundaryKinds[words[0]]
	if !known {
		y.t.Fatalf("nobody knows how to %s", order)
	}
	b := events.Boundary{Kind: kind, Agent: "claude-code", Cwd: y.repo.WorkTree, Time: time.Now(), Process: os.Getpid()}
	b.Session, b.Subagent, _ = strings.Cut(words[1], "/")
	values := map[string]string{}
	var rest []string
	for _, word := range words[2:] {
		if word == "::" {
			break
		}
		if key, value, found := strings.Cut(word, "="); found {
			values[key] = value
			continue
		}
		rest = append(rest, word)
	}
	if by := y.agents[values["by"]]; by != nil {
		b.Process = by()
	}
	b.Source, b.Model = values["source"], values["model"]
	if text, found := values["text"]; found {
		b.Prompt = &events.Prompt{Text: text, ID: values["id"]}
	} else if values["id"] != "" {
		b.Prompt = &events.Prompt{ID: values["id"]}
	}
	if running, found := values["running"]; found {
		b.Running = strings.FieldsFunc(running, func(r rune) bool { return r == ',' })
		b.Running = append([]string{}, b.Running...)
	}
	if len(rest) == 0 {
		return b
	}
	b.Tool = &events.ToolUse{CallID: rest[0], Class: events.ToolClass(rest[1]), Name: "Tool-" + rest[1]}
	b.Tool.Background, b.Tool.TaskID = values["task"] != "", values["task"]
	if b.Tool.CallID == "-" {
		b.Tool.CallID, b.Tool.Fingerprint = "", values["print"]
	}
	for _, path := range rest[2:] {
		b.Tool.Paths = append(b.Tool.Paths, filepath.Join(y.repo.WorkTree, path))
	}
	if _, text, found := strings.Cut(order, " :: "); found { // what the call says of its first path
		was, is, _ := strings.Cut(text, "=>")
		edit := events.DeclaredEdit{Path: b.Tool.Paths[0]}
		was, is = lined(strings.TrimSpace(was)), lined(strings.TrimSpace(is))
		if values["whole"] != "" {
			edit.Before, edit.After = &was, &is
		} else {
			edit.Old, edit.New = was, is
		}
		b.Tool.Edits = append(b.Tool.Edits, edit)
	}
	return b
}

// commit takes HEAD into the timeline, as the hook of git-commit(1) does, and tells who owns the lines of its files.
func (y *story) commit(engine *Engine) {
	y.t.Helper()
	id := func(rev string) refs.OID {
		oid, err := refs.ParseOID(rev)
		y.check(err)
		return oid
	}
	head := id(y.git("rev-parse", "HEAD"))
	var parent refs.OID
	if list := strings.Fields(y.git("log", "-1", "--format=%P")); len(list) > 0 {
		parent = id(list[0])
	}
	var paths []string
	blobs := map[string][2]refs.OID{} // before, after
	for line := range strings.Lines(y.git("diff-tree", "-r", "--root", "--no-commit-id", "--no-renames", "HEAD")) {
		fields := strings.Fields(line)
		paths = append(paths, fields[5])
		blobs[fields[5]] = [2]refs.OID{id(fields[2]), id(fields[3])}
	}
	y.check(engine.AtCommit(y.t.Context(), time.Now(), head, parent, paths, func(v *View) ([]events.Draft, error) {
		for _, path := range paths {
			was, is := blobs[path][0], blobs[path][1]
			raw, err := v.Blob(is)
			if err != nil {
				continue // it was deleted
			}
			lines := newText(is, raw).lines
			if vec, seen := v.Known.Get(path, is); seen && vec.Len() == len(lines) {
				y.tellOwners(path+" was seen:", vec, v.Owners.Describe, nil)
				continue
			}
			found, err := v.Origins(Committed{Path: path, OldPath: path, Old: was, Lines: lines})
			if err != nil {
				return nil, err
			}
			var b vector.Builder
			var why []string
			for _, run := range found {
				for line := run.Start; line < run.Start+run.Count; line++ {
					owner := run.Owner
					if run.Source < 0 {
						owner = v.Unseen(path, lines[line])
					}
					b.Add(owner, 1)
					why = append(why, string(run.Why))
				}
			}
			y.tellOwners(path+" was made:", b.Vector(), v.Owners.Describe, why)
		}
		return nil, nil
	}))
}

// owners tells who owns the lines of a file of the work tree.
func (y *story) owners(path string) {
	y.t.Helper()
	raw, err := os.ReadFile(filepath.Join(y.repo.WorkTree, path))
	y.check(err)
	pending, err := Pending(y.t.Context(), y.repo, func(w Window) End { return End{Outcome: y.settled[w.CallID]} }, path, raw)
	y.check(err)
	y.said.WriteString("  ")
	for i, run := range pending.Vector.Runs() {
		if i > 0 {
			y.said.WriteString(", ")
		}
		y.said.WriteString(y.owner(run, pending.Describe(run.Owner)))
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
