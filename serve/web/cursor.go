package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// lists describes the answers that have a list, with the member that holds the list, and the member that names an
// entry.
var lists = map[string]listed{
	"log":    {"conversations", "trace"},
	"graph":  {"commits", "commit"},
	"search": {"results", "trace"},
}

type listed struct{ list, id string }

// entries splits an answer into its members and its list.
func (l listed) entries(answer []byte) (all map[string]json.RawMessage, list []json.RawMessage, err error) {
	if err := json.Unmarshal(answer, &all); err != nil {
		return nil, nil, err
	}
	return all, list, json.Unmarshal(all[l.list], &list)
}

// name returns the name of an entry; "" if the entry has none.
func (l listed) name(entry json.RawMessage) (name string) {
	var of map[string]json.RawMessage
	if err := json.Unmarshal(entry, &of); err == nil {
		_ = json.Unmarshal(of[l.id], &name)
	}
	return name
}

// The list is requested again with more entries until it has the entry before the wanted part.
const (
	firstLook = 4 // number of pages in the first request
	lookMore  = 4 // factor for each further request
)

// wanted is a part of a list: the arguments of the command, the entry before the part, and the number of entries.
type wanted struct {
	head, tail []string // the verb and its options, and the words after them
	before     string
	limit      int
	keep       func(entry json.RawMessage) bool // selects entries; nil: all
}

// part requests a part of a list, and reports whether more entries follow. A part starts after a named entry: the name
// stays right when the list grows at its head, an index would not.
func (q *question) part(w wanted) (answer []byte, last string, more bool, err error) {
	kind := lists[w.head[0]]
	for n := w.limit + 1; ; n *= lookMore {
		if w.before != "" || w.keep != nil {
			n = max(n, firstLook*w.limit)
		}
		args := slices.Concat(w.head, []string{"-n", strconv.Itoa(n)}, w.tail)
		out, err := q.answers.get(q.ctx, nil, args...)
		if err != nil {
			return nil, "", false, err
		}
		all, list, err := kind.entries(out)
		if err != nil {
			return nil, "", false, err
		}
		whole := len(list) < n
		if w.keep != nil {
			list = slices.DeleteFunc(list, func(entry json.RawMessage) bool { return !w.keep(entry) })
		}
		from := 0
		if w.before != "" {
			from = slices.IndexFunc(list, func(entry json.RawMessage) bool { return kind.name(entry) == w.before }) + 1
		}
		switch {
		case (w.before != "" && from == 0 || len(list) <= from+w.limit) && !whole:
			continue
		case w.before != "" && from == 0:
			return nil, "", false, fmt.Errorf("entry '%s' of this list: %w", w.before, errNotFound)
		}
		to := min(from+w.limit, len(list))
		if to > from {
			last = kind.name(list[to-1])
		}
		if all[kind.list], err = json.Marshal(list[from:to]); err != nil {
			return nil, "", false, err
		}
		answer, err = json.Marshal(all)
		return answer, last, to < len(list), err
	}
}

// partInto requests and decodes a part of a list. The result `next` is the entry before the following part; "" at the
// end of the list.
func (q *question) partInto(to any, w wanted) (next string, err error) {
	answer, last, more, err := q.part(w)
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(answer, to); err != nil {
		return "", fmt.Errorf("git-trace %s: %w", w.head[0], err)
	}
	if !more {
		last = ""
	}
	return last, nil
}

// keeping makes a filter of JSON entries from a filter of decoded ones; nil if the parameter `asked` is false.
func keeping[T any](asked bool, keep func(*T) bool) func(json.RawMessage) bool {
	if !asked {
		return nil
	}
	return func(entry json.RawMessage) bool {
		var of T
		return json.Unmarshal(entry, &of) == nil && keep(&of)
	}
}
