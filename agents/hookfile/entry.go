package hookfile

import (
	"encoding/json"
	"slices"
)

// Entry is one hook entry as it shall be.
type Entry struct {
	Event   string
	Matcher string // written only when not empty: "*" for events of tools
	Command string
	Timeout int // in the unit of the agent
	Form    Form
}

// Form is the form of an agent's handlers.
type Form int

// The forms.
const (
	Grouped Form = iota // in the list of a group, which has the matcher: Claude Code and its relatives
	Flat                // directly in the list of the event: Cursor
	Listed              // as Flat, without a time limit, in a document without a version: Windsurf
)

// Ours reports whether a command is ours, of any version and from any place.
type Ours func(command string) bool

// handler is one command of the file that is ours.
type handler struct {
	event   string
	list    *node // the event's array
	group   *node // the object with matcher and hooks; without groups, the handler itself
	own     *node // the handler itself
	command string
}

// find lists the handlers that are ours, in the document's order.
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

// members lists every value of a key, also of a repeated one.
func members(n *node, key string) []*node {
	return slices.DeleteFunc(slices.Clone(kids(n, '{')), func(kid *node) bool { return kid.key != key })
}

func kids(n *node, kind byte) []*node {
	if n == nil || n.kind != kind {
		return nil
	}
	return n.kids
}

// current reports whether a handler is as the entry wants it: it runs for every tool, is waited for, and nothing
// keeps it from running. A time limit and a message that the user chose are respected.
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

// matched returns the members that say when the handlers of a group run.
func (h handler) matched() []*node {
	if h.flat() {
		return nil
	}
	return h.group.kids
}

// sorted splits our handlers into the ones to keep (one for each event) and the others.
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
