package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// pastWorld is a history that was made without hooks, and the transcripts of the conversations behind it. Every line
// that says something is written once, by somebody who is remembered.
type pastWorld struct {
	t       testing.TB
	rng     *rand.Rand
	dir     string // the repository
	home    string
	folder  string // transcripts
	clock   time.Time
	live    bool              // the clock is the system's
	writers map[string]string // of each line that says something: a session, or "human"
	count   int
	open    []*pastSession
	made    int // sessions
	agents  map[string]string
}

// pastSession is one conversation of a world.
type pastSession struct {
	w     *pastWorld
	id    string
	agent string
	root  string // the checkout that it was held in
	form  int    // how much its transcript tells
	lines []string
	calls int
	last  string

	spends  bool // its answers use different numbers of tokens, not one each
	used    pastUse
	prompts int
	first   time.Time // of the times that its transcript tells
}

// pastUse are tokens, in four buckets that do not overlap.
type pastUse struct{ in, out, read, write int }

func (u pastUse) plus(o pastUse) pastUse {
	return pastUse{u.in + o.in, u.out + o.out, u.read + o.read, u.write + o.write}
}

// spend are the tokens of an answer, in the buckets that the transcript tells.
func (s *pastSession) spend(buckets string) pastUse {
	u := pastUse{in: 1, out: 1}
	if s.spends {
		u = pastUse{1 + s.w.rng.Intn(900), 1 + s.w.rng.Intn(300), s.w.rng.Intn(2000), s.w.rng.Intn(500)}
	}
	for bucket, n := range map[string]*int{"in": &u.in, "out": &u.out, "read": &u.read, "write": &u.write} {
		if !slices.Contains(strings.Fields(buckets), bucket) {
			*n = 0
		}
	}
	s.used = s.used.plus(u)
	return u
}

func newPastWorld(t testing.TB, seed int64) *pastWorld {
	t.Helper()
	w := &pastWorld{
		t: t, rng: rand.New(rand.NewSource(seed)), dir: filepath.Join(t.TempDir(), "shop"), home: t.TempDir(), folder: t.TempDir(),
		clock: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), writers: map[string]string{}, agents: map[string]string{},
	}
	w.must(os.MkdirAll(w.dir, 0o755))
	w.git("init", "-q", "-b", "main")
	for i := range 6 {
		var lines []string
		for range 20 {
			lines = append(lines, w.line("human"))
		}
		w.put(fmt.Sprintf("pkg%d/file%d.go", i%3, i), lines)
	}
	w.commit("begin")
	return w
}

func (w *pastWorld) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *pastWorld) git(args ...string) string {
	w.t.Helper()
	out, err := w.command("git", args...).CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %q: %v: %s", args, err, out)
	}
	return string(out)
}

func (w *pastWorld) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = w.dir
	stamp := w.clock.Format(time.RFC3339)
	cmd.Env = []string{
		"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", limitEnv + "=" + patience, "TZ=UTC", "LC_ALL=C.UTF-8", "GIT_EDITOR=true",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@b",
		"GIT_AUTHOR_DATE=" + stamp, "GIT_COMMITTER_DATE=" + stamp,
	}
	return cmd
}

func (w *pastWorld) tick() {
	step := time.Duration(20+w.rng.Intn(200)) * time.Second
	if w.clock = w.clock.Add(step); w.live {
		w.clock = time.Now().UTC().Truncate(time.Millisecond)
	}
}

// ordinary are lines that stand everywhere.
var ordinary = []string{"}", "\treturn nil", "", "\tif err != nil {", "\t\treturn err", "\t}", "import (", ")", "func main() {", "\tdefer wg.Done()"}

// line is a new line that says something.
func (w *pastWorld) line(writer string) string {
	w.count++
	words := []string{"basket", "price", "customer", "shelf", "parcel", "invoice", "courier", "voucher"}
	text := fmt.Sprintf("\t%s%d := %s(%q, %d)", words[w.rng.Intn(len(words))], w.count, words[w.rng.Intn(len(words))], "k"+fmt.Sprint(w.rng.Intn(1e9)), w.count)
	w.writers[text] = writer
	return text
}

// block are new lines, ordinary ones between them.
func (w *pastWorld) block(writer string, n int) []string {
	var out []string
	for range n {
		out = append(out, w.line(writer))
		if w.rng.Intn(2) == 0 {
			out = append(out, ordinary[w.rng.Intn(len(ordinary))])
		}
	}
	return out
}

