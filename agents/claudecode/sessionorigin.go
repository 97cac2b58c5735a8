package claudecode

import (
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/transcript"
)

// hints holds signs of the session that a file belongs to, from its first lines and its end.
type hints struct {
	sessions []string // the sessions that the first lines name as their own
	origins  []string // the sessions that the first lines were copied from
	last     string
	copied   string // the id of the first answer, if Claude Code 1.0 wrote it without a request
	answer   string // the id of the first answer
}

const (
	peekObjects = 400
	peekBytes   = 4 << 20
	tailBytes   = 64 << 10
)

// peek reads up to the first answer: a fork begins with copied lines, and an answer names the session that requested
// it.
func peek(file *transcript.Tail) hints {
	var h hints
	in := jsonlines.NewReader(io.LimitReader(file.From(0), peekBytes), 0, 0)
	for range peekObjects {
		object, err := in.Next()
		if err != nil {
			break
		}
		var e entry
		if e.decode(object.Raw) != nil {
			continue
		}
		h.sessions = addID(h.sessions, e.session)
		h.origins = addID(h.origins, e.requestSession)
		h.origins = addID(h.origins, memberText(e.forked, "sessionId"))
		if e.kind == "assistant" {
			h.answer = memberText(e.message, "id")
			if e.request == "" && strings.HasPrefix(e.version, "1.") {
				h.copied = h.answer
			}
			break
		}
	}
	for line := range file.Lines(tailBytes) {
		var e entry
		if e.decode(line) == nil && payload.SessionID(e.session) {
			h.last = e.session
			break
		}
	}
	return h
}

func addID(ids []string, id string) []string {
	if !payload.SessionID(id) || slices.Contains(ids, id) {
		return ids
	}
	return append(ids, id)
}

// session returns the session of a file: the session in the file's name if its lines also name it, otherwise the
// session that wrote last.
func (h hints) session(known, path string) string {
	if known != "" {
		return known
	}
	name := stem(path)
	if name == h.last || slices.Contains(h.sessions, name) {
		return name
	}
	if h.last != "" {
		return h.last
	}
	if len(h.sessions) > 0 {
		return h.sessions[0]
	}
	return name
}

func stem(path string) string { return strings.TrimSuffix(filepath.Base(path), ".jsonl") }

// origins holds the other sessions that lines of this file name. Lines that were copied from the file of such a session
// count there. If that file is missing, the copies count.
type origins struct {
	own   string
	dir   string
	lines map[string]map[string]bool // the uuids of the lines of each session; nil for a session without a file
	until int64                      // the offset of the last answer that Claude Code 1.0 copied; -1 if there is none
}

func findOrigins(path, own string, h hints) *origins {
	o := &origins{own: own, dir: filepath.Dir(path), lines: map[string]map[string]bool{}, until: -1}
	for _, session := range slices.Concat(h.sessions, h.origins) {
		o.load(session)
	}
	if h.copied != "" {
		o.loadUnnamed(path, h.copied)
	}
	return o
}

// loadUnnamed finds the lines that Claude Code 1.0 copied when it resumed a session. It wrote a new file with new ids
// and times, and did not name the other session. Copied answers keep their ids but have no request id.
func (o *origins) loadUnnamed(path, first string) {
	siblings, _ := filepath.Glob(filepath.Join(o.dir, "*.jsonl"))
	requested := map[string]bool{}
	for _, sibling := range siblings {
		file, err := transcript.Open(sibling)
		if sibling == path || err != nil {
			continue
		}
		if h := peek(file); h.answer == first {
			o.load(h.session("", sibling))
			for id := range answersOf(file, true) {
				requested[id] = true
			}
		}
		_ = file.Close()
	}
	if len(requested) == 0 {
		return
	}
	file, err := transcript.Open(path)
	if err != nil {
		return
	}
	defer func() { _ = file.Close() }()
	for id, offset := range answersOf(file, false) {
		if requested[id] {
			o.until = offset
		}
	}
}

// answersOf yields the ids and offsets of the answers that have a request id, or of the answers that have none.
func answersOf(file *transcript.Tail, requested bool) iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		in := jsonlines.NewReader(file.From(0), 0, 0)
		for {
			object, err := in.Next()
			if err != nil {
				return
			}
			var e entry
			if e.decode(object.Raw) != nil || e.kind != "assistant" || (e.request != "") != requested {
				continue
			}
			if id := memberText(e.message, "id"); id != "" && !yield(id, object.Offset) {
				return
			}
		}
	}
}

// load reads the uuids of the lines of another session.
func (o *origins) load(session string) map[string]bool {
	if session == o.own || !payload.SessionID(session) {
		return nil
	}
	if lines, known := o.lines[session]; known || len(o.lines) >= 100 {
		return lines
	}
	o.lines[session] = nil
	file := o.open(session + ".jsonl")
	if file == nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	lines := map[string]bool{}
	in := jsonlines.NewReader(file.From(0), 0, 0)
	for {
		object, err := in.Next()
		if err != nil {
			break
		}
		if id := memberText(object.Raw, "uuid"); id != "" {
			lines[id] = true
		}
	}
	o.lines[session] = lines
	return lines
}

// open opens the file of another session, in the same folder or in the folder of another directory.
func (o *origins) open(name string) *transcript.Tail {
	if file, err := transcript.Open(filepath.Join(o.dir, name)); err == nil {
		return file
	}
	root := filepath.Dir(o.dir)
	if filepath.Base(root) != "projects" {
		return nil
	}
	folders, _ := os.ReadDir(root)
	for _, folder := range folders {
		if file, err := transcript.Open(filepath.Join(root, folder.Name(), name)); err == nil {
			return file
		}
	}
	return nil
}

// `copied` reports whether a line belongs to another session whose file exists.
func (o *origins) copied(e *entry, offset int64) bool {
	if offset <= o.until {
		return true
	}
	if e.uuid == "" {
		return false
	}
	if e.session != "" && e.session != o.own && o.load(e.session)[e.uuid] {
		return true
	}
	if e.requestSession != "" && e.requestSession != o.own && o.load(e.requestSession)[e.uuid] {
		return true
	}
	for _, lines := range o.lines {
		if lines[e.uuid] {
			return true
		}
	}
	return false
}

// `names` returns the sessions from which lines were copied, sorted.
func (o *origins) names() []string {
	var names []string
	for session := range o.lines {
		names = append(names, session)
	}
	slices.Sort(names)
	return names
}
