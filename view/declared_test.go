package view

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"
)

func TestACallDeclaresItsChange(t *testing.T) {
	t.Parallel()
	inside := func(path string) string { return path[len("/w/"):] }
	list := Declares(json.RawMessage(`{"file_path": "/w/a.go", "old_string": "one\ntwo", "new_string": "one\nthree\nfour"}`), inside)
	if len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	d := list[0]
	if d.Path != "a.go" || d.Whole || d.Added != 2 || d.Removed != 1 || !slices.Equal(d.Going(), []string{"two"}) ||
		!slices.Equal(d.Coming(), []string{"three", "four"}) || d.LineOf([]byte("four\r")) != 3 || d.LineOf([]byte("one")) != 0 {
		t.Errorf("%+v: %q, %q", d, d.Going(), d.Coming())
	}
	list = Declares(json.RawMessage(`{"path": "/w/b.go", "diff": "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE"}`), inside)
	if len(list) != 1 || list[0].Added != 1 || list[0].Path != "b.go" {
		t.Errorf("%+v", list)
	}
	whole := Declares(json.RawMessage(`{"file_path": "/w/c.go", "content": "x\n"}`), inside)
	if len(whole) != 1 || !whole[0].Whole || whole[0].Removed != 0 {
		t.Errorf("%+v", whole)
	}
	for _, input := range []string{`{}`, `{"command": "make"}`, `{"file_path": "/w/a", "old_string": "x", "new_string": "x"}`} {
		if list := Declares(json.RawMessage(input), inside); len(list) > 0 {
			t.Errorf("%s: %+v", input, list)
		}
	}
	if Declares(json.RawMessage(`{"file_path": "`+string(make([]byte, mostDeclaredBytes))+`"}`), inside) != nil {
		t.Error("a very long input")
	}
	if !IsCommand(json.RawMessage(`{"cmd": "x"}`)) || IsCommand(json.RawMessage(`{"path": "x"}`)) {
		t.Error("commands")
	}
}

func TestTimeIsTakenBetweenMoments(t *testing.T) {
	t.Parallel()
	now := time.Now()
	later := now.Add(time.Minute)
	turn, asked := Turn{}, Asked{}
	if turn.Took() != 0 || asked.Took() != 0 || Between(&now, nil) != 0 {
		t.Error("an unknown moment takes time")
	}
	turn.Time, turn.Ended, asked.Time, asked.Ended = &now, &later, &now, &later
	if turn.Took() != time.Minute || asked.Took() != time.Minute {
		t.Error(turn.Took(), asked.Took())
	}
	if err := (&CacheError{errTorn}); err.Error() == "" || !errors.Is(err, errTorn) {
		t.Error(err)
	}
}

var errTorn = json.Unmarshal([]byte("{"), new(int))