func (w *pastWorld) put(path string, lines []string) {
	full := filepath.Join(w.dir, path)
	w.must(os.MkdirAll(filepath.Dir(full), 0o755))
	w.must(os.WriteFile(full, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
}

func (w *pastWorld) get(path string) []string {
	raw, err := os.ReadFile(filepath.Join(w.dir, path))
	w.must(err)
	return strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
}

func (w *pastWorld) files() []string {
	var out []string
	for path := range strings.FieldsSeq(w.git("ls-files", "-co")) {
		out = append(out, path)
	}
	return out
}

func (w *pastWorld) commit(message string, paths ...string) {
	w.tick()
	if len(paths) == 0 {
		paths = []string{"-A"}
	}
	w.git(append([]string{"add"}, paths...)...)
	w.git("commit", "-q", "--allow-empty", "-m", message)
}

// session begins a conversation.
func (w *pastWorld) session() *pastSession {
	w.made++
	s := &pastSession{
		w: w, id: fmt.Sprintf("%08x-0000-4000-8000-%012x", w.made, w.rng.Int63n(1<<40)), form: w.rng.Intn(3),
		agent: []string{"claude-code", "claude-code", "pi", "codex-cli", "codex-cli", "gemini-cli", "opencode", "copilot-cli"}[w.rng.Intn(8)],
		root:  []string{w.dir, "/home/alice/src/shop", "/Users/bob/work/shop-two"}[w.rng.Intn(3)],
	}
	if s.agent == "opencode" {
		s.id = "ses_" + strings.ReplaceAll(s.id, "-", "")
	}
	w.agents[s.id] = s.agent
	s.begin()
	return s
}

// next begins a call and gives its id.
func (s *pastSession) next() string {
	s.w.tick()
	s.calls++
	return fmt.Sprintf("toolu_%s_%d", s.id[:12], s.calls)
}

func (s *pastSession) stamp() string { return s.now().Format("2006-01-02T15:04:05.000Z") }

func (s *pastSession) millis() int64 { return s.now().UnixMilli() }

// now is the time that the transcript tells.
func (s *pastSession) now() time.Time {
	at := s.w.clock.UTC()
	if s.first.IsZero() {
		s.first = at
	}
	return at
}

// mustJSON encodes what always has a JSON form.
func mustJSON(value any) []byte {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return raw
}

func (s *pastSession) add(value map[string]any) {
	raw, err := json.Marshal(value)
	s.w.must(err)
	s.lines = append(s.lines, string(raw))
}

// begin writes the head of a transcript, and a prompt.
func (s *pastSession) begin() {
	s.open()
	s.prompt("go on")
}

// open writes the head of a transcript.
func (s *pastSession) open() {
	s.prompts, s.used, s.first = 0, pastUse{}, time.Time{}
	if f := pastForms[s.agent]; f != nil {
		f.begin(s)
	} else if s.agent == "pi" {
		s.add(map[string]any{"type": "session", "version": 3, "id": s.id, "timestamp": s.stamp(), "cwd": s.root})
	}
}

// prompt writes what a person asks.
func (s *pastSession) prompt(text string) {
	s.prompts++
	if f := pastForms[s.agent]; f != nil {
		f.prompt(s, text)
		return
	}
	if s.agent == "pi" {
		var parent any
		if s.last != "" {
			parent = s.last
		}
		s.last = fmt.Sprintf("p%07d", s.prompts-1)
		s.add(map[string]any{"type": "message", "id": s.last, "parentId": parent, "timestamp": s.stamp(), "message": map[string]any{
			"role": "user", "content": []any{map[string]any{"type": "text", "text": text}}, "timestamp": s.millis(),
		}})
		return
	}
	s.entry("user", map[string]any{"role": "user", "content": text}, nil)
}

// look writes a call that reads a file, or cannot.
func (s *pastSession) look(path string, failed bool) {
	if f := pastForms[s.agent]; f != nil {
		f.look(s, path, failed)
		return
	}
	s.callOf(map[bool]string{true: "read", false: "Read"}[s.agent == "pi"], map[string]any{"file_path": s.root + "/" + path, "path": s.root + "/" + path}, nil, failed)
}

// entry is a line of a transcript of Claude Code.
func (s *pastSession) entry(kind string, message map[string]any, result any) {
	id := fmt.Sprintf("%s-%d", s.id, len(s.lines))
	line := map[string]any{
		"type": kind, "uuid": id, "parentUuid": nil, "sessionId": s.id, "cwd": s.root, "version": "2.1.150", "timestamp": s.stamp(), "message": message,
	}
	if s.last != "" {
		line["parentUuid"] = s.last
	}
	if result != nil {
		line["toolUseResult"] = result
	}
	s.last = id
	s.add(line)
}

// call writes a tool call and its result to the transcript.
func (s *pastSession) call(tool string, input map[string]any, result any) {
	s.callOf(tool, input, result, false)
}

// callOf is call for one that may have failed.
func (s *pastSession) callOf(tool string, input map[string]any, result any, failed bool) {
	id, answer := s.next(), "done"
	if failed {
		answer = "there is no such file"
	}
	use := s.spend("in out read write")
	if s.agent == "pi" {
		parent := s.last
		for i, message := range []map[string]any{
			{
				"role": "assistant", "content": []any{map[string]any{"type": "toolCall", "id": id, "name": tool, "arguments": input}},
				"api": "x", "provider": "anthropic", "model": "claude-opus-4-5", "stopReason": "toolUse", "timestamp": s.millis(),
				"usage": map[string]any{
					"input": use.in, "output": use.out, "cacheRead": use.read, "cacheWrite": use.write, "totalTokens": use.in + use.out + use.read + use.write,
					"cost": map[string]any{"total": 0},
				},
			},
			{
				"role": "toolResult", "toolCallId": id, "toolName": tool, "content": []any{map[string]any{"type": "text", "text": answer}},
				"isError": failed, "timestamp": s.millis(),
			},
		} {
			own := fmt.Sprintf("%04x%d%03d", s.calls, i, s.calls%1000)
			s.add(map[string]any{"type": "message", "id": own, "parentId": parent, "timestamp": s.stamp(), "message": message})
			parent = own
		}
		s.last = parent
		return
	}
	s.entry("assistant", map[string]any{
		"id": "msg_" + id, "type": "message", "role": "assistant", "model": "claude-opus-4-5", "stop_reason": "tool_use",
		"content": []any{map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input}},
		"usage": map[string]any{
			"input_tokens": use.in, "output_tokens": use.out, "cache_read_input_tokens": use.read, "cache_creation_input_tokens": use.write,
		},
	}, nil)
	told := map[string]any{"type": "tool_result", "tool_use_id": id, "content": answer}
	if failed {
		told["is_error"] = true
	}
	s.entry("user", map[string]any{"role": "user", "content": []any{told}}, result)
}

// edit replaces lines of a file, from at on, and says so in the transcript as the agent does.
func (s *pastSession) edit(path string, at, removed int, fresh []string, inPlace bool) {
	before := s.w.get(path)
	from, to := max(at-1, 0), min(at+removed+1, len(before)) // with a line of context on either side
	old := strings.Join(before[from:to], "\n")
	after := slices.Concat(before[:at], fresh, before[at+removed:])
	now := strings.Join(slices.Concat(before[from:at], fresh, before[at+removed:to]), "\n")
	if inPlace {
		s.w.put(path, after)
	}
	whole := strings.Join(before, "\n") + "\n"
	if strings.Count(whole, old) != 1 {
		s.write(path, after, before, false)
		return
	}
	full := s.root + "/" + path
	if f := pastForms[s.agent]; f != nil {
		f.edit(s, pastEdit{path: path, old: old, now: now, before: before, after: after})
		return
	}
	if s.agent == "pi" {
		s.call("edit", map[string]any{"path": path, "oldText": old, "newText": now}, nil)
		return
	}
	var result any
	switch s.form {
	case 0:
		var lines []string
		for _, l := range before[at : at+removed] {
			lines = append(lines, "-"+l)
		}
		for _, l := range fresh {
			lines = append(lines, "+"+strings.ReplaceAll(l, "\t", "  "))
		}
		result = map[string]any{
			"filePath": full, "oldString": old, "newString": now, "originalFile": whole, "replaceAll": false, "userModified": false,
			"structuredPatch": []any{map[string]any{
				"oldStart": at + 1, "oldLines": removed, "newStart": at + 1, "newLines": len(fresh), "lines": lines,
			}},
		}
	case 1:
		result = map[string]any{"filePath": full, "oldString": old, "newString": now, "originalFile": nil, "replaceAll": false, "structuredPatch": []any{}}
	}
	s.call("Edit", map[string]any{"file_path": full, "old_string": old, "new_string": now}, result)
}

// write writes a whole file.
func (s *pastSession) write(path string, lines, before []string, inPlace bool) {
	if inPlace {
		s.w.put(path, lines)
	}
	content := strings.Join(lines, "\n") + "\n"
	if f := pastForms[s.agent]; f != nil {
		f.edit(s, pastEdit{path: path, now: content, before: before})
		return
	}
	if s.agent == "pi" {
		s.call("write", map[string]any{"path": path, "content": content}, nil)
		return
	}
	full := s.root + "/" + path
	var result any
	if s.form < 2 {
		kind, original, patch := "create", any(nil), []any{}
		if before != nil {
			at, _, gone, fresh, _ := apart(before, lines)
			kind, original = "update", strings.Join(before, "\n")+"\n"
			patch = []any{map[string]any{
				"oldStart": at + 1, "oldLines": len(gone), "newStart": at + 1, "newLines": len(fresh), "lines": prefixed(prefixed(nil, "-", gone), "+", fresh),
			}}
		}
		result = map[string]any{"type": kind, "filePath": full, "content": content, "structuredPatch": patch, "originalFile": original}
	}
	s.call("Write", map[string]any{"file_path": full, "content": content}, result)
}

// file is the name of the transcript.
func (s *pastSession) file() string {
	if f := pastForms[s.agent]; f != nil {
		return f.file(s)
	}
	if s.agent == "pi" {
		return "2026-03-02T09-00-00-000Z_" + s.id + ".jsonl"
	}
	return s.id + ".jsonl"
}

// end saves the transcript.
func (s *pastSession) end() {
	content := strings.Join(s.lines, "\n") + "\n"
	if s.agent == "opencode" { // one document
		info := string(mustJSON(jsonObject{"id": s.id, "slug": "x", "directory": s.root, "title": "go on", "version": "1.18.33", "time": jsonObject{"created": s.first.UnixMilli(), "updated": s.w.clock.UnixMilli()}}))
		content = `{"info":` + info + `,"messages":[` + strings.Join(s.lines, ",") + "]}\n"
	}
	s.w.keep(filepath.Join(s.w.folder, s.agent, s.file()), content)
}

// keep writes a file as agents do: it grows by what is new, and one that is written anew takes the other's place as a
// whole.
func (w *pastWorld) keep(name, content string) {
	w.must(os.MkdirAll(filepath.Dir(name), 0o755))
	if before, err := os.ReadFile(name); err == nil && strings.HasPrefix(content, string(before)) {
		file, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0o644)
		w.must(err)
		_, err = file.WriteString(content[len(before):])
		w.must(errors.Join(err, file.Close()))
		return
	}
	w.must(os.WriteFile(name+".new", []byte(content), 0o644))
	w.must(os.Rename(name+".new", name))
}

