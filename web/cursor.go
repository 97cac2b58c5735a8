package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// lists are the answers that are lists: where the list stands, and what names its entries.
var lists = map[string]listed{
	"log":    {"conversations", "trace"},
	"graph":  {"commits", "commit"},
	"search": {"results", "trace"},
}

type listed struct{ list, id string }

// entries takes an answer apart: its members, and its list.
func (l listed) entries(answer []byte) (all map[string]json.RawMessage, list []json.RawMessage, err error) {
	if err := json.Unmarshal(answer, &all); err != nil {
		return nil, nil, err
	}
	return all, list, json.Unmarshal(all[l.list], &list)
}

// name names an entry; "" for one that has no name.
func (l listed) name(entry json.RawMessage) (name string) {
	var of map[string]json.RawMessage
	if err := json.Unmarshal(entry, &of); err == nil {
		_ = json.Unmarshal(of[l.id], &name)
	}
	return name
}

// A list is asked for again, longer, until the entry is found after which it goes on.
const (
	firstLook = 4 // pages
	lookMore  = 4 // times as many
)

// part asks for as many entries of a list as a limit says, those after the one that is named, and whether there are
// more. The name of an entry stays true when the list gets longer at its head; the number of its place would not. Head
// are the verb and its options, tail what follows them.
func (q *question) part(
	head, tail []string, before string, limit int,
) (answer []byte, last string, more bool, err error) {
	kind := lists[head[0]]
	for n := limit + 1; ; n *= lookMore {
		if before != "" {
			n = max(n, firstLook*limit)
		}
		args := slices.Concat(head, []string{"-n", strconv.Itoa(n)}, tail)
		out, err := q.answers.get(q.ctx, nil, args...)
		if err != nil {
			return nil, "", false, err
		}
		all, list, err := kind.entries(out)
		if err != nil {
			return nil, "", false, err
		}
		whole := len(list) < n
		from := 0
		if before != "" {
			from = slices.IndexFunc(list, func(entry json.RawMessage) bool { return kind.name(entry) == before }) + 1
		}
		switch {
		case (before != "" && from == 0 || len(list) <= from+limit) && !whole:
			continue
		case before != "" && from == 0:
			return nil, "", false, fmt.Errorf("'%s' in this list: %w", before, errNotFound)
		}
		to := min(from+limit, len(list))
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

// partInto asks for a part of a list and reads it. It gives the entry after which the list goes on, "" at its end.
func (q *question) partInto(to any, head, tail []string, before string, limit int) (next string, err error) {
	answer, last, more, err := q.part(head, tail, before, limit)
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(answer, to); err != nil {
		return "", fmt.Errorf("git-trace %s: %w", head[0], err)
	}
	if !more {
		last = ""
	}
	return last, nil
}
