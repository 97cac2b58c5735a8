package codexcli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/codexcli"
)

const (
	shop  = "019caf00-0000-7000-8000-000000000001"
	below = "019caf00-0000-7000-8000-000000000002"
	other = "019caf00-0000-7000-8000-000000000003"
	child = "019caf00-0000-7000-8000-000000000004"
	stray = "019caf00-0000-7000-8000-000000000005"
	old   = "019caf00-0000-7000-8000-000000000006"
)

// keep writes a rollout that began in a directory.
func keep(t *testing.T, home, folder, id, cwd, source string, age int) {
	t.Helper()
	path := filepath.Join(home, folder, "rollout-2026-03-02T09-00-00-"+id+".jsonl")
	line := fmt.Sprintf(`{"timestamp":"2026-03-02T09:00:00.000Z","type":"session_meta","payload":{"id":%q,"cwd":%q,"source":%s}}`+"\n", id, cwd, source)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	changed := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC).Add(-time.Duration(age) * time.Hour)
	if err := os.Chtimes(path, changed, changed); err != nil {
		t.Fatal(err)
	}
}

func spawned(parent string) string {
	return fmt.Sprintf(`{"subagent":{"thread_spawn":{"parent_thread_id":%q,"depth":1}}}`, parent)
}

func TestTheSessionsOfADirectoryAreThoseHeldInItOrBelow(t *testing.T) {
	t.Parallel()
	home, moved := t.TempDir(), t.TempDir()
	for _, root := range []string{filepath.Join(home, ".codex"), moved} {
		keep(t, root, "sessions/2026/03/02", shop, "/home/dev/shop", `"cli"`, 1)
		keep(t, root, "sessions/2026/03/01", below, "/home/dev/shop/cmd", `"exec"`, 2)
		keep(t, root, "sessions/2026/03/01", other, "/home/dev/shop-2", `"cli"`, 3)
		keep(t, root, "sessions/2026/03/02", child, "/home/dev/shop", spawned(shop), 1)
		keep(t, root, "sessions/2026/03/02", stray, "/home/dev/shop", spawned("019caf00-0000-7000-8000-0000000000ff"), 4)
		keep(t, root, "archived_sessions", old, "/home/dev/shop", `"cli"`, 5)
	}
	keep(t, moved, "sessions/2026/03/02", "019caf00-0000-7000-8000-000000000007", "/home/dev/shop", `"cli"`, 6)
	for _, test := range []struct {
		name, dir string
		moved     bool
		want      []string
	}{
		{"its own and those below, without subagents that a parent tells", "/home/dev/shop", false, []string{old, stray, below, shop}},
		{"another one", "/home/dev/shop-2", false, []string{other}},
		{"nowhere", "/home/dev/sho", false, nil},
		{"everything", "", false, []string{old, stray, other, below, shop}},
		{"a home of its own", "/home/dev/shop", true, []string{"019caf00-0000-7000-8000-000000000007", old, stray, below, shop}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client := codexcli.New(capability.Env{Home: home, Getenv: func(key string) string {
				if key == "CODEX_HOME" && test.moved {
					return moved
				}
				return ""
			}})
			found, err := client.Discoverer.ProjectSessions(test.dir, time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			if late, err := client.Discoverer.ProjectSessions(test.dir, time.Now().Add(time.Hour)); len(late) > 0 || err != nil {
				t.Errorf("written to in an hour: %+v, %v", late, err)
			}
			var ids []string
			for _, one := range found {
				ids = append(ids, one.ID)
				if client.Identifier.SessionID(one.Path) != one.ID || one.Dir == "" || one.Changed.IsZero() {
					t.Errorf("%+v", one)
				}
			}
			if got, want := strings.Join(ids, "\n"), strings.Join(test.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
	if found, err := codexcli.New(capability.Env{Home: t.TempDir()}).Discoverer.ProjectSessions("", time.Time{}); len(found) > 0 || err != nil {
		t.Errorf("an agent that was never used has %v, %v", found, err)
	}
}

func TestOnlyRolloutsTellTheirSession(t *testing.T) {
	t.Parallel()
	identifier := codexcli.New(capability.Env{}).Identifier
	for path, want := range map[string]string{
		"/x/rollout-2026-03-02T09-00-00-" + shop + ".jsonl": shop,
		"/x/" + shop + ".jsonl":                             "",
		"/x/rollout-x.jsonl":                                "",
		"/x/rollout-" + shop + ".json":                      "",
		"rollout-../../../../etc/passwd":                    "",
	} {
		if got := identifier.SessionID(path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

// The rollout of a subagent may be kept under another day than its parent's.
func TestASubagentIsFoundUnderTheDayItWasBornOn(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	source := suite().Sessions()
	for pattern, folder := range map[string]string{"rollout-agents-parent-*.jsonl": "2026/11/19", "rollout-agents-child-*.jsonl": "2026/11/22"} {
		files, err := filepath.Glob(filepath.Join(source, pattern))
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		data, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(home, ".codex", "sessions", filepath.FromSlash(folder))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(files[0])), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	client := codexcli.New(capability.Env{Home: home})
	found, err := client.Discoverer.ProjectSessions("", time.Time{})
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	record, parsed := suite().Parse(t, found[0].Path, capability.ParseOptions{})
	if record.Steps[2].ParentStep == nil || *record.Steps[2].ParentStep != 2 {
		t.Errorf("the subagent is not told after step 2: %+v", record.Steps[2])
	}
	again, _ := suite().Parse(t, found[0].Path, capability.ParseOptions{Cursor: parsed.Cursor})
	if again.Metrics.TotalSteps != record.Metrics.TotalSteps {
		t.Errorf("read again it has %d steps instead of %d", again.Metrics.TotalSteps, record.Metrics.TotalSteps)
	}
}