// act is one edit of a session, somewhere.
func (s *pastSession) act(prefix string) {
	w := s.w
	var files []string
	for _, path := range w.files() {
		if strings.HasPrefix(path, prefix) {
			files = append(files, path)
		}
	}
	if len(files) == 0 || w.rng.Intn(5) == 0 {
		s.write(fmt.Sprintf("%snew/made%d.go", prefix, w.count), w.block(s.id, 3+w.rng.Intn(12)), nil, true)
		return
	}
	path := files[w.rng.Intn(len(files))]
	before := w.get(path)
	at := w.rng.Intn(len(before))
	switch w.rng.Intn(6) {
	case 0: // over other lines
		s.edit(path, at, min(1+w.rng.Intn(3), len(before)-at), w.block(s.id, 1+w.rng.Intn(4)), true)
	case 1: // the whole file, one part of it new
		s.write(path, slices.Concat(before[:at], w.block(s.id, 2), before[at:]), before, true)
	case 2: // one line
		s.edit(path, at, 1, []string{w.line(s.id)}, true)
	default:
		s.edit(path, at, 0, w.block(s.id, 1+w.rng.Intn(6)), true)
	}
}

// person edits a file by hand.
func (w *pastWorld) person(prefix string) {
	var files []string
	for _, path := range w.files() {
		if strings.HasPrefix(path, prefix) {
			files = append(files, path)
		}
	}
	if len(files) == 0 {
		w.put(prefix+"hand.go", w.block("human", 5))
		return
	}
	path := files[w.rng.Intn(len(files))]
	before := w.get(path)
	at := w.rng.Intn(len(before))
	fresh := w.block("human", 1+w.rng.Intn(4))
	if w.rng.Intn(3) == 0 { // ordinary lines only
		fresh = []string{"\tif err != nil {", "\t\treturn err", "\t}"}
	}
	w.put(path, slices.Concat(before[:at], fresh, before[at+w.rng.Intn(2):]))
}

