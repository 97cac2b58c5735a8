package ccpa

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/git-trace/git-trace/records/rawjson"
)

// The errors of a line.
var (
	ErrKind    = errors.New("unknown kind")
	ErrMissing = errors.New("a member is missing")
	ErrValue   = errors.New("a member has a value that is not allowed")
	ErrOrder   = errors.New("not in this place")
)

// Kind is the kind of a line.
type Kind string

// The kinds of lines. The last two exist since version 2.
const (
	SessionStart    Kind = "session_start"
	UserPrompt      Kind = "user_prompt"
	AssistantTurn   Kind = "assistant_turn"
	ToolResult      Kind = "tool_result"
	SessionEnd      Kind = "session_end"
	HookEvent       Kind = "hook_event"
	SkillInvocation Kind = "skill_invocation"
)

// line is a decoded line; its kind decides which fields are set.
type line struct {
	kind   Kind
	vFirst bool // "v" is before "kind"
	turn   int  // -1 if the dialect has no turns
	raw    []byte

	sessionID, ts, actor, model, commit string // session_start
	text                                string // user_prompt
	blocks                              []block
	stop                                string
	toolUse                             string // tool_result
	ok                                  bool
	content                             string
	sideEffects                         json.RawMessage
	elapsedMS, tokensIn, tokensOut      int64 // session_end
	name, source                        string
	event, matcher, decision            string // hook_event
}

// block is a part of an answer.
type block struct {
	kind  string // text, thinking, tool_use
	text  string
	id    string
	name  string
	input json.RawMessage
}

// decode decodes a line, which must be one JSON object.
func decode(raw []byte) (*line, error) {
	l := &line{turn: -1, ok: true, raw: raw}
	seen := map[string]bool{}
	v := int64(1)
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		key := string(d.Key())
		if seen[key] {
			return nil, fmt.Errorf("%w: %.40q stands twice", ErrValue, key)
		}
		l.vFirst = l.vFirst || key == "v" && !seen["kind"]
		seen[key] = true
		if !typed(key, d.Kind()) {
			return nil, fmt.Errorf("%w: %s has the wrong type", ErrValue, key)
		}
		switch key {
		case "kind":
			l.kind = Kind(d.Text())
		case "v":
			v = d.Int()
		case "turn":
			if l.turn = int(d.Int()); l.turn < 0 || l.turn > maxTurn {
				return nil, fmt.Errorf("%w: turn", ErrValue)
			}
		default:
			if err := l.member(key, d); err != nil {
				return nil, err
			}
		}
	}
	switch {
	case d.Err() != nil:
		return nil, d.Err()
	case !seen["kind"]:
		return nil, fmt.Errorf("%w: kind", ErrMissing)
	case v != 1:
		return nil, fmt.Errorf("%w: v is %d, only 1 is known", ErrValue, v)
	}
	return l, l.check(seen)
}

// `typed` reports whether a value has the type that its member requires. null is accepted as an unknown value.
func typed(key string, kind rawjson.Kind) bool {
	var want rawjson.Kind
	switch key {
	case "v", "turn", "elapsed_ms", "tokens_in", "tokens_out":
		want = rawjson.Number
	case "ok", "is_error":
		want = rawjson.Bool
	case "blocks":
		return kind == rawjson.Array
	case "kind", "session_id", "ts", "actor", "model", "git_commit", "text", "stop_reason", "reason", "tool_use_id",
		"content", "name", "skill_name", "source", "event", "matcher", "decision":
		want = rawjson.String
	default:
		return true
	}
	return kind == want || kind == rawjson.Null || kind == rawjson.None
}

// maxTurn limits the numbers of turns.
const maxTurn = 1 << 30

func (l *line) member(key string, d *rawjson.Decoder) error {
	switch key {
	case "session_id":
		l.sessionID = d.Text()
	case "ts":
		l.ts = d.Text()
	case "actor":
		l.actor = d.Text()
	case "model":
		l.model = d.Text()
	case "git_commit":
		l.commit = d.Text()
	case "text":
		l.text = d.Text()
	case "blocks":
		return l.readBlocks(d.Raw())
	case "stop_reason", "reason":
		l.stop = d.Text()
	case "tool_use_id":
		l.toolUse = d.Text()
	case "ok":
		l.ok = d.Bool()
	case "is_error":
		l.ok = !d.Bool()
	case "content":
		l.content = d.Text()
	case "side_effects":
		l.sideEffects = append(json.RawMessage(nil), d.Raw()...)
	case "elapsed_ms":
		l.elapsedMS = d.Int()
	case "tokens_in":
		l.tokensIn = d.Int()
	case "tokens_out":
		l.tokensOut = d.Int()
	case "name", "skill_name":
		l.name = d.Text()
	case "source":
		l.source = d.Text()
	case "event":
		l.event = d.Text()
	case "matcher":
		l.matcher = d.Text()
	case "decision":
		l.decision = d.Text()
	}
	return nil
}

func (l *line) readBlocks(raw []byte) error {
	d := rawjson.NewDecoder(raw)
	for d.OpenArray(); d.Element(); {
		var b block
		if d.Kind() != rawjson.Object {
			return fmt.Errorf("%w: a block is not an object", ErrValue)
		}
		for d.Open(); d.Member(); {
			switch string(d.Key()) {
			case "input":
				b.input = append(json.RawMessage(nil), d.Raw()...)
			default:
				d.Take("type", &b.kind, "text", &b.text, "thinking", &b.text, "id", &b.id, "name", &b.name)
			}
		}
		switch b.kind {
		case "text", "thinking":
		case "tool_use":
			if b.id == "" || b.name == "" || len(b.input) == 0 || b.input[0] != '{' {
				return fmt.Errorf("%w: a tool_use needs id, name and input", ErrMissing)
			}
		default:
			return fmt.Errorf("%w: a block of type %.40q", ErrValue, b.kind)
		}
		l.blocks = append(l.blocks, b)
	}
	return d.Err()
}

// `required` returns the members that a line of this kind must have in both dialects.
func (l *line) required() ([]string, error) {
	switch l.kind {
	case SessionStart:
		return []string{"session_id"}, nil
	case UserPrompt:
		return []string{"text"}, nil
	case AssistantTurn:
		return []string{"blocks", "stop_reason"}, nil
	case ToolResult:
		return []string{"tool_use_id", "content", "ok|is_error"}, nil
	case SessionEnd:
		return []string{"stop_reason|reason"}, nil
	case HookEvent:
		return []string{"event|hook_name"}, nil
	case SkillInvocation:
		return []string{"name|skill_name"}, nil
	}
	return nil, fmt.Errorf("%w: %.40q", ErrKind, string(l.kind))
}

func (l *line) check(seen map[string]bool) error {
	names, err := l.required()
	if err != nil {
		return err
	}
	for _, name := range names {
		if !anyOf(seen, name) {
			return fmt.Errorf("%w: %s has no %s", ErrMissing, l.kind, name)
		}
	}
	if l.kind == AssistantTurn && len(l.blocks) == 0 {
		return fmt.Errorf("%w: assistant_turn has no blocks", ErrValue)
	}
	if l.kind == SessionStart && l.sessionID == "" {
		return fmt.Errorf("%w: session_id is empty", ErrValue)
	}
	return nil
}

// anyOf reports whether one of the names, which are separated by |, was present.
func anyOf(seen map[string]bool, names string) bool {
	start := 0
	for i := 0; i <= len(names); i++ {
		if i == len(names) || names[i] == '|' {
			if seen[names[start:i]] {
				return true
			}
			start = i + 1
		}
	}
	return false
}
