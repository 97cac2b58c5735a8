package hookfile

import (
	"encoding/json"
	"slices"
)

// Entry is a hook entry in its expected form.
type Entry struct {
	Event   string
	Matcher string // omitted if empty; "*" for tool events
	Command string
	Timeout int // time limit in the agent's unit
	Form    Form
}

// Form is the form of an agent's handlers.
type Form int

// The forms of handlers.
const (
	Grouped Form = iota // handlers in a group, which has the matcher: Claude Code and similar agents
	Flat                // directly in the list of the event: Cursor
	Listed              // like Flat, but without a time limit, in a document without a version: Windsurf
)

// Ours reports whether a command belongs to git-trace, in any version and at any path.
type Ours func(command string) bool

// handler is a command in the file that belongs to git-trace.
type handler struct {
	event   string
	list    *node // the event's array
	group   *node // the object with matcher and hooks; without groups, the handler itself
	own     *node // the handler itself
	command string
}

// find returns git-trace's handlers in the document's order.
func find(root *node, ours Ours) []handler {
	var found []handler
	for _, hooks := range members(root, "hooks") {
		for _, list := range kids(hooks, '{') {
			for _, group := range kids(list, '[') {
				if command := group.get("command"); command != nil && command.kind == '"' && ours(command.text) {
					found = append(found, handler{event: list.key, list: list, group: group, own: group, command: command.text})
				}
				for _, own := range kids(group.get("hooks"), '[') {
					if command := own.get("command"); command != nil && command.kind == '"' && ours(command.text) {
						found = append(found, handler{event: list.key, list: list, group: group, own: own, command: command.text})
					}
				}
			}
		}
	}
	return found
}

// members returns every value of a key, even if the key is repeated.
func members(n *node, key string) []*node {
	return slices.DeleteFunc(slices.Clone(kids(n, '{')), func(kid *node) bool { return kid.key != key })
}

func kids(n *node, kind byte) []*node {
	if n == nil || n.kind != kind {
		return nil
	}
	return n.kids
}

// `current` reports whether a handler matches the entry: it runs for every tool, the agent waits for it, and nothing
// prevents it from running. A time limit and a message that the user chose are accepted.
func (h handler) current(entry Entry) bool {
	if h.command != entry.Command || h.flat() != (entry.Form != Grouped) {
		return false
	}
	for _, kid := range h.matched() {
		switch kid.key {
		case "hooks":
		case "matcher":
			if kid.kind != '"' || (kid.text != "" && kid.text != "*") {
				return false
			}
		default:
			return false
		}
	}
	limited := false
	for _, kid := range h.own.kids {
		switch kid.key {
		case "command", "statusMessage":
		case "type":
			if kid.text != "command" {
				return false
			}
		case "timeout":
			number, _ := kid.literal.(json.Number)
			seconds, err := number.Float64()
			limited = err == nil && seconds >= 1
		default:
			return false
		}
	}
	return (limited || entry.Form == Listed) && (h.flat() || h.own.get("type") != nil)
}

func (h handler) flat() bool { return h.group == h.own }

// `matched` returns the members that say when the handlers of a group run.
func (h handler) matched() []*node {
	if h.flat() {
		return nil
	}
	return h.group.kids
}

// `sorted` splits git-trace's handlers into the ones to keep, one for each event, and the others.
func sorted(found []handler, entries []Entry) (keep map[string]handler, rest []handler) {
	keep = make(map[string]handler)
	for _, h := range found {
		at := slices.IndexFunc(entries, func(e Entry) bool { return e.Event == h.event })
		if _, taken := keep[h.event]; at < 0 || taken || !h.current(entries[at]) {
			rest = append(rest, h)
			continue
		}
		keep[h.event] = h
	}
	return keep, rest
}