// stretch lets sessions and people work for some commits, below a prefix.
func (w *pastWorld) stretch(commits int, prefix string) {
	for range commits {
		for range 1 + w.rng.Intn(4) {
			w.tick()
			if w.rng.Intn(4) == 0 {
				w.person(prefix)
				continue
			}
			if len(w.open) < 3 {
				w.open = append(w.open, w.session())
			}
			i := w.rng.Intn(len(w.open))
			s := w.open[i]
			s.act(prefix)
			if w.rng.Intn(4) == 0 {
				s.end()
				w.open = slices.Delete(w.open, i, i+1)
			}
		}
		changed := strings.Fields(w.git("ls-files", "-mo"))
		if len(changed) > 1 && w.rng.Intn(4) == 0 {
			w.commit("part", changed[:len(changed)/2]...)
			continue
		}
		w.commit("all")
	}
}

func (w *pastWorld) endAll() {
	for _, s := range w.open {
		s.end()
	}
	w.open = nil
}

// strangers adds conversations about another repository that has the same paths, in the same hours.
func (w *pastWorld) strangers(n int) {
	for range n {
		s := w.session()
		s.root = "/home/alice/src/other"
		s.lines, s.last = nil, ""
		s.begin()
		for range 3 {
			w.count++
			path := fmt.Sprintf("pkg%d/file%d.go", w.rng.Intn(3), w.rng.Intn(6))
			theirs := fmt.Sprintf("\tother%d := elsewhere(%d)", w.count, w.rng.Intn(1e9))
			content := "package a\n\nimport (\n\t\"fmt\"\n)\n\nfunc main() {\n" + theirs + "\n\treturn nil\n}\n"
			if f := pastForms[s.agent]; f != nil {
				f.edit(s, pastEdit{path: path, old: "\tnothing := ofThisRepository(1)", now: theirs + "\n\tif err != nil {\n\t\treturn err\n\t}"})
				f.edit(s, pastEdit{path: path, now: content})
				continue
			}
			s.call(map[bool]string{true: "edit", false: "Edit"}[s.agent == "pi"], map[string]any{
				"file_path": s.root + "/" + path, "path": s.root + "/" + path,
				"old_string": "\tnothing := ofThisRepository(1)", "oldText": "\tnothing := ofThisRepository(1)",
				"new_string": theirs + "\n\tif err != nil {\n\t\treturn err\n\t}", "newText": theirs + "\n\tif err != nil {\n\t\treturn err\n\t}",
			}, nil)
			s.call(map[bool]string{true: "write", false: "Write"}[s.agent == "pi"], map[string]any{
				"file_path": s.root + "/" + path, "path": s.root + "/" + path, "content": content,
			}, nil)
		}
		s.end()
	}
}

