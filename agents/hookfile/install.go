package hookfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

var byteOrderMark = []byte("\xEF\xBB\xBF")

// Install returns the document with every entry present once, and the events whose entries changed. A nil document
// means a missing file.
func Install(doc []byte, entries []Entry, ours Ours) (out []byte, changed []string, err error) {
	fresh := doc == nil
	body, marked := bytes.CutPrefix(doc, byteOrderMark)
	root, err := parse(body)
	if err != nil {
		return nil, nil, err
	}
	if err := checkShape(root, entries); err != nil {
		return nil, nil, err
	}
	keep, rest := sorted(find(root, ours), entries)
	var missing []Entry
	for _, entry := range entries {
		if _, there := keep[entry.Event]; !there {
			missing = append(missing, entry)
			changed = append(changed, entry.Event)
		}
	}
	for _, old := range rest {
		changed = appendNew(changed, old.event)
	}
	if len(changed) == 0 {
		return doc, nil, nil
	}
	style := styleOf(body, root)
	if body, missing, err = style.renew(body, missing, entries, ours); err != nil {
		return nil, nil, err
	}
	body, err = removeAll(body, func(root *node) []handler {
		_, rest := sorted(find(root, ours), entries)
		return rest
	})
	if err != nil {
		return nil, nil, err
	}
	if body, err = style.insert(body, missing); err != nil {
		return nil, nil, err
	}
	if fresh {
		body = append(body, style.newline...)
	}
	if marked {
		body = append(slices.Clone(byteOrderMark), body...)
	}
	return body, changed, nil
}

// checkShape returns an error if the entries cannot be added to a document.
func checkShape(root *node, entries []Entry) error {
	if root == nil {
		return nil
	}
	if root.kind != '{' {
		return fmt.Errorf("%w: the document is not an object", ErrShape)
	}
	hooks := root.get("hooks")
	if hooks == nil {
		return nil
	}
	if hooks.kind != '{' {
		return fmt.Errorf("%w: \"hooks\" is not an object", ErrShape)
	}
	for _, entry := range entries {
		if list := hooks.get(entry.Event); list != nil && list.kind != '[' {
			return fmt.Errorf("%w: \"hooks\".%q is not an array", ErrShape, entry.Event)
		}
	}
	return nil
}

// style is the layout of a document.
type style struct{ newline, indent string }

func styleOf(doc []byte, root *node) style {
	s := style{newline: "\n", indent: "  "}
	if bytes.Contains(doc, []byte("\r\n")) {
		s.newline = "\r\n"
	}
	if root != nil && len(root.kids) > 0 {
		space := string(doc[root.start+1 : root.kids[0].from])
		if at := strings.LastIndexByte(space, '\n'); at >= 0 && at+1 < len(space) {
			s.indent = space[at+1:]
		}
	}
	return s
}

func (s style) insert(doc []byte, entries []Entry) ([]byte, error) {
	for len(entries) > 0 {
		root, err := parse(doc)
		if err != nil {
			return nil, err
		}
		hooks := root.get("hooks")
		switch {
		case root == nil:
			return slices.Concat(doc, []byte(s.document(entries))), nil
		case hooks == nil:
			return s.add(doc, root, 1, member("hooks", s.hooks(entries))), nil
		}
		entry := entries[0]
		entries = entries[1:]
		if list := hooks.get(entry.Event); list != nil {
			doc = s.add(doc, list, 3, s.group(3, entry))
		} else {
			doc = s.add(doc, hooks, 2, s.list(entry))
		}
	}
	return doc, nil
}

// renew replaces stale entries with missing ones. It returns the missing entries for which there was no stale one.
func (s style) renew(doc []byte, missing, entries []Entry, ours Ours) ([]byte, []Entry, error) {
	var left []Entry
	for _, entry := range missing {
		root, err := parse(doc)
		if err != nil {
			return nil, nil, err
		}
		_, rest := sorted(find(root, ours), entries)
		at := slices.IndexFunc(rest, func(h handler) bool {
			return h.event == entry.Event && (h.flat() || len(h.group.get("hooks").kids) == 1)
		})
		if at < 0 {
			left = append(left, entry)
			continue
		}
		group := rest[at].group
		doc = slices.Concat(doc[:group.start], []byte(s.group(3, entry)), doc[group.end:])
	}
	return doc, left, nil
}

// add inserts text after the last member of a container, or directly after the bracket of an empty one.
func (s style) add(doc []byte, container *node, depth int, text string) []byte {
	at := container.start + 1
	if n := len(container.kids); n > 0 {
		at = container.kids[n-1].end
		text = "," + s.line(depth) + text
	}
	return slices.Concat(doc[:at], []byte(text), doc[at:])
}

func (s style) line(depth int) string { return s.newline + strings.Repeat(s.indent, depth) }

// The parts of a new entry. The content of each container is on separate lines.

func member(key, value string) string { return text(key) + ": " + value }

func (s style) object(depth int, members ...string) string {
	return "{" + s.line(depth+1) + strings.Join(members, ","+s.line(depth+1)) + s.line(depth) + "}"
}

func (s style) array(depth int, element string) string {
	return "[" + s.line(depth+1) + element + s.line(depth) + "]"
}

func (s style) hooks(entries []Entry) string {
	lists := make([]string, len(entries))
	for i, entry := range entries {
		lists[i] = s.list(entry)
	}
	return s.object(1, lists...)
}

func (s style) list(entry Entry) string {
	return member(entry.Event, s.array(2, s.group(3, entry)))
}

// flatRest is the rest of an object that Install made in the flat form. The space after the opening bracket marks it:
// when people put a bracket on its own line, no space follows.
const flatRest = "{ \"version\": 1\n}"

// document returns a whole document. In the flat form, it has a version.
func (s style) document(entries []Entry) string {
	hooks := member("hooks", s.hooks(entries))
	if entries[0].Form == Flat {
		return "{ " + member("version", "1") + "," + s.line(1) + hooks + s.line(0) + "}"
	}
	return s.object(0, hooks)
}

func (s style) group(depth int, entry Entry) string {
	if entry.Form == Listed {
		return s.object(depth, member("command", text(entry.Command)))
	}
	if entry.Form == Flat {
		return s.object(depth, member("command", text(entry.Command)), member("timeout", fmt.Sprint(entry.Timeout)))
	}
	handler := s.object(depth+2,
		member("type", text("command")),
		member("command", text(entry.Command)),
		member("timeout", fmt.Sprint(entry.Timeout)))
	members := []string{member("hooks", s.array(depth+1, handler))}
	if entry.Matcher != "" {
		members = slices.Insert(members, 0, member("matcher", text(entry.Matcher)))
	}
	return s.object(depth, members...)
}

// text returns a JSON string without HTML escapes.
func text(s string) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string into a buffer: no error is possible
	return strings.TrimSuffix(out.String(), "\n")
}
