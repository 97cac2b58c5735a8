package hookfile

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Handler is one of git-trace's handlers in a document, with its position: handler number Index of group number Group
// of the event.
type Handler struct {
	Event        string
	Group, Index int
	Matcher      string // "" if the group has none
	Command      string
	Timeout      int  // time limit in seconds; 0 if the handler sets none
	Async        bool // the agent does not wait for it
}

// Locate returns git-trace's handlers in the document's order.
func Locate(doc []byte, ours Ours) ([]Handler, error) {
	root, err := parse(bytes.TrimPrefix(doc, byteOrderMark))
	if err != nil {
		return nil, err
	}
	var out []Handler
	for _, h := range find(root, ours) {
		one := Handler{Event: h.event, Group: slices.Index(h.list.kids, h.group), Command: h.command}
		if !h.flat() {
			one.Index = slices.Index(h.group.get("hooks").kids, h.own)
		}
		if matcher := h.group.get("matcher"); matcher != nil {
			one.Matcher = matcher.text
		}
		if timeout := h.own.get("timeout"); timeout != nil {
			number, _ := timeout.literal.(json.Number)
			seconds, _ := number.Int64()
			one.Timeout = int(seconds)
		}
		if async := h.own.get("async"); async != nil {
			one.Async = async.literal == true
		}
		out = append(out, one)
	}
	return out, nil
}
