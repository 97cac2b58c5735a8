package trails

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/process"
	"github.com/git-trace/git-trace/trails/spool"
	"github.com/git-trace/git-trace/trails/vector"
)

// story is a repository with a timeline.
type story struct {
	t        *testing.T
	repo     *refs.Repo // the work tree that orders are about
	top      *refs.Repo // the one in which the story began
	log      *events.Log
	names    map[string]string // of patches, contents and commits, in the order in which they come up
	counts   map[byte]int
	said     strings.Builder
	settled  map[string]End
	programs map[string]*program
	tools    string // a directory outside of the work tree
	beside   bool   // hooks of others stand in the agent's settings
	minutes  int
}

func newStory(t *testing.T) *story {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	y := &story{
		t: t, repo: &refs.Repo{WorkTree: filepath.Join(dir, "repo")}, names: map[string]string{}, counts: map[byte]int{},
		settled: map[string]End{}, programs: map[string]*program{}, tools: filepath.Join(dir, "tools"),
	}
	y.check(errors.Join(os.Mkdir(y.repo.WorkTree, 0o755), os.Mkdir(y.tools, 0o755)))
	y.git("init", "-q", "-b", "main", ".")
	y.enter(y.repo.WorkTree)
	y.top = y.repo
	return y
}

// enter goes on in another work tree.
func (y *story) enter(dir string) {
	y.t.Helper()
	repo, err := refs.DiscoverHook(dir)
	y.check(err)
	y.check(os.MkdirAll(repo.WorktreeTracesDir(), 0o755))
	y.repo, y.log = repo, events.OpenLog(repo)
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

func (y *story) at(path string) string { return filepath.Join(y.repo.WorkTree, path) }

// recorder is the log of a story, which tells what is written to it.
type recorder struct {
	*events.Log
	story *story
}

func (r recorder) Append(ctx context.Context, drafts []events.Draft) ([]events.Event, error) {
	for _, d := range drafts {
		r.story.tell(d)
		r.story.readable(d)
	}
	return r.Log.Append(ctx, drafts)
}

// readable checks that the contents that a patch names are there.
func (y *story) readable(d events.Draft) {
	if d.Type != events.PatchRecorded || slices.Contains(d.Limits, events.LimitBinary) {
		return
	}
	var data struct{ Before, After refs.OID }
	y.check(json.Unmarshal(d.Data, &data))
	objects := y.repo.Objects()
	defer objects.Close()
	for _, oid := range []refs.OID{data.Before, data.After} {
		if _, err := objects.Blob(oid); !oid.IsZero() && err != nil {
			y.t.Errorf("a patch names a content that cannot be read: %v", err)
		}
	}
}

func (y *story) settle(w Window) End { return y.settled[w.Call.ID] }

func (y *story) engine() *Engine {
	e := New(y.repo, recorder{y.log, y}, y.settle)
	e.Beside = func(string) bool { return y.beside }
	return e
}

// lookAtLast looks at the work tree as a new conversation does. The look says of every line what a reader was told
// before it, unless the agent's own record told the reader that a call is over: a hook of another one does not read that.
func (y *story) lookAtLast() {
	was := map[string]PendingLines{}
	for path := range strings.FieldsSeq(y.git("ls-files", "--cached", "--others", "--exclude-standard")) {
		raw, found := readWorkFile(y.repo, path)
		if !found {
			continue
		}
		pending, err := Pending(y.t.Context(), y.repo, y.settle, nil, path, raw)
		y.check(err)
		was[path] = pending
	}
	y.do("start a-new-one")
	y.said.Reset()
	owners := ledger.NewOwners(y.repo)
	y.eachFile(func(path string, v vector.Vector) {
		for line := range v.Len() {
			then, now := was[path].Vector.At(line), v.At(line)
			a, b := was[path].Describe(then), owners.Describe(now.Patch)
			if now.Patch == "" {
				b = events.AnchorOwner{Kind: now.Kind}
			}
			a.Patch, b.Patch = "", ""
			if fmt.Sprint(a) != fmt.Sprint(b) && (then.Kind != events.OwnerUnknown || len(y.settled) == 0) {
				y.t.Errorf("line %d of %s was said to be of %v, and is of %v once it is looked at", line, path, a, b)
			}
		}
	})
}

// end ends a story. What is rebuilt from the log says of each line what the timeline said, or nothing: contents that
// were seen in commits alone are in no patch.
func (y *story) end() {
	y.lookAtLast()
	was := map[string]vector.Vector{}
	y.eachFile(func(path string, v vector.Vector) { was[path] = v })
	y.check(Rebuild(y.repo, y.log.Walk(y.t.Context(), events.Range{})))
	y.eachFile(func(path string, v vector.Vector) {
		for line := range v.Len() {
			now, then := v.At(line), was[path].At(line)
			then.Previous, now.Previous = "", "" // patches tell of hunks what they replaced, not of lines
			if now.Kind != events.OwnerUnknown && now != then {
				y.t.Errorf("line %d of %s was of %v, and is of %v once it is rebuilt", line, path, then, now)
			}
		}
	})
}

// eachFile gives the files of the work tree whose content is known.
func (y *story) eachFile(yield func(path string, v vector.Vector)) {
	known := ledger.NewKnown(y.repo)
	for path := range strings.FieldsSeq(y.git("ls-files", "--cached", "--others", "--exclude-standard")) {
		raw, found := readWorkFile(y.repo, path)
		if v, seen := known.Get(path, y.repo.Format.Hash(refs.BlobObject, raw)); found && seen {
			yield(path, v)
		}
	}
}

// orders are the words of stories that are no boundaries.
var orders map[string]func(y *story, words []string, rest string)

func init() {
	orders = map[string]func(y *story, words []string, rest string){
		"write": func(y *story, words []string, rest string) { // PATH LINE|LINE, or PATH "a text"
			_, text, _ := strings.Cut(rest, words[0])
			if quoted, err := strconv.Unquote(strings.TrimSpace(text)); err == nil {
				text = quoted
			} else {
				text = lined(text)
			}
			y.check(os.MkdirAll(filepath.Dir(y.at(words[0])), 0o755))
			y.check(os.WriteFile(y.at(words[0]), []byte(text), 0o644))
		},
		"mv": func(y *story, words []string, _ string) { y.check(os.Rename(y.at(words[0]), y.at(words[1]))) },
		"cp": func(y *story, words []string, _ string) {
			raw, err := os.ReadFile(y.at(words[0]))
			y.check(err)
			y.check(os.WriteFile(y.at(words[1]), raw, 0o644))
		},
		"rm":    func(y *story, words []string, _ string) { y.check(os.RemoveAll(y.at(words[0]))) },
		"ln":    func(y *story, words []string, _ string) { y.check(os.Symlink(words[0], y.at(words[1]))) },
		"chmod": func(y *story, words []string, _ string) { y.check(os.Chmod(y.at(words[0]), 0o755)) },
		"git":   func(y *story, words []string, _ string) { y.git(words...) },
		"wait": func(y *story, words []string, _ string) {
			long, err := time.ParseDuration(words[0])
			y.check(err)
			time.Sleep(long)
		},
		"worktree": func(y *story, words []string, _ string) { // DIR [BRANCH]: beside the others, or once more
			dir := filepath.Join(filepath.Dir(y.top.WorkTree), words[0])
			if len(words) > 1 {
				y.git("worktree", "add", "-q", "-b", words[1], dir)
			}
			y.enter(dir)
		},
		"origin": func(y *story, _ []string, _ string) { y.check(y.engine().Origin(y.t.Context(), time.Now())) },
		"touched": func(y *story, _ []string, _ string) { // git's hook says that git wrote to the work tree
			y.check(y.engine().Touched(y.t.Context(), time.Now(), events.Watcher, "checkout"))
		},
		"restored": func(y *story, _ []string, _ string) {
			y.check(y.engine().Restored(y.t.Context(), time.Now(), events.Watcher, "checkout"))
		},
		"commit":    func(y *story, _ []string, _ string) { y.commit() },
		"rewritten": func(y *story, words []string, _ string) { y.rewritten(words[0]) },
		"watch": func(y *story, words []string, _ string) { // a conversation goes on of which no hook tells
			var unreported []Unreported
			for _, session := range words {
				unreported = append(unreported, Unreported{Agent: "claude-code", Session: session})
			}
			changed, err := y.engine().Watch(y.t.Context(), time.Now(), unreported, nil)
			y.check(err)
			fmt.Fprintf(&y.said, "  %d changed\n", changed)
		},
		"catchup": func(y *story, _ []string, _ string) {
			e := y.engine()
			e.Patient = true
			y.check(e.CatchUp(y.t.Context(), time.Now()))
			if left := e.Behind(); left {
				y.t.Error("boundaries that were put aside are left")
			}
		},
		"aside": func(y *story, words []string, rest string) { // a boundary for which its hook has no time
			y.hooked(valueOf("by", words), func() { y.check(y.engine().Late(y.t.Context(), y.boundary(words, rest))) })
		},
		"blind": func(y *story, words []string, rest string) { // nor for a glance
			short, cancel := context.WithCancel(y.t.Context())
			cancel()
			y.check(y.engine().Late(short, y.boundary(words, rest)))
			time.Sleep(2 * settles)
		},
		"killed": func(y *story, words []string, rest string) { // the hook was, or git's before it knew of any
			var raw []byte
			suffix := spool.BegunSuffix
			switch words[0] {
			case "git":
				suffix = spool.WroteSuffix + spool.BegunSuffix
			case "nobody": // it did not know yet what it was about
			default:
				raw = spool.EncodeNote(y.boundary(words, rest))
			}
			name := fmt.Sprintf("%020d-%d%s", time.Now().UnixNano(), noProcess, suffix)
			y.check(os.MkdirAll(spool.Dir(y.repo), 0o700))
			y.check(os.WriteFile(filepath.Join(spool.Dir(y.repo), name), raw, 0o600))
			time.Sleep(2 * settles)
		},
		"writes": func(y *story, _ []string, _ string) { // a hook of git says that git wrote, and is still at work
			note := spool.AnnounceWrote(y.repo, time.Now())
			y.t.Cleanup(note.End)
		},
		"busy": func(y *story, _ []string, _ string) { // a hook of git gives way to who takes such in
			e := y.engine()
			e.GivesWay = true
			err := e.Touched(y.t.Context(), time.Now(), events.Watcher, "checkout")
			if errors.Is(err, ErrBehind) {
				left, err := filepath.Glob(filepath.Join(globSafe(spool.Dir(y.repo)), "*"+spool.WroteSuffix))
				y.check(err)
				fmt.Fprintf(&y.said, "  gives way, and leaves %d word\n", len(left))
				return
			}
			y.check(err)
		},
		"settled": func(y *story, words []string, _ string) { // CALL OUTCOME [now] [unbegun] [finished]: by the transcript
			end := End{Outcome: Outcome(words[1])}
			for _, word := range words[2:] {
				switch word {
				case "now":
					time.Sleep(2 * settles) // what was written last bears the time before
					end.At = time.Now()
					time.Sleep(2 * settles)
				case "unbegun":
					end.Unbegun = true
				case "finished":
					end.Finished = true
				case "answered":
					time.Sleep(2 * settles)
					end.Answered = time.Now()
					time.Sleep(2 * settles)
				}
			}
			y.settled[words[0]] = end
		},
		"beside":  func(y *story, _ []string, _ string) { y.beside = true },
		"overdue": func(y *story, _ []string, _ string) { y.check(y.engine().Overdue(y.t.Context(), time.Now())) },
		"agent":   func(y *story, words []string, _ string) { y.agent(words[0]) },
		"leaves":  func(y *story, words []string, _ string) { y.programs[words[0]].leave(words[1]) },
		"does": func(y *story, words []string, rest string) {
			_, line, _ := strings.Cut(rest, " ")
			y.programs[words[0]].do(line)
		},
		"dies":   func(y *story, words []string, _ string) { y.programs[words[0]].end() },
		"owners": func(y *story, words []string, _ string) { y.owners(words[0]) },
		"older": func(y *story, words []string, _ string) {
			names := NewOlderNames(y.repo)
			name, err := names.Of(y.t.Context(), words[0])
			names.Close()
			y.check(err)
			fmt.Fprintf(&y.said, "  %q\n", name)
		},
		"recall": func(y *story, words []string, _ string) { y.recall(words[0]) },
		"rebuild": func(y *story, _ []string, _ string) {
			y.check(Rebuild(y.repo, y.log.Walk(y.t.Context(), events.Range{})))
		},
	}
}

// settles is how long the clock that stamps files may lag behind.
const settles = 20 * time.Millisecond

// do carries out one line of a story.
func (y *story) do(order string) {
	y.t.Helper()
	word, rest, _ := strings.Cut(order, " ")
	if carryOut := orders[word]; carryOut != nil {
		carryOut(y, strings.Fields(rest), rest)
		return
	}
	words := strings.Fields(order)
	y.hooked(valueOf("by", words), func() { y.check(y.engine().Handle(y.t.Context(), y.boundary(words, order))) })
}

// valueOf is the value that a boundary has for a key.
func valueOf(key string, words []string) string {
	for _, word := range words {
		if value, found := strings.CutPrefix(word, key+"="); found {
			return value
		}
	}
	return ""
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
	"substart": events.SubagentStart, "subend": events.SubagentEnd, "asks": events.ConsentAsked,
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
	if by := y.programs[values["by"]]; by != nil {
		b.Process, b.Moment, b.Mark = by.pid, process.Self(), by.mark()
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
	b.Tool.Rejected = values["rejected"] != ""
	b.Tool.Lasted, _ = strconv.ParseInt(values["lasted"], 10, 64) // none: it is not told
	for _, name := range strings.FieldsFunc(values["names"], func(r rune) bool { return r == ',' }) {
		b.Tool.Names = append(b.Tool.Names, y.at(name))
	}
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
			edit.Old, edit.New, edit.Exact = was, is, values["exact"] != ""
		}
		b.Tool.Edits = append(b.Tool.Edits, edit)
	}
	return b
}
