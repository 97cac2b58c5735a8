package zed_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/zed"
	"github.com/git-trace/git-trace/internal/testing/sessiontest"
	"github.com/git-trace/git-trace/records"
)

func unzstd(packed io.Reader) (io.ReadCloser, error) {
	z, err := zstd.NewReader(packed)
	if err != nil {
		return nil, err
	}
	return z.IOReadCloser(), nil
}

func suite() sessiontest.Suite {
	return sessiontest.Suite{Agent: zed.New(capability.Env{Home: "/home/dev", Unzstd: unzstd}), Names: []string{"*.db"}, Whole: true,
		Refuses: true}
}

func TestSessionsGiveTheirRecords(t *testing.T) {
	t.Parallel()
	suite().Golden(t)
}

func TestADamagedSessionGivesASoundRecord(t *testing.T) {
	t.Parallel()
	suite().Damaged(t)
}

func FuzzSession(f *testing.F) { suite().Fuzz(f, "threads.db") }

const thread = "7c0e0000-0000-4000-8000-00000000000"

// parse reads one thread of the database.
func parse(t *testing.T, env capability.Env, id string) (*records.Record, *capability.Parsed) {
	t.Helper()
	var steps records.Collector
	parsed, err := zed.New(env).Parser.Parse(t.Context(), filepath.Join(suite().Sessions(), "threads.db"),
		capability.ParseOptions{Session: id}, &steps)
	if err != nil {
		t.Fatal(err)
	}
	parsed.Head.Steps = steps.Steps
	if faults := parsed.Head.Check(); len(faults) > 0 {
		t.Error(faults)
	}
	return parsed.Head, parsed
}

func TestAThreadThatIsPackedIsReadAsOneThatIsNot(t *testing.T) {
	t.Parallel()
	r, parsed := parse(t, capability.Env{Home: "/home/dev", Unzstd: unzstd}, thread+"b")
	if len(r.Steps) != 2 || *r.Agent.Model != "openai/gpt-5" || parsed.Lost != 0 ||
		string(r.Metadata["parent_session"]) != `"`+thread+`a"` {
		t.Fatalf("%d steps, model %s, %d lost, %s", len(r.Steps), *r.Agent.Model, parsed.Lost, r.Metadata)
	}
	if files := r.Attribution.Files; len(files) != 1 || files[0].Path != "words.go" {
		t.Errorf("a path begins with the name of the second folder: %+v", files)
	}
}

func TestAnOlderThreadIsReadAsANewOne(t *testing.T) {
	t.Parallel()
	r, parsed := parse(t, capability.Env{Home: "/home/dev"}, thread+"c")
	if len(r.Steps) != 2 || len(r.Steps[1].ToolCalls) != 2 || parsed.Lost != 0 {
		t.Fatalf("%d steps, %d lost", len(r.Steps), parsed.Lost)
	}
	if got := r.Steps[1].Observations; got[0].Error != nil || *got[1].Error != records.ErrorInterrupted {
		t.Errorf("results: %+v", got)
	}
	if files := r.Attribution.Files; len(files) != 1 || files[0].Path != "hello.txt" {
		t.Errorf("files: %+v", files)
	}
}

// What a package of zstd says can be a lie: it may be no package, hold more than it may, or nothing may unpack it.
func TestAThreadThatCannotBeUnpackedIsAnErrorThatSaysWhy(t *testing.T) {
	t.Parallel()
	for want, unpack := range map[string]func(io.Reader) (io.ReadCloser, error){
		"cannot unpack": nil,
		"not to be had": func(io.Reader) (io.ReadCloser, error) { return nil, errors.New("not to be had") },
		"breaks off": func(io.Reader) (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(strings.NewReader("{"), failing{})), nil
		},
		"more than 256 MiB": func(io.Reader) (io.ReadCloser, error) {
			return io.NopCloser(io.LimitReader(blanks{}, 1<<40)), nil
		},
	} {
		agent := zed.New(capability.Env{Home: "/home/dev", Unzstd: unpack})
		_, err := agent.Parser.Parse(t.Context(), filepath.Join(suite().Sessions(), "threads.db"),
			capability.ParseOptions{Session: thread + "b"}, &records.Collector{})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), thread+"b") {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("breaks off") }

type blanks struct{}

func (blanks) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte(" "), len(p))), nil }

func TestSessionsAreFoundByTheirDirectory(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, root := range [][]string{{".local", "share", "zed", "threads"}, {"Library", "Application Support", "Zed", "threads"}} {
		dir := filepath.Join(append([]string{home}, root...)...)
		if err := os.CopyFS(dir, os.DirFS(suite().Sessions())); err != nil {
			t.Fatal(err)
		}
		agent := zed.New(capability.Env{Home: home})
		if !agent.Found(capability.Env{}) {
			t.Error("its directory is not found")
		}
		for place, want := range map[string]string{"": "cba", "/home/dev/shop": "a", "/home/dev/words": "b", "/home/dev/other": "b", "/home/none": ""} {
			found, err := agent.Discoverer.ProjectSessions(place, time.Time{})
			got := ""
			for _, one := range found {
				got += strings.TrimPrefix(one.ID, thread)
			}
			if err != nil || got != want {
				t.Errorf("in %q: %s, %v; want %s", place, got, err, want)
			}
		}
		if found, err := agent.Discoverer.ProjectSessions("", time.Date(2026, 5, 16, 0, 0, 0, 0, time.UTC)); err != nil || len(found) != 1 {
			t.Errorf("of the last day: %v, %v", found, err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}
