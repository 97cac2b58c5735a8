package foreign

import (
	"errors"
	"testing"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
)

// The limit of steps counts for whoever takes the last one: prompts and what a client says are steps, as answers are.
func TestNoConversationHasMoreStepsThanTheLimit(t *testing.T) {
	t.Parallel()
	for name, take := range map[string]func(*Talk) error{
		"prompt":        func(t *Talk) error { return t.User("go on", "", "") },
		"system":        func(t *Talk) error { return t.System("context was cut", "") },
		"answer":        func(t *Talk) error { return t.Agent(assemble.Answer{Text: "done"}) },
		"of a subagent": func(t *Talk) error { return t.Sub("", "s", "explorer").User("look", "", "") },
	} {
		talk := Begin(&Document{Raw: []byte("{}")}, Origin{Format: "messages"})
		talk.made = records.MaxSteps - 1
		if err := take(talk); err != nil {
			t.Errorf("%s: the last step that is allowed: %v", name, err)
		}
		if err := take(talk); !errors.Is(err, records.ErrSteps) {
			t.Errorf("%s: one step too many: %v", name, err)
		}
	}
}
