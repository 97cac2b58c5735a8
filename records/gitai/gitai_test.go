package gitai_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/gitai"
	"github.com/git-trace/git-trace/refs"
)

const commitID = "7734793b756b3921c88db5375a8c156e9532447b"

// note has every kind of key: a session with two calls, a person, a conversation as older versions write it.
const note = `src/main.rs
  s_c9883b05a2487d::t_9f8e7d6c5b4a32 1-10,15
  s_c9883b05a2487d::t_a1b2c3d4e5f678 25-30
  h_31dce776f88375 35-40
"src/my lib.rs"
  abcd1234abcd1234 1-5
---
{
  "schema_version": "authorship/3.0.0",
  "git_ai_version": "1.4.5",
  "base_commit_sha": "7734793b756b3921c88db5375a8c156e9532447b",
  "prompts": {
    "abcd1234abcd1234": {
      "agent_id": {
        "tool": "cursor",
        "id": "old",
        "model": "gpt-4"
      },
      "human_author": "Developer <dev@example.com>",
      "total_additions": 5,
      "total_deletions": 0,
      "accepted_lines": 5
    }
  },
  "humans": {
    "h_31dce776f88375": {
      "author": "Developer <dev@example.com>"
    }
  },
  "sessions": {
    "s_c9883b05a2487d": {
      "agent_id": {
        "tool": "claude",
        "id": "conv_abc",
        "model": "claude-sonnet-4-5-20250514"
      },
      "human_author": "dev@example.com",
      "custom_attributes": {
        "team": "backend"
      }
    }
  }
}`

