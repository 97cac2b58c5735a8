package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/several"
	"github.com/git-trace/git-trace/correlate/backfill"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/rawjson"
	"github.com/git-trace/git-trace/refs"
)

// transcript is a session file with what backfill needs of it.
type transcript struct {
	agent   agents.Agent
	path    string
	earlier []string        // other files of the same session, which are read before
	keys    map[uint64]bool // of its steps
	id      string          // the agent's id of the session, where the finder tells it
	dir     string
	session backfill.Session
	prompts []pastPrompt
	unseen  int // calls that may have written what the transcript does not tell
	first   time.Time
	last    time.Time
	model   string
	err     error
}

// pastPrompt is a prompt of a transcript.
type pastPrompt struct {
	at   time.Time
	text string
}

// maxTranscripts is how many files of a folder are looked at.
const maxTranscripts = 200_000

// findTranscripts lists the sessions that the agents of this machine keep, and the session files in folders, each told
// by its content.
func findTranscripts(env agents.Env, folders []string) ([]*transcript, error) {
	var list []*transcript
	seen := map[string]bool{}
	add := func(t *transcript) {
		real, err := filepath.EvalSymlinks(t.path)
		if err != nil {
			real = t.path
		}
		if key := real + "\x00" + t.id; !seen[key] {
			seen[key] = true
			list = append(list, t)
		}
	}
	for _, agent := range agents.All(env) {
		if agent.Discoverer == nil || agent.Parser == nil {
			continue
		}
		found, err := agent.Discoverer.ProjectSessions("", time.Time{})
		if err != nil {
			return nil, err
		}
		for _, s := range found {
			add(&transcript{agent: agent, path: s.Path, id: s.ID, dir: s.Dir})
		}
	}
	for _, folder := range folders {
		n := 0
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil && path == folder:
				return err
			case err != nil, entry.IsDir() && entry.Name() == ".git":
				return skipDir(entry)
			case !entry.Type().IsRegular():
				return nil
			}
			if n++; n > maxTranscripts {
				return fmt.Errorf("more than %d files", maxTranscripts)
			}
			agent, found, err := agents.Identify(env, path)
			if err != nil || !found || agent.Parser == nil || isPartOf(path) {
				return nil //nolint:nilerr // a file that cannot be read is no transcript
			}
			for _, t := range transcriptsIn(agent, path) {
				add(t)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("look for transcripts in %s: %w", folder, refs.PathCause(err))
		}
	}
	return list, nil
}

// transcriptsIn are the sessions of a file: one, or those of a database.
func transcriptsIn(agent agents.Agent, path string) []*transcript {
	type several interface {
		SessionsIn(path string) ([]agents.Session, error)
	}
	if in, ok := agent.Discoverer.(several); ok {
		if list, err := in.SessionsIn(path); err == nil && len(list) > 0 {
			out := make([]*transcript, len(list))
			for i, s := range list {
				out[i] = &transcript{agent: agent, path: path, id: s.ID, dir: s.Dir}
			}
			return out
		}
	}
	return []*transcript{{agent: agent, path: path}}
}

func skipDir(entry fs.DirEntry) error {
	if entry != nil && entry.IsDir() {
		return filepath.SkipDir
	}
	return nil
}

// isPartOf tells whether a file is told in that of another session: those of subagents are.
func isPartOf(path string) bool {
	dir := filepath.Dir(path)
	for range 4 {
		if filepath.Base(dir) == "subagents" {
			_, err := os.Stat(filepath.Dir(dir) + ".jsonl")
			return err == nil
		}
		dir = filepath.Dir(dir)
	}
	return false
}

// readTranscripts reads sessions, some at a time, those with several files as one. Of what stands in several sessions,
// as in forked ones, each edit is the earliest session's.
func readTranscripts(ctx context.Context, list []*transcript, progress func(done, total int)) []*transcript {
	work := make(chan *transcript)
	var done int
	var mutex sync.Mutex
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for t := range work {
				t.err = t.read(ctx)
				mutex.Lock()
				done++
				progress(done, len(list))
				mutex.Unlock()
			}
		})
	}
	for _, t := range list {
		work <- t
	}
	close(work)
	workers.Wait()
	list = joinFiles(ctx, list)
	byTime(list)
	seen := map[string]bool{}
	for _, t := range list {
		t.keys = nil
		t.session.Edits = slices.DeleteFunc(t.session.Edits, func(e backfill.Edit) bool {
			key := editKey(t.agent.Name, &e)
			twice := seen[key]
			seen[key] = true
			return twice
		})
	}
	return list
}

