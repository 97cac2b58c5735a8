package copilotvscode

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"

	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/agents/transcript"
)

// open opens a chat in any of its forms.
func open(path, session string) (sessionfile.File, error) {
	tail, err := transcript.Open(path)
	if err != nil {
		return nil, err
	}
	first, err := jsonlines.NewReader(io.LimitReader(tail.From(0), jsonlines.MaxLine), 0, 0).Next()
	raw := bytes.Clone(first.Raw)
	_ = tail.Close()
	switch {
	case err == nil && isJournal(raw):
		return openJournal(path)
	case err == nil && isEvent(raw):
		return sessionfile.Lines(path, session)
	}
	return sessionfile.Document(path, "requests")
}

// maxJournal is the greatest size of a journal, in bytes; the whole journal is kept in memory.
const maxJournal = 128 << 20

// errTooLarge reports a journal that is larger than maxJournal. Such a journal is not read.
var errTooLarge = errors.New("the journal of the chat is too large")

// journal is a document that is stored as a list of changes.
type journal struct {
	sessionfile.Counted // the document's other members, then its requests
}

// openJournal applies the changes of a journal in order.
func openJournal(path string) (sessionfile.File, error) {
	tail, err := transcript.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tail.Close() }()
	if tail.Size() > maxJournal {
		return nil, errTooLarge
	}
	in := jsonlines.NewReader(tail.From(0), 0, 0)
	var document any
	j := &journal{}
	for {
		object, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if !change(&document, object.Raw) {
			j.Faults.Broken++
		}
	}
	j.Faults.Add(in.Faults())
	return j, j.take(document)
}

// `take` sets the objects of the document: its other members, then its requests.
func (j *journal) take(document any) error {
	members, _ := document.(map[string]any)
	requests, _ := members["requests"].([]any)
	delete(members, "requests")
	delete(members, "inputState")
	for _, one := range append([]any{members}, requests...) {
		if _, is := one.(map[string]any); !is {
			j.Faults.NotObject++
			continue
		}
		raw, err := json.Marshal(one)
		if err != nil {
			return err
		}
		j.Objects = append(j.Objects, raw)
	}
	return nil
}

// changed is one line of a journal.
type changed struct {
	Kind  *int  `json:"kind"` // 0: the whole document, 1: a set value, 2: list elements, 3: a removed value
	Keys  []any `json:"k"`
	Value any   `json:"v"`
	At    *int  `json:"i"` // index from which list elements replace the list
}

// maxDepth is the greatest depth of a change.
const maxDepth = 64

// change applies one change; false if that is impossible.
func change(document *any, raw []byte) bool {
	var c changed
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&c) != nil || c.Kind == nil || len(c.Keys) > maxDepth {
		return false
	}
	if *c.Kind == 0 {
		*document = c.Value
		return true
	}
	if len(c.Keys) == 0 {
		return false
	}
	next, made := c.within(*document, c.Keys)
	if made {
		*document = next
	}
	return made
}

// `within` applies a change inside a value and returns the new value.
func (c *changed) within(value any, keys []any) (any, bool) {
	if len(keys) == 0 {
		return c.apply(value)
	}
	switch of := value.(type) {
	case map[string]any:
		key, is := keys[0].(string)
		if !is {
			return nil, false
		}
		if len(keys) == 1 && *c.Kind == 3 {
			delete(of, key)
			return of, true
		}
		next, made := c.within(of[key], keys[1:])
		if made {
			of[key] = next
		}
		return of, made
	case []any:
		number, is := keys[0].(json.Number)
		at, err := strconv.Atoi(string(number))
		if !is || err != nil || at < 0 || at >= len(of) {
			return nil, false
		}
		next, made := c.within(of[at], keys[1:])
		if made {
			of[at] = next
		}
		return of, made
	}
	return nil, false
}

func (c *changed) apply(value any) (any, bool) {
	switch *c.Kind {
	case 1:
		return c.Value, true
	case 2:
		list, _ := value.([]any)
		if c.At != nil && *c.At >= 0 && *c.At <= len(list) {
			list = list[:*c.At]
		}
		more, _ := c.Value.([]any)
		return append(list, more...), true
	}
	return nil, false
}
