package testimony

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/events"
)

// The prompts of a session file from before a hook came, seen from each kind of boundary.
func TestEarlierPromptsAreCounted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name string, texts ...string) string {
		var raw string
		for i, text := range texts {
			raw += fmt.Sprintf(`{"type":"user","uuid":"u%d","sessionId":"S","cwd":"/r","timestamp":%q,"message":{"role":"user","content":%q}}`+"\n"+
				`{"type":"assistant","uuid":"a%d","parentUuid":"u%d","sessionId":"S","cwd":"/r","timestamp":%[2]q,"message":{"role":"assistant","id":"m%[4]d","content":[{"type":"text","text":"yes"}]}}`+"\n",
				i, time.Now().UTC().Format(time.RFC3339Nano), text, i, i)
		}
		path := filepath.Join(dir, name+".jsonl")
		if err := os.WriteFile(path, []byte(raw), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	two, none, torn := file("two", "first", "second"), file("none"), filepath.Join(dir, "torn.jsonl")
	if err := os.WriteFile(torn, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(kind events.BoundaryKind, id, text string) events.Boundary {
		return events.Boundary{Agent: "claude-code", Session: "S", Kind: kind, Prompt: &events.Prompt{ID: id, Text: text}}
	}
	sub := ask(events.ToolBefore, "p", "")
	sub.Subagent = "x"
	tests := map[string]struct {
		path string
		b    events.Boundary
		want int
	}{
		"a session goes on":                           {two, events.Boundary{Agent: "claude-code", Session: "S", Kind: events.SessionStart}, 2},
		"another prompt is submitted":                 {two, ask(events.PromptSubmit, "", "third"), 2},
		"the prompt that is submitted is in the file": {two, ask(events.PromptSubmit, "", "second"), 1},
		"a call tells which prompt it answers":        {two, ask(events.ToolBefore, "p", ""), 1},
		"a call does not tell":                        {two, ask(events.ToolBefore, "", ""), 2},
		"a call of a sub-agent":                       {two, sub, 2},
		"an empty file":                               {none, ask(events.PromptSubmit, "", "first"), 0},
		"a torn file":                                 {torn, ask(events.PromptSubmit, "", "first"), 0},
		"no file":                                     {filepath.Join(dir, "absent"), ask(events.PromptSubmit, "", "first"), 0},
		"an agent that nobody knows":                  {two, events.Boundary{Agent: "nobody", Session: "S", Kind: events.SessionStart}, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.b.Transcript = tt.path
			env := capability.Env{Home: dir, Getenv: os.Getenv, Environ: os.Environ}
			if got, err := earlierPrompts(t.Context(), env, tt.b); got != tt.want {
				t.Errorf("%d prompts, %v; want %d", got, err, tt.want)
			}
		})
	}
}
