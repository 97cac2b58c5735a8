package main

import (
	"fmt"
	"strings"
	"testing"
)

// Commits are asked about in batches, the newest of each first, and the lines of one that is very large are let go of
// meanwhile. Told is what would be told of each commit alone, parents before children.
func TestAHistoryIsToldCommitByCommit(t *testing.T) {
	t.Parallel()
	w := newPastWorld(t, 1)
	w.conversations(2)
	const ownersLines, ownersBatch = 100_000, 256 // of package view
	var large []string
	for n := range ownersLines {
		large = append(large, fmt.Sprint(n))
	}
	w.put("large.txt", large)
	w.conversations(1)
	var stream strings.Builder
	for n := range ownersBatch {
		fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter A <a@b> %d +0000\ndata 4\nwork\n", w.clock.Unix()+int64(n))
		if n == 0 {
			stream.WriteString("from refs/heads/main^0\n")
		}
	}
	many := w.command("git", "fast-import", "--quiet")
	many.Stdin = strings.NewReader(stream.String())
	w.must(many.Run())
	w.conversations(1)
	if out, err := w.command("git-trace", "backfill", "--transcripts", w.folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	export := func(args ...string) string {
		cmd := w.command("git-trace", append([]string{"export", "--format"}, args...)...)
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v: %s", args, err, said.String())
		}
		return string(out)
	}
	told := strings.Fields(w.git("rev-list", "--topo-order", "--reverse", "--full-history", "HEAD", "--", ".")) // which change something
	for _, format := range []string{"agent-trace", "git-ai"} {
		want := ""
		for _, id := range told {
			if id == told[0] {
				want += export(format, id)
			} else {
				want += export(format, id+"~1.."+id)
			}
		}
		if got := export(format, "HEAD"); got != want || strings.Count(got, "\n") < 4 {
			t.Errorf("%s: %d lines are told of all, %d of each commit alone", format, strings.Count(got, "\n"), strings.Count(want, "\n"))
		}
	}
}

// conversations writes sessions of Claude Code, each with four prompts, edits that a commit takes, a command that fails
// and runs well later, and outputs that are long, as most of a session is.
func (w *pastWorld) conversations(n int) {
	for range n {
		s := w.at(w.dir)
		for i := range 4 {
			s.prompt(fmt.Sprintf("Now add part %d of the basket. Don't touch vendor.", w.count))
			path := fmt.Sprintf("pkg%d/file%d.go", w.made%3, w.made%6)
			s.edit(path, w.rng.Intn(len(w.get(path))), 0, w.block(s.id, 4), true)
			for j := range 5 {
				s.ran(fmt.Sprintf("go test ./pkg%d", j), i < 2 && j == 0, strings.Repeat(fmt.Sprintf("ok %d of session %d\n", j, w.made), 1000))
			}
		}
		s.end()
		w.commit("part")
	}
}

// ran writes a command and what it printed.
func (s *pastSession) ran(command string, failed bool, printed string) {
	id := s.next()
	s.entry("assistant", map[string]any{
		"id": "msg_" + id, "type": "message", "role": "assistant", "model": "claude-opus-4-5", "stop_reason": "tool_use",
		"content": []any{map[string]any{"type": "tool_use", "id": id, "name": "Bash", "input": map[string]any{"command": command}}},
		"usage":   map[string]any{"input_tokens": 1, "output_tokens": 1},
	}, nil)
	told := map[string]any{"type": "tool_result", "tool_use_id": id, "content": printed}
	if failed {
		told["is_error"], told["content"] = true, "Exit code 1\n"+printed
	}
	s.entry("user", map[string]any{"role": "user", "content": []any{told}}, nil)
}