func byTime(list []*transcript) {
	slices.SortStableFunc(list, func(a, b *transcript) int {
		return cmp.Or(a.first.Compare(b.first),
			a.last.Compare(b.last))
	})
}

// joinFiles makes one of the transcripts of the same session. A file is left out if another has all of its steps.
func joinFiles(ctx context.Context, list []*transcript) []*transcript {
	files := map[events.TraceID][]*transcript{}
	var out []*transcript
	for _, t := range list {
		if t.err != nil || t.session.Trace == "" {
			out = append(out, t)
			continue
		}
		files[t.session.Trace] = append(files[t.session.Trace], t)
	}
	for _, trace := range slices.Sorted(maps.Keys(files)) {
		same := files[trace]
		byTime(same)
		for i := 0; i < len(same); i++ {
			if slices.ContainsFunc(same, func(other *transcript) bool {
				return other != same[i] &&
					holdsAll(other.keys, same[i].keys)
			}) {
				same = slices.Delete(same, i, i+1)
				i--
			}
		}
		t := same[len(same)-1]
		if len(same) > 1 {
			t = &transcript{agent: t.agent, path: t.path, id: t.id, dir: t.dir}
			for _, other := range same[:len(same)-1] {
				t.earlier = append(t.earlier, other.path)
			}
			t.err = t.read(ctx)
			for _, other := range same {
				if !slices.Contains(t.session.Dirs, other.session.Dirs[0]) {
					t.session.Dirs = append(t.session.Dirs, other.session.Dirs[0])
				}
			}
		}
		out = append(out, t)
	}
	return out
}

func holdsAll(keys, other map[uint64]bool) bool {
	for key := range other {
		if !keys[key] {
			return false
		}
	}
	return true
}

// editKey is the same for copies of one edit.
func editKey(agent string, e *backfill.Edit) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\x00%s\x00%s\x00%d\x00%v\x00%v\x00%v", agent, e.Call, e.Path, e.Time.UnixNano(), e.Replaces,
		e.Hunks, e.Whole)
	return string(sum.Sum(nil))
}

// read reads the session file.
func (t *transcript) read(ctx context.Context) error {
	sink := &editSink{t: t, shell: newShellReader()}
	t.keys = map[uint64]bool{}
	parser := t.agent.Parser
	if len(t.earlier) > 0 {
		parser = several.Parser{SessionParser: parser, Earlier: t.earlier}
	}
	parsed, err := parser.Parse(ctx, t.path, agents.ParseOptions{
		Session: t.id, Relative: func(path string) (string, bool) { return path, false },
	}, sink)
	if err != nil {
		return err
	}
	head := parsed.Head
	s := &t.session
	s.Trace, s.Agent, s.ID = events.TraceID(head.TraceID), head.Agent.Name, head.SessionID
	if head.Agent.Model != nil {
		t.model = *head.Agent.Model
	}
	for _, dir := range []string{t.dir, sink.dir} {
		if dir = filepath.ToSlash(dir); dir != "" && !slices.Contains(s.Dirs, dir) {
			s.Dirs = append(s.Dirs, dir)
		}
	}
	if head.Task.RepositoryURL != nil {
		s.Remote = *head.Task.RepositoryURL
	}
	for _, commit := range []*string{head.Task.BaseCommit, head.Environment.VCS.BaseCommit, head.Outcome.CommitSHA} {
		if commit != nil && *commit != "" {
			s.Commits = append(s.Commits, *commit)
		}
	}
	var made []struct {
		SHA string `json:"sha"`
	}
	if json.Unmarshal(head.Metadata["commits"], &made) == nil {
		for _, c := range made {
			s.Commits, s.Made = append(s.Commits, c.SHA), append(s.Made, c.SHA)
		}
	}
	return nil
}

// editSink takes of a conversation what it wrote.
type editSink struct {
	t       *transcript
	shell   *shellReader
	dir     string
	waiting []records.Edited
}

// Edited keeps an edit until its step comes.
func (s *editSink) Edited(e records.Edited) { s.waiting = append(s.waiting, e) }

