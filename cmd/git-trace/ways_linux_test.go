package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/rogpeppe/go-internal/txtar"
)

// way is an agent without hooks of git-trace at work: the file of its conversation, and the file that it wrote.
type way struct{ agent, session, wrote string }

// ways has each form in which the agents of docs/agents.md keep a conversation; patterns are below the home directory.
var ways = []way{
	{"aider", "", "test_calc.py"},
	{"cline", ".cline/data/sessions/*/*.messages.json", "cline.go"},
	{"cline", ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/*/api_conversation_history.json", "task.go"},
	{"roo-code", ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/*/api_conversation_history.json", "roo.go"},
	{"amp", ".local/share/amp/threads/*.json", "amp.go"},
	{"droid", ".factory/sessions/*/*.jsonl", "droid.go"},
	{"continue", ".continue/sessions/*.json", "continue.go"},
	{"goose", ".local/share/goose/sessions/*.jsonl", "goose.go"},
	{"openhands", ".openhands/conversations/*/base_state.json", "openhands.go"},
	{"copilot-vscode", ".config/Code/User/workspaceStorage/*/chatSessions/*.json", "chat.go"},
	{"copilot-vscode", ".config/Code/User/workspaceStorage/*/GitHub.copilot-chat/transcripts/*.jsonl", "events.go"},
	{"cursor", ".cursor/projects/*/agent-transcripts/*/*.jsonl", "cursor.go"},
	{"kimi-code", ".kimi-code/sessions/*/*/agents/main/wire.jsonl", "kimi.go"},
	{"grok", ".grok/sessions/*/*/updates.jsonl", "grok.go"},
	{"zed", ".local/share/zed/threads/threads.db", "sum.go"},
}

// unseenWork is a repository in which these agents have worked, each on its own file, and nobody reported it.
type unseenWork struct {
	t          *testing.T
	home, repo string
}

func (d *unseenWork) run(name string, args ...string) string {
	d.t.Helper()
	out, err := d.try(name, args...)
	if err != nil {
		d.t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return out
}

// try runs a program that may end with an error.
func (d *unseenWork) try(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = d.repo
	cmd.Env = append(os.Environ(), "HOME="+d.home, "XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "XDG_STATE_HOME=", "XDG_CACHE_HOME=",
		"GIT_AUTHOR_NAME=P", "GIT_AUTHOR_EMAIL=p@example.com", "GIT_COMMITTER_NAME=P", "GIT_COMMITTER_EMAIL=p@example.com")
	out, err := cmd.Output()
	return string(out), err
}

func (d *unseenWork) write(path string, text []byte) {
	d.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		d.t.Fatal(err)
	}
}

// asset is a file of a script of testdata/script.
func (d *unseenWork) asset(script, name string) []byte {
	d.t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("../../testdata/script", script))
	if err != nil {
		d.t.Fatal(err)
	}
	for _, file := range archive.Files {
		if file.Name == name {
			return file.Data
		}
	}
	d.t.Fatalf("%s has no %s", script, name)
	return nil
}

// zedHome is where the thread of testdata/sessions/zed was: a path of as many bytes stands for it.
const zedHome = "/home/dev/shop"

