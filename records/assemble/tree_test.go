package assemble_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
)

// move is a line of a session file with a tree: a prompt if it is in capitals, otherwise an answer. "<2" takes the last
// two prompts back, "<x" the line x and what follows.
type move struct{ id, parent string }

func play(t *testing.T, moves []move, cut int) *records.Record {
	t.Helper()
	c, sink := begin(assemble.Options{})
	for i, m := range moves {
		if i == cut && cut > 0 { // the file has grown since
			cursor, err := c.Cursor(int64(i), int64(i))
			must(t, err)
			kept := &records.Collector{Steps: sink.Steps[:cursor.Steps]}
			if c, err = assemble.Resume(kept, assemble.Options{Agent: "agent", Session: "s", TraceID: "t"}, cursor); err != nil {
				t.Fatal(err)
			}
			sink = kept
			for at := range moves[cursor.Offset:i] {
				take(t, c, int(cursor.Offset)+at, moves[int(cursor.Offset)+at])
			}
		}
		take(t, c, i, m)
	}
	return finish(t, c, sink)
}

func take(t *testing.T, c *assemble.Conversation, i int, m move) {
	t.Helper()
	at := records.Locator{Offset: int64(i), Line: int64(i) + 1, ID: m.id}
	switch {
	case m.id[0] == '<':
		c.Begin("")
		var turns int64
		if n, _ := fmt.Sscanf(m.id, "<%d", &turns); n == 1 {
			c.BackTurns(turns)
		} else {
			c.Back(m.id[1:])
		}
		c.Take()
		return
	case !c.Begin(m.id):
		t.Fatal("a line twice")
	}
	if m.parent != "-" {
		c.Hang(m.parent)
	}
	if m.id[0] >= 'A' && m.id[0] <= 'Z' {
		must(t, c.Settle(), c.Prompt(assemble.Prompt{At: at, Text: m.id}))
	} else {
		must(t, c.Answer(assemble.Answer{At: at, Text: m.id}))
	}
	c.Take()
}

// linear is a file without parents of lines.
func linear(ids ...string) (moves []move) {
	for _, id := range ids {
		moves = append(moves, move{id, "-"})
	}
	return moves
}

func TestStepsThatWereTakenBackAreBranches(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		moves []move
		want  string
	}{
		"nothing is taken back":                {linear("A", "a", "B", "b"), `null`},
		"the last turn":                        {linear("A", "a", "B", "b", "<1", "C", "c"), `[{"from_step":2,"steps":[3,4]}]`},
		"the last turn, and nothing follows":   {linear("A", "a", "B", "b", "<1"), `[{"from_step":2,"steps":[3,4]}]`},
		"more turns than there are":            {linear("A", "a", "B", "b", "<9", "C"), `[{"from_step":0,"steps":[1,2,3,4]}]`},
		"a named line":                         {linear("A", "a", "B", "b", "<B", "C", "c"), `[{"from_step":2,"steps":[3,4]}]`},
		"a line that is not there":             {linear("A", "a", "<x", "B"), `null`},
		"twice, each after the other":          {linear("A", "a", "B", "b", "<1", "C", "c", "<1", "D"), `[{"from_step":2,"steps":[3,4]},{"from_step":2,"steps":[5,6]}]`},
		"a person goes back in a tree":         {[]move{{"A", ""}, {"a", "A"}, {"B", "a"}, {"b", "B"}, {"C", "a"}, {"c", "C"}}, `[{"from_step":2,"steps":[3,4]}]`},
		"a branch of a branch":                 {[]move{{"A", ""}, {"a", "A"}, {"B", "a"}, {"b", "B"}, {"C", "b"}, {"D", "b"}, {"E", "a"}}, `[{"from_step":2,"steps":[3,4,6]},{"from_step":4,"steps":[5]}]`},
		"a person goes on with the old branch": {[]move{{"A", ""}, {"a", "A"}, {"B", "a"}, {"b", "B"}, {"C", "a"}, {"D", "b"}}, `[{"from_step":2,"steps":[5]}]`},
		"an answer that was asked for twice":   {[]move{{"A", ""}, {"a", "A"}, {"b", "A"}, {"C", "b"}}, `null`},
		"a root of its own":                    {[]move{{"A", ""}, {"a", "A"}, {"B", ""}, {"b", "B"}}, `null`},
		"a parent that could not be read":      {[]move{{"A", ""}, {"a", "A"}, {"B", "lost"}, {"b", "B"}}, `null`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for cut := range c.moves {
				got, err := json.Marshal(play(t, c.moves, cut).Branches())
				if err != nil || string(got) != c.want {
					t.Errorf("cut at %d: the branches are %s, want %s", cut, got, c.want)
				}
			}
		})
	}
}

func TestTheEndOfAnAnswerIsToldWhereItIsNotTheUsualOne(t *testing.T) {
	t.Parallel()
	c, sink := begin(assemble.Options{})
	for i, stop := range []string{"end_turn", "stop", "max_tokens", "length", "content-filter", "pause_turn", "bad\nword", "", "tool_use"} {
		must(t, c.Answer(assemble.Answer{At: records.Locator{Offset: int64(i)}, Text: "x", Stop: stop}))
	}
	r := finish(t, c, sink)
	if got, want := string(r.Metadata["stop_reasons"]), `[{"step":3,"reason":"max_tokens"},{"step":4,"reason":"max_tokens"},`+
		`{"step":5,"reason":"refusal"},{"step":6,"reason":"pause_turn"}]`; got != want {
		t.Errorf("the reasons are %s, want %s", got, want)
	}
}