// Step takes the edits of a step.
func (s *editSink) Step(step *records.Step) error {
	s.t.keys[several.Key(step)] = true
	at := stampOf(step.Timestamp)
	if !at.IsZero() {
		if s.t.first.IsZero() || at.Before(s.t.first) {
			s.t.first = at
		}
		if at.After(s.t.last) {
			s.t.last = at
		}
	}
	if step.Role == records.RoleUser && (step.CallType == nil || *step.CallType == records.CallMain) {
		p := pastPrompt{at: at}
		if step.Content != nil {
			p.text = *step.Content
		}
		s.t.prompts = append(s.t.prompts, p)
	}
	told := map[string]bool{}
	for _, edit := range s.shell.texts(step) {
		told[edit.Call] = true
		edit.Prompt, edit.Time = len(s.t.prompts), at
		if step.Model != nil {
			edit.Model = *step.Model
		}
		s.t.session.Edits = append(s.t.session.Edits, edit)
	}
	for i := range s.waiting {
		e := &s.waiting[i]
		told[e.Call] = true
		if s.dir == "" {
			s.dir = e.Dir
		}
		if edit, ok := editOf(e); ok {
			edit.Prompt, edit.Time = len(s.t.prompts), at
			if step.Model != nil {
				edit.Model = *step.Model
			}
			s.t.session.Edits = append(s.t.session.Edits, edit)
		}
	}
	s.waiting = s.waiting[:0]
	s.t.unseen += s.shell.unseenWrites(step, told)
	return nil
}

// Late takes no notice: a result does not change what was written.
func (s *editSink) Late(int, records.Observation) error { return nil }

func stampOf(text *string) time.Time {
	if text == nil {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339Nano, *text)
	if err != nil {
		return time.Time{}
	}
	return at
}

// editOf is an edit as backfill has it; false for one of which nothing is known.
func editOf(e *records.Edited) (backfill.Edit, bool) {
	out := backfill.Edit{
		Path: filepath.ToSlash(e.Path), Step: e.Step, Call: e.Call, Tool: e.Tool, Subagent: e.Subagent,
		Replaces: replacements(e.Input),
	}
	for _, h := range e.Hunks {
		if len(h.Lines) > 0 || h.Added == 0 {
			out.Hunks = append(out.Hunks, backfill.Hunk{At: h.At, Removed: h.Removed, Lines: ownLines(h.Lines)})
		}
	}
	if len(out.Replaces) == 0 && !e.Whole {
		out.Replaces = patchReplacements(e.Input, out.Path)
	}
	switch {
	case len(out.Replaces) > 0:
		if len(out.Hunks) == 0 && len(e.Hunks) == 0 && e.Text != "" && strings.Contains(string(e.Input), "*** Begin Patch") {
			out.Hunks = []backfill.Hunk{{Lines: textLines(e.Text)}}
		}
	case e.Whole:
		out.Hunks, out.Whole = nil, textLines(e.Text)
	case len(e.Hunks) > 0 && wholeText(e.Input) != "":
		out.Whole = textLines(wholeText(e.Input))
	case len(e.Hunks) == 0:
		out.Hunks = []backfill.Hunk{{Lines: textLines(e.Text)}}
	}
	return out, out.Path != "" && len(out.Replaces)+len(out.Hunks)+len(out.Whole) > 0
}

// ownLines copies lines: as parts of a file they would keep all of it in memory.
func ownLines(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.Clone(line)
	}
	return out
}

// wholeText is the input of tools that write a file as a whole.
func wholeText(input []byte) string {
	for _, name := range []string{"content", "file_text"} {
		if text := rawjson.MemberText(input, name); text != "" {
			return text
		}
	}
	return ""
}

func textLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// replacements reads the inputs of tools that replace texts, whatever their agents call the members.
func replacements(input []byte) []backfill.Replacement {
	var out []backfill.Replacement
	var one backfill.Replacement
	var old, fresh bool
	d := rawjson.NewDecoder(input)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "old_string", "oldText", "old_str", "oldString", "old_text":
			one.Old, old = d.Text(), true
		case "new_string", "newText", "new_str", "newString", "new_text":
			one.New, fresh = d.Text(), true
		case "replace_all", "replaceAll", "allow_multiple":
			one.All = d.Bool()
		case "edits":
			for d.OpenArray(); d.Element(); {
				out = append(out, replacements(d.Raw())...)
			}
		}
	}
	if old && fresh {
		out = append(out, one)
	}
	return out
}
