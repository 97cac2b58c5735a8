package hookfile

import (
	"bytes"
	"slices"
	"strings"
)

// Remove returns the document without git-trace's entries, and the events that had one. The document is nil if Install
// made the whole file.
func Remove(doc []byte, ours Ours) (out []byte, changed []string, err error) {
	body, marked := bytes.CutPrefix(doc, byteOrderMark)
	root, err := parse(body)
	if err != nil {
		return nil, nil, err
	}
	all := func(root *node) []handler { return find(root, ours) }
	for _, h := range all(root) {
		changed = appendNew(changed, h.event)
	}
	if len(changed) == 0 {
		return doc, nil, nil
	}
	first := body[0]
	if body, err = removeAll(body, all); err != nil {
		return nil, nil, err
	}
	body = withoutRest(body)
	if marked {
		return append(slices.Clone(byteOrderMark), body...), changed, nil
	}
	// In a new file, the object is first and has one newline after it; in a file that was blank, the object follows the
	// white space.
	if first == '{' && (string(body) == "\n" || string(body) == "\r\n") {
		return nil, changed, nil
	}
	return append([]byte{}, body...), changed, nil // never nil: the file existed and was blank
}

// withoutRest removes the rest of an object that Install made in the flat form.
func withoutRest(doc []byte) []byte {
	root, err := parse(doc)
	if err != nil || root == nil || strings.ReplaceAll(string(doc[root.start:root.end]), "\r\n", "\n") != flatRest {
		return doc
	}
	return slices.Concat(doc[:root.start], doc[root.end:])
}

// removeAll removes the handlers that the function `which` returns, one after the other, because each removal changes
// the positions of the others.
func removeAll(doc []byte, which func(root *node) []handler) ([]byte, error) {
	for {
		root, err := parse(doc)
		if err != nil {
			return nil, err
		}
		found := which(root)
		if len(found) == 0 {
			return doc, nil
		}
		doc = found[0].remove(doc, root)
	}
}

// remove deletes a handler, and the containers that become empty. A group that Install made has no use without its
// handler; an array or object is removed only if Install made it.
func (h handler) remove(doc []byte, root *node) []byte {
	if handlers := h.group.get("hooks"); !h.flat() && len(handlers.kids) > 1 {
		return cut(doc, handlers, h.own)
	}
	if len(h.list.kids) > 1 || !ownLines(doc, h.list) {
		return cut(doc, h.list, h.group)
	}
	hooks := parentOf(root, h.list)
	if len(hooks.kids) > 1 || !ownLines(doc, hooks) {
		return cut(doc, hooks, h.list)
	}
	if len(root.kids) > 1 || !ownLines(doc, root) {
		return cut(doc, root, hooks)
	}
	return slices.Concat(doc[:root.start], doc[root.end:])
}

// parentOf returns the root's member "hooks" that contains the list of an event.
func parentOf(root, list *node) *node {
	for _, hooks := range members(root, "hooks") {
		if slices.Contains(hooks.kids, list) {
			return hooks
		}
	}
	return root
}

// ownLines reports whether the content of a container begins on a separate line.
func ownLines(doc []byte, container *node) bool {
	return strings.Contains(string(doc[container.start+1:container.kids[0].from]), "\n")
}

// cut deletes a member with its comma: the comma before it or, for the first member, the comma after it.
func cut(doc []byte, container, kid *node) []byte {
	at := slices.Index(container.kids, kid)
	from, to := kid.from, kid.end
	switch {
	case at > 0:
		from = container.kids[at-1].end
	case len(container.kids) > 1:
		to = container.kids[1].from
	}
	return slices.Concat(doc[:from], doc[to:])
}
