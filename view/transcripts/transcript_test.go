package transcripts

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/correlate/backfill"
)

func mustJSON(value any) []byte {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return raw
}

func unzstd(in io.Reader) (io.ReadCloser, error) {
	z, err := zstd.NewReader(in)
	if err != nil {
		return nil, err
	}
	return z.IOReadCloser(), nil
}

// read finds and reads what is below folders, in a home of nobody.
func read(t *testing.T, folders ...string) []*Transcript {
	t.Helper()
	found, err := Find(agents.Env{Home: t.TempDir(), Unzstd: unzstd}, nil, folders)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	list := Read(context.Background(), found, func(int, int) { calls++ })
	if calls != len(found) {
		t.Errorf("progress was told %d times of %d", calls, len(found))
	}
	return list
}

// told is what a transcript gives, one edit a line.
func told(list []*Transcript) string {
	var out strings.Builder
	for _, one := range list {
		s := &one.Session
		fmt.Fprintf(&out, "%s %s: %d prompts, %d unseen, model %q", one.Agent.Name, s.ID, len(one.Prompts), one.Unseen, one.Model)
		if len(s.Commits) > 0 {
			fmt.Fprintf(&out, ", began at %v, made %v", s.Commits, s.Made)
		}
		if s.Remote != "" {
			fmt.Fprintf(&out, ", of %s", s.Remote)
		}
		fmt.Fprintf(&out, "\n  in %v", s.Dirs)
		if len(one.Earlier) > 0 {
			fmt.Fprintf(&out, ", %d files before", len(one.Earlier))
		}
		out.WriteByte('\n')
		for i := range s.Edits {
			e := &s.Edits[i]
			fmt.Fprintf(&out, "  step %d prompt %d %s %s:", e.Step, e.Prompt, e.Tool, e.Path)
			for _, r := range e.Replaces {
				fmt.Fprintf(&out, " %q -> %q", r.Old, r.New)
			}
			for _, h := range e.Hunks {
				fmt.Fprintf(&out, " @%d -%d +%q", h.At, h.Removed, h.Lines)
			}
			if len(e.Whole) > 0 {
				fmt.Fprintf(&out, " = %q", e.Whole)
			}
			if e.Rewrite != nil {
				out.WriteString(" by substitution")
			}
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// Each session file of testdata tells its edits, whatever agent wrote it. UPDATE_EVIDENCE=1 writes what they tell.
func TestSessionFilesOfEveryAgentTellTheirEdits(t *testing.T) {
	t.Parallel()
	const sessions = "../../testdata/sessions"
	dirs, err := os.ReadDir(sessions)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		t.Run(dir.Name(), func(t *testing.T) {
			t.Parallel()
			list := read(t, filepath.Join(sessions, dir.Name()))
			edits := 0
			for _, one := range list {
				if one.Err != nil && !strings.Contains(one.Path, "broken") {
					t.Errorf("%s: %v", one.Path, one.Err)
				}
				edits += len(one.Session.Edits)
			}
			if edits == 0 {
				t.Error("no edit in any of them")
			}
			got, golden := told(list), filepath.Join("testdata", dir.Name()+".txt")
			if os.Getenv("UPDATE_EVIDENCE") != "" {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(golden); err != nil || string(want) != got {
				t.Errorf("%v, got:\n%s", err, got)
			}
		})
	}
}

// claude writes a session file with an edit at each of the minutes.
func claude(t *testing.T, path, session string, minutes ...int) {
	t.Helper()
	var out strings.Builder
	line := func(kind string, minute int, message any, result ...any) {
		raw := mustJSON(map[string]any{ // a result, if any, has the members of the tool's own report
			"toolUseResult": append(result, nil)[0],
			"type":          kind, "uuid": fmt.Sprintf("%s-%d-%d", kind, minute, len(result)), "sessionId": session, "cwd": "/home/dev/shop",
			"version": "2.1.150", "timestamp": time.Date(2026, 11, 2, 9, minute, 0, 0, time.UTC).Format(time.RFC3339), "message": message,
		})
		out.Write(append(raw, '\n'))
	}
	for _, m := range minutes {
		line("user", m, map[string]any{"role": "user", "content": fmt.Sprintf("do %d", m)})
		id := fmt.Sprintf("call_%d", m)
		line("assistant", m, map[string]any{"id": "msg" + id, "role": "assistant", "model": "m", "content": []any{map[string]any{
			"type": "tool_use", "id": id, "name": "Write", "input": map[string]any{"file_path": fmt.Sprintf("/home/dev/shop/%d.txt", m), "content": fmt.Sprintf("%d\n", m)},
		}}})
		line("user", m, map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": "done"}}},
			map[string]any{"type": "create", "filePath": fmt.Sprintf("/home/dev/shop/%d.txt", m), "content": fmt.Sprintf("%d\n", m), "structuredPatch": []any{}})
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func paths(one *Transcript) (out []string) {
	for i := range one.Session.Edits {
		out = append(out, filepath.Base(one.Session.Edits[i].Path))
	}
	return out
}

func TestFilesOfOneSessionAreOneTranscript(t *testing.T) {
	t.Parallel()
	const id = "0a1b2c3d-0000-4000-8000-00000000000a"
	for _, test := range []struct {
		name   string
		files  map[string][]int
		edits  []string
		before int // that are read before the last
	}{
		{"a copy that ends earlier says nothing more", map[string][]int{"a": {1}, "b": {1, 2}}, []string{"1.txt", "2.txt"}, 0},
		{"equal copies are one", map[string][]int{"a": {1, 2}, "b": {1, 2}}, []string{"1.txt", "2.txt"}, 0},
		{"each goes on in its own way", map[string][]int{"a": {1, 2}, "b": {1, 3}}, []string{"1.txt", "2.txt", "3.txt"}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, minutes := range test.files {
				claude(t, filepath.Join(dir, name, id+".jsonl"), id, minutes...)
			}
			list := read(t, dir)
			if len(list) != 1 || len(list[0].Earlier) != test.before || !slices.Equal(paths(list[0]), test.edits) {
				t.Errorf("%s", told(list))
			}
			if p := list[0].Prompts; len(p) != len(test.edits) || p[0].Text != "do 1" || p[0].At.Minute() != 1 {
				t.Errorf("prompts %+v", p)
			}
			if !list[0].First.Before(list[0].Last) || list[0].Session.Dirs[0] != "/home/dev/shop" {
				t.Errorf("from %v to %v in %v", list[0].First, list[0].Last, list[0].Session.Dirs)
			}
		})
	}
}

func TestAnEditThatAForkCopiedIsTheEarliestSessions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const early, late = "0a1b2c3d-0000-4000-8000-00000000000a", "0a1b2c3d-0000-4000-8000-00000000000b"
	claude(t, filepath.Join(dir, late+".jsonl"), late, 2, 3)
	claude(t, filepath.Join(dir, early+".jsonl"), early, 1, 2)
	list := read(t, dir)
	if len(list) != 2 || list[0].Session.ID != early || !slices.Equal(paths(list[0]), []string{"1.txt", "2.txt"}) ||
		!slices.Equal(paths(list[1]), []string{"3.txt"}) {
		t.Errorf("%s", told(list))
	}
}

func TestWhereTranscriptsAreLookedFor(t *testing.T) {
	t.Parallel()
	const id = "0a1b2c3d-0000-4000-8000-00000000000a"
	home, folder := t.TempDir(), t.TempDir()
	kept := filepath.Join(home, ".claude", "projects", "-home-dev-shop", id+".jsonl")
	claude(t, kept, id, 1)
	claude(t, filepath.Join(folder, ".git", "inside.jsonl"), "in-git", 1)
	claude(t, filepath.Join(folder, id+".jsonl"), id, 1)
	claude(t, filepath.Join(folder, id, "subagents", "agent-1.jsonl"), id, 2)
	if err := os.WriteFile(filepath.Join(folder, "notes.jsonl"), []byte("no session\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(kept, filepath.Join(folder, "link.jsonl")); err != nil {
		t.Fatal(err)
	}
	found, err := Find(agents.Env{Home: home}, nil, []string{folder, filepath.Dir(kept)})
	var got []string
	for _, one := range found {
		got = append(got, one.Path)
	}
	if want := []string{kept, filepath.Join(folder, id+".jsonl")}; err != nil || !slices.Equal(got, want) {
		t.Errorf("found %q, %v, want %q", got, err, want)
	}
	if _, err := Find(agents.Env{Home: home}, nil, []string{filepath.Join(folder, "none")}); err == nil {
		t.Error("a folder that is not there is no folder without transcripts")
	}
}

// Talk alone names no directory.
func TestFilesOfASessionWithoutEditsAreJoined(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, minute := range map[string]int{"a": 1, "b": 2} {
		line := mustJSON(map[string]any{
			"type": "user", "uuid": name, "sessionId": "talk", "version": "2.1.150", "timestamp": time.Date(2026, 11, 2, 9, minute, 0, 0, time.UTC),
			"message": map[string]any{"role": "user", "content": "talk " + name},
		})
		if err := os.WriteFile(filepath.Join(dir, name+".jsonl"), append(line, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if list := read(t, dir); len(list) != 1 || len(list[0].Prompts) != 2 || len(list[0].Session.Dirs) != 0 {
		t.Errorf("%s", told(list))
	}
}

func TestAFileThatIsGoneIsTold(t *testing.T) {
	t.Parallel()
	agent, found := agents.Lookup(agents.Env{Home: t.TempDir()}, "claude-code")
	if !found {
		t.Fatal("no such agent")
	}
	gone := &Transcript{Agent: agent, Path: filepath.Join(t.TempDir(), "gone.jsonl")}
	list := Read(context.Background(), []*Transcript{gone}, func(int, int) {})
	if len(list) != 1 || list[0].Err == nil {
		t.Errorf("%+v", list)
	}
}

func TestASessionOfADatabaseIsAskedForByItsName(t *testing.T) {
	t.Parallel()
	var databases []string
	err := filepath.WalkDir("../../testdata/sessions/opencode", func(path string, entry fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".db" {
			databases = append(databases, path)
		}
		return err
	})
	if err != nil || len(databases) == 0 {
		t.Skip("no database among the sessions", err)
	}
	agent, _ := agents.Lookup(agents.Env{Home: t.TempDir()}, "opencode")
	for _, path := range databases {
		for _, one := range In(agent, path) {
			if one.ID == "" || one.Path != path {
				t.Errorf("%s: %+v", path, one)
			}
		}
	}
}

func TestCommandsOfCallsAreReadWhateverTheirMembersAreCalled(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		`{"command":"ls -l"}`:                     "ls -l",
		`{"timeout":1,"cmd":"ls"}`:                "ls",
		`{"command":["bash","-lc","ls | wc -l"]}`: "bash -lc ls | wc -l",
		`{"script":"x","command":"y"}`:            "x",
		`{"command":{"of":"something else"}}`:     "",
		`{"path":"a"}`:                            "",
		`not JSON`:                                "",
	} {
		if got := commandOf([]byte(input)); got != want {
			t.Errorf("%s gives %q, want %q", input, got, want)
		}
	}
}

func TestInputsOfToolsThatReplaceTexts(t *testing.T) {
	t.Parallel()
	for input, want := range map[string][]backfill.Replacement{
		`{"old_string":"a","new_string":"b"}`:                                     {{Old: "a", New: "b"}},
		`{"oldString":"a","newString":"","replaceAll":true}`:                      {{Old: "a", All: true}},
		`{"edits":[{"oldText":"a","newText":"b"},{"old_str":"c","new_str":"d"}]}`: {{Old: "a", New: "b"}, {Old: "c", New: "d"}},
		`{"old_text":"a"}`:    nil,
		`{"content":"whole"}`: nil,
		`{"old_string":"a","new_string":"b","allow_multiple":true,"edits":[{"oldText":"only"}]}`: {{Old: "a", New: "b", All: true}},
	} {
		if got := replacements([]byte(input)); !slices.Equal(got, want) {
			t.Errorf("%s gives %+v, want %+v", input, got, want)
		}
	}
}
