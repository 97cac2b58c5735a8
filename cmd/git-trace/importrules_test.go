package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/view/exchange"
)

// kept is what a file of testdata/formats says by the rules that all formats share: where it ran, and the tokens of its
// steps: input, output, from the cache, to the cache.
var kept = map[string]string{
	"agent-trace.jsonl":        "[] [0 0 0 0]",
	"atif.json":                "[devtime] [200 40 1000 0]", // of 1,200 that were read 1,000 came from the cache
	"ccpa.jsonl":               "[] [0 0 0 0]",
	"chatgpt.json":             "[devtime] [0 0 0 0]",
	"messages.jsonl":           "[devtime runtime] [0 0 0 0]", // a row with a task of a benchmark, and one without
	"mini-swe-agent.traj.json": "[runtime] [900 20 0 0]",
	"openhands-v0.json":        "[devtime] [0 0 0 0]",
	"openhands-v0.jsonl":       "[runtime] [0 0 0 0]",
	"opentraces.jsonl":         "[devtime] [50 250 5000 500]",
	"otlp.json":                "[runtime] [200 40 1000 0]",
	"sharegpt.jsonl":           "[runtime] [0 0 0 0]",
	"swe-agent.traj":           "[runtime] [0 0 0 0]", // it tells the tokens of the whole run alone
	"treetrace.json":           "[] [0 0 0 0]",
	"windsurf.jsonl":           "[devtime] [0 0 0 0]",
}

// readAs reads the records of a file.
func readAs(t *testing.T, path string) []*records.Record {
	t.Helper()
	format, found, err := exchange.Identify(path)
	if err != nil || !found {
		t.Fatal(path, found, err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var all []*records.Record
	if err := format.Read(file, func(_ int, r *records.Record) error {
		all = append(all, r)
		return nil
	}); err != nil {
		t.Fatal(path, err)
	}
	return all
}

// Of every format the record is sound: its steps count from 1, ids of calls occur once, and an observation belongs to its
// call. Each call has exactly one. Tokens are four counts that add up to what the file reports, and it says where it ran.
func TestEveryFormatKeepsTheRulesOfAllFormats(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../testdata/formats/*.*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		var tokens [4]int64
		where := map[string]bool{}
		for _, r := range readAs(t, path) {
			if faults := r.Check(); len(faults) > 0 {
				t.Errorf("%s: %v", path, faults)
			}
			if r.ExecutionContext != nil {
				where[string(*r.ExecutionContext)] = true
			}
			for i := range r.Steps {
				s := &r.Steps[i]
				for n, more := range []int64{s.TokenUsage.InputTokens, s.TokenUsage.OutputTokens, s.TokenUsage.CacheReadTokens, s.TokenUsage.CacheWriteTokens} {
					tokens[n] += more
				}
				for _, call := range s.ToolCalls {
					n := 0
					for _, o := range s.Observations {
						if o.SourceCallID == call.ToolCallID {
							n++
						}
					}
					if n != 1 {
						t.Errorf("%s: call %s has %d observations", path, call.ToolCallID, n)
					}
				}
			}
		}
		got := fmt.Sprint(slices.Sorted(maps.Keys(where)), tokens)
		if name := filepath.Base(path); kept[name] != got {
			t.Errorf("%s: %s, want %s", name, got, kept[name])
		}
	}
}

// Of every format that holds what was said: a secret in it does not leave by convert.
func TestNoSecretOfAnyFormatLeaves(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../testdata/formats/*.*")
	if err != nil {
		t.Fatal(err)
	}
	secret := "ghp_" + strings.Repeat("a1B2c3D4e5", 4)[:36]
	for _, path := range files {
		name := filepath.Base(path)
		if name == "agent-trace.jsonl" {
			continue // it holds nothing that was said
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, r := range readAs(t, path) {
			for i := range r.Steps {
				if s := &r.Steps[i]; said == "" && s.Role == records.RoleUser && s.Content != nil {
					said, _, _ = strings.Cut(*s.Content, "\n")
				}
			}
		}
		if said == "" || !bytes.Contains(raw, []byte(said)) {
			t.Errorf("%s: nobody says anything: %q", name, said)
			continue
		}
		raw = bytes.ReplaceAll(raw, []byte(said), []byte(said+" "+secret))
		raw = regexp.MustCompile(`"content_hash": *"[0-9a-f]+"`).ReplaceAll(raw, []byte(`"content_hash":null`))
		to := filepath.Join(testenv.TempDir(t), name)
		if err := os.WriteFile(to, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("git-trace", "convert", "--format", "opentraces", to)
		cmd.Env = append(os.Environ(), "HOME="+testenv.TempDir(t))
		out, err := cmd.Output()
		if err != nil || bytes.Contains(out, []byte(secret)) || !bytes.Contains(out, []byte("[REDACTED:github")) {
			t.Errorf("%s: %v, the secret is there: %v", name, err, bytes.Contains(out, []byte(secret)))
		}
	}
}