// undone adds conversations here whose lines were taken back before anybody committed, ordinary lines among them.
func (w *pastWorld) undone(n int) {
	for range n {
		s := w.session()
		path := w.files()[0]
		before := w.get(path)
		at := w.rng.Intn(len(before))
		s.edit(path, at, 0, append(w.block(s.id, 2), "\tif err != nil {", "\t\treturn err", "\t}"), false)
		s.edit(path, at, 0, []string{"\tif err != nil {", "\t\treturn err", "\t}"}, false)
		s.end()
	}
}

// truth are the sessions whose lines each commit added, of those that HEAD has.
func (w *pastWorld) truth() map[string]map[string]int {
	out := map[string]map[string]int{}
	commit := ""
	for line := range strings.Lines(w.git("log", "--no-merges", "--format=commit %H", "-p", "-U0", "--no-color")) {
		line = strings.TrimSuffix(line, "\n")
		if id, ok := strings.CutPrefix(line, "commit "); ok {
			commit = id
			continue
		}
		text, ok := strings.CutPrefix(line, "+")
		writer := w.writers[text]
		if !ok || writer == "" || writer == "human" {
			continue
		}
		if out[commit] == nil {
			out[commit] = map[string]int{}
		}
		out[commit][writer]++
	}
	return out
}