func newUnseenWork(t *testing.T) *unseenWork {
	t.Helper()
	parent := ""
	for n := 0; parent == ""; n++ {
		try := "/tmp/" + string([]byte{'g', 't', byte('a' + n%26), byte('a' + n/26)})
		if err := os.Mkdir(try, 0o755); err == nil {
			parent = try
		} else if !os.IsExist(err) || n > 600 {
			t.Skip("the database of Zed needs a directory with a short name: ", err)
		}
	}
	t.Cleanup(func() { _ = os.RemoveAll(parent) })
	d := &unseenWork{t: t, home: testenv.TempDir(t), repo: parent + "/shop"}
	if len(d.repo) != len(zedHome) {
		t.Fatal(d.repo)
	}
	d.write(d.repo+"/mine.txt", []byte("a person wrote this line, and nobody else did\n"))
	d.write(d.repo+"/sum.go", []byte("package shop\n\nfunc Sum(list []int) int {\n\tsum := 1\n\treturn sum\n}\n"))
	d.run("git", "init", "-q")
	d.run("git-trace", "init")
	d.run("git", "add", ".")
	d.run("git", "commit", "-q", "-m", "base")
	d.run("git-trace", "watch", "--once")
	d.write(d.repo+"/test_calc.py", d.asset("aider.txtar", "test.py"))
	d.run("git", "add", ".")
	d.run("git", "commit", "-q", "-m", "test: Add a test")
	_, history, _ := strings.Cut(string(d.asset("aider.txtar", "history.md")), "@FIRST@ fix: Make add return the sum  \n")
	d.write(d.repo+"/.aider.chat.history.md", []byte(strings.ReplaceAll(history, "@SECOND@", d.run("git", "rev-parse", "--short=7", "HEAD")[:7])))
	d.write(d.home+"/sessions.sh", d.asset("read-agents.txtar", "sessions.sh"))
	d.run("sh", d.home+"/sessions.sh", d.home)
	d.write(d.repo+"/sum.go", []byte("package shop\n\nfunc Sum(list []int) (sum int) {\n\tfor _, n := range list {\n\t\tsum += n\n\t}\n\treturn sum\n}\n"))
	raw, err := os.ReadFile("../../testdata/sessions/zed/threads.db")
	if err != nil {
		t.Fatal(err)
	}
	raw = bytes.ReplaceAll(raw, []byte(zedHome), []byte(d.repo))
	raw = bytes.ReplaceAll(raw, []byte("2026-05-16T04:10:00+00:00"), time.Now().UTC().AppendFormat(nil, "2006-01-02T15:04:05+00:00"))
	d.write(d.home+"/.local/share/zed/threads/threads.db", raw)
	projects := d.home + "/.cursor/projects/" // a directory for each folder, named after it
	if err := os.Rename(projects+"somewhere", projects+strings.ReplaceAll(strings.TrimPrefix(d.repo, "/"), "/", "-")); err != nil {
		t.Fatal(err)
	}
	return d
}

// Each agent is read in five ways: watch notes it, backfill finds what it wrote in old commits, blame shows that, record
// takes in its conversation, and convert reads its file.
func TestAgentsWithoutHooksAreReadInFiveWays(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	d := newUnseenWork(t)
	watched := d.run("git-trace", "watch", "--once")
	d.run("git", "add", "--", "*.go")
	d.run("git", "commit", "-q", "-m", "all")
	filled := d.run("git-trace", "backfill", "--json")
	d.run("git-trace", "record")
	recorded := map[string]bool{}
	var log struct {
		Conversations []struct {
			Agent   string
			Sources []string
		}
	}
	if err := json.Unmarshal([]byte(d.run("git-trace", "log", "--json")), &log); err != nil {
		t.Fatal(err)
	}
	for _, one := range log.Conversations {
		recorded[one.Agent] = recorded[one.Agent] || slices.Contains(one.Sources, "record")
	}
	for _, w := range ways {
		session := filepath.Join(d.repo, ".aider.chat.history.md")
		if w.session != "" {
			found, err := filepath.Glob(filepath.Join(d.home, w.session))
			if err != nil || len(found) != 1 {
				t.Fatalf("%s: %v, %v", w.agent, found, err)
			}
			session = found[0]
		}
		if !strings.Contains(watched, w.agent+" ") {
			t.Errorf("watch: %s is not noted:\n%s", w.agent, watched)
		}
		if !recorded[w.agent] {
			t.Errorf("record: %s has no record", w.agent)
		}
		// the session files of agents with hooks have testified at the commit: backfill finds nothing more
		testified := w.agent == "cline" || w.agent == "droid"
		if found := strings.Contains(filled, `"agent":"`+w.agent+`"`); found == testified {
			t.Errorf("backfill: %s is found: %v", w.agent, found)
		}
		if n := strings.Count(d.run("git-trace", "blame", "--json", w.wrote), `"agent":"`+w.agent+`"`); n < 3 {
			t.Errorf("blame: %s has %d lines of %s", w.agent, n, w.wrote)
		}
		out, err := d.try("git-trace", "convert", "--format", "opentraces", session)
		if err != nil && w.agent != "zed" { // whose other threads are unpacked by git-trace-serve
			t.Error(err)
		}
		if !strings.Contains(out, `"agent":{"name":"`+w.agent+`"`) {
			t.Errorf("convert: %s is read as %.300s", w.agent, out)
		}
	}
}
