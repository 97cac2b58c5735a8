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

// names are the entries of an answer.
func (l listed) names(answer []byte) []string {
	var all map[string]json.RawMessage
	var list []json.RawMessage
	if err := json.Unmarshal(answer, &all); err == nil {
		_ = json.Unmarshal(all[l.list], &list) // what is no list has no entries
	}
	ids := make([]string, len(list))
	for i, entry := range list {
		var of map[string]json.RawMessage
		if err := json.Unmarshal(entry, &of); err == nil {
			_ = json.Unmarshal(of[l.id], &ids[i])
		}
	}
	return ids
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
		var all map[string]json.RawMessage
		var list []json.RawMessage
		if err := json.Unmarshal(out, &all); err != nil {
			return nil, "", false, err
		}
		if err := json.Unmarshal(all[kind.list], &list); err != nil {
			return nil, "", false, err
		}
		whole := len(list) < n
		ids := kind.names(out)
		from := 0
		if before != "" {
			from = slices.Index(ids, before) + 1
		}
		switch {
		case (before != "" && from == 0 || len(list) <= from+limit) && !whole:
			continue
		case before != "" && from == 0:
			return nil, "", false, fmt.Errorf("'%s' in this list: %w", before, errNotFound)
		}
		to := min(from+limit, len(list))
		if to > from {
			last = ids[to-1]
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