func oid(t testing.TB) refs.OID {
	t.Helper()
	id, err := refs.ParseOID(commitID)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func lines(n int) func(string) (int, error) {
	return func(string) (int, error) { return n, nil }
}

func TestANoteComesBackByteForByte(t *testing.T) {
	t.Parallel()
	n, err := gitai.Parse([]byte(note))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := n.Bytes(); err != nil || string(got) != note {
		t.Errorf("%v:\n%s", err, got)
	}
}

func TestANoteBecomesTheLinesOfACommit(t *testing.T) {
	t.Parallel()
	n, err := gitai.Parse([]byte(note))
	if err != nil {
		t.Fatal(err)
	}
	c, leftOut := n.Commit(oid(t), lines(40))
	if leftOut != 0 || c.AI != 22 || c.Human != 6 || c.Added != 28 || len(c.Files) != 2 {
		t.Fatalf("%d left out, %+v", leftOut, c)
	}
	main := c.Files[0]
	owner := c.Owners[main.Runs[0].Owner]
	if main.Path != "src/main.rs" || main.Runs[0].Start != 1 || main.Runs[0].Count != 10 || owner.Agent != "claude-code" ||
		owner.Session != "conv_abc" || owner.Trace != events.NewTraceID("claude-code", "conv_abc") || owner.ToolCall != "t_9f8e7d6c5b4a32" {
		t.Errorf("%+v by %+v", main, owner)
	}
	if _, leftOut := n.Commit(oid(t), lines(39)); leftOut != 6 {
		t.Errorf("%d lines beyond the end", leftOut)
	}
	if c, leftOut := n.Commit(oid(t), func(string) (int, error) { return 0, errors.New("no such path") }); leftOut != 28 || len(c.Files) != 0 {
		t.Errorf("%d lines without a file", leftOut)
	}
}

// Older notes have a key for an agent that they do not name.
func TestANoteMayNameNoAgent(t *testing.T) {
	t.Parallel()
	n, err := gitai.Parse([]byte("a.go\n  ai_agent 1-3\n  human 4\n---\n{\"schema_version\":\"authorship/3.0.0\"}"))
	if err != nil {
		t.Fatal(err)
	}
	c, leftOut := n.Commit(oid(t), lines(9))
	if leftOut != 1 || c.AI != 3 || c.Owners[0].Kind != events.OwnerAI || c.Owners[0].Agent != "unknown" || c.Owners[0].Trace != "" {
		t.Errorf("%d left out, %+v", leftOut, c)
	}
}

// git-ai itself shows the last of several entries for a line.
func TestTheLastEntryForALineCounts(t *testing.T) {
	t.Parallel()
	n, err := gitai.Parse([]byte("a.go\n  h_one 1-9\n  ai_agent 3-5,9\n---\n" +
		`{"schema_version":"authorship/3.0.0","humans":{"h_one":{"author":"A <a@example.org>"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	c, _ := n.Commit(oid(t), lines(9))
	var got []string
	for _, r := range c.Files[0].Runs {
		got = append(got, fmt.Sprintf("%s %d+%d", c.Owners[r.Owner].Kind, r.Start, r.Count))
	}
	if want := []string{"human 1+2", "ai 3+3", "human 6+3", "ai 9+1"}; !slices.Equal(got, want) || c.AI != 4 || c.Human != 5 {
		t.Errorf("%q, %d of an agent, %d of a person", got, c.AI, c.Human)
	}
}

func TestACommitBecomesANoteAndComesBack(t *testing.T) {
	t.Parallel()
	ai := events.AnchorOwner{
		Kind: events.OwnerAI, Agent: "codex-cli", Session: "s 1", Trace: events.NewTraceID("codex-cli", "s 1"), Model: "openai/gpt-5", ToolCall: "c1",
	}
	c := &events.CommitData{
		Commit: oid(t), Owners: []events.AnchorOwner{
			ai, {Kind: events.OwnerHuman, Evidence: events.SeenTyping}, {Kind: events.OwnerUnknown},
			{Kind: events.OwnerHuman, Evidence: events.Watched},
		},
		Files: []events.AnchorFile{
			{Path: "a b.go", Runs: []events.AnchorRun{
				{Start: 1, Count: 2, Owner: 0, Tier: "exact_blob"}, {Start: 3, Count: 1, Owner: 0, Tier: "moved_lines"},
				{Start: 4, Count: 1, Owner: 1, Tier: "exact_blob"}, {Start: 5, Count: 1, Owner: 2, Tier: "exact_blob"},
				{Start: 6, Count: 1, Owner: 3, Tier: "exact_blob"}, {Start: 9, Count: 2, Owner: 0, Tier: "exact_blob"},
			}},
			{Path: events.EncodePath("line\nfeed"), Runs: []events.AnchorRun{{Start: 1, Count: 1, Owner: 0, Tier: "exact_blob"}}},
		},
	}
	n, leftOut := gitai.FromCommit(c, "A U Thor <author@example.com>")
	if leftOut != 1 {
		t.Errorf("%d files left out", leftOut)
	}
	raw, err := n.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(raw), "---\n")
	key := gitai.SessionKey("codex", "s 1")
	if lines := strings.Split(head, "\n"); lines[0] != `"a b.go"` || !strings.HasPrefix(lines[1], "  "+key+"::t_") ||
		!strings.HasSuffix(lines[1], " 1-3,9-10") || lines[2] != "  "+gitai.HumanKey("A U Thor <author@example.com>")+" 4" {
		t.Errorf("note\n%s", raw)
	}
	back, err := gitai.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	got, leftOut := back.Commit(oid(t), lines(10))
	if leftOut != 0 || got.AI != 5 || got.Human != 1 {
		t.Errorf("%d left out, %+v", leftOut, got)
	}
	owner := got.Owners[got.Files[0].Runs[0].Owner]
	owner.ToolCall, owner.Model = "c1", "openai/"+owner.Model // a digest, and without its provider
	if !reflect.DeepEqual(owner, ai) {
		t.Errorf("owner %+v, want %+v", owner, ai)
	}
}

func TestFaultsNameTheirLine(t *testing.T) {
	t.Parallel()
	meta := "---\n{\"schema_version\":\"authorship/3.0.0\"}"
	for text, want := range map[string]string{
		"":                            "line 1: ",
		"a\n  k 1":                    "line 3: ",
		"  k 1\n" + meta:              "line 1: ",
		"a\n  k 0\n" + meta:           "line 2: ",
		"a\n  k 3-2\n" + meta:         "line 2: ",
		"a\n  k 1,,2\n" + meta:        "line 2: ",
		"a\n  k 1-x\n" + meta:         "line 2: ",
		"a\n  k\n" + meta:             "line 2: ",
		"a\n k 1\n" + meta:            "line 2: ",
		"a\n  k 1\n---\n{":            "line 4: ",
		"---\n{}":                     "line 2: ",
		"a\n  k 99999999999\n" + meta: "line 2: ",
	} {
		if _, err := gitai.Parse([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(note))
	f.Fuzz(func(t *testing.T, raw []byte) {
		n, err := gitai.Parse(raw)
		if err != nil {
			return
		}
		c, _ := n.Commit(oid(t), lines(100))
		again, _ := gitai.FromCommit(c, "A <a@b>")
		for _, one := range []*gitai.Note{n, again} {
			out, err := one.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := gitai.Parse(out); err != nil {
				t.Fatalf("what was written cannot be read: %v\n%s", err, out)
			}
		}
	})
}
