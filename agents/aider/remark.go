package aider

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
)

// remarks holds the facts about the previous answer in a block of Aider's own lines.
type remarks struct {
	usage       *assemble.Usage
	rounded     bool
	cost        float64
	named       []string // the paths of edits that were made, or would have been
	interrupted bool
}

// read takes from the lines the facts that are needed before the answer is passed on.
func (r *remarks) read(lines []string) {
	for _, line := range lines {
		line = said(line)
		if rest, found := strings.CutPrefix(line, "Tokens: "); found && r.usage == nil {
			r.tokens(rest)
		}
		if path, found := strings.CutPrefix(line, "Applied edit to "); found {
			r.named = append(r.named, path)
		}
		if path, found := notApplied(line); found {
			r.named = append(r.named, path)
		}
		r.interrupted = r.interrupted || strings.HasPrefix(line, "^C") || line == "KeyboardInterrupt"
	}
}

// notApplied parses "Did not apply edit to FILE (--dry-run)".
func notApplied(line string) (path string, found bool) {
	path, found = strings.CutPrefix(line, "Did not apply edit to ")
	path, _, _ = strings.Cut(path, " (")
	return path, found
}

// `said` returns one of Aider's lines without its mark.
func said(line string) string {
	return strings.TrimSpace(strings.TrimPrefix(line, ">"))
}

// tokens parses "2.1k sent, 3.4k cache write, 12k cache hit, 85 received. Cost: $0.01 message, $0.02 session."
func (r *remarks) tokens(text string) {
	text, cost, _ := strings.Cut(text, "Cost: ")
	var number, sent int64
	u := &assemble.Usage{}
	for word := range strings.FieldsSeq(text) {
		switch strings.Trim(word, ".,") {
		case "sent":
			sent = number
		case "write":
			u.CacheWriteTokens = number
		case "hit":
			u.CacheReadTokens = number
		case "received":
			u.OutputTokens = number
		default:
			if n, rounded, ok := count(word); ok {
				number = n
				r.rounded = r.rounded || rounded
			}
		}
	}
	u.InputTokens = max(sent-u.CacheReadTokens-u.CacheWriteTokens, 0) // the number of sent tokens includes them
	r.usage = u
	before, _, found := strings.Cut(cost, " session")
	if at := strings.LastIndexByte(before, '$'); found && at >= 0 {
		r.cost, _ = strconv.ParseFloat(before[at+1:], 64)
	}
}

// count parses 5,244 and 2.1k.
func count(word string) (n int64, rounded, ok bool) {
	word = strings.ReplaceAll(word, ",", "")
	by := 1.0
	if rest, found := strings.CutSuffix(word, "k"); found {
		word, by = rest, 1e3
	} else if rest, found := strings.CutSuffix(word, "M"); found {
		word, by = rest, 1e6
	}
	f, err := strconv.ParseFloat(word, 64)
	if err != nil || f < 0 || f*by > 1e12 {
		return 0, false, false
	}
	return int64(f*by + 0.5), by > 1, true
}

// tool handles a block of Aider's own lines.
func (s *session) tool(at records.Locator, lines []string) error {
	var r remarks
	r.read(lines)
	if err := s.answer(&r); err != nil {
		return err
	}
	if r.rounded {
		s.c.Change(func(h *assemble.Head) { h.SetMeta("usage_rounded", true) })
	}
	s.c.Change(func(h *assemble.Head) { h.SetCost(r.cost) })
	if r.interrupted {
		s.c.Broke(records.Interrupted, map[string]any{})
	}
	before := ""
	for _, line := range lines {
		line = said(line)
		if err := s.line(at, line, before); err != nil {
			return err
		}
		before = line
	}
	s.c.Take()
	return nil
}

// `printed` matches the text that Aider adds to the chat for the output of a command.
var printed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d+ lines? of output$`) })

// line handles one of Aider's own lines; the parameter `before` is the previous line.
func (s *session) line(at records.Locator, line, before string) error {
	head, rest, _ := strings.Cut(line, " ")
	switch head {
	case "Aider":
		if version, found := strings.CutPrefix(rest, "v"); found {
			version = payload.Name(version)
			s.c.Change(func(h *assemble.Head) { h.SetVersion(version) })
		}
	case "Main", "Model:", "Models:":
		s.announced(strings.TrimPrefix(strings.TrimPrefix(rest, "model: "), "Model: "))
	case "Editor":
		if of, found := announcement(strings.TrimPrefix(rest, "model: ")); found {
			s.editor = of
		}
	case "Edit":
		s.edits = strings.HasPrefix(rest, "the files?") && !strings.HasSuffix(rest, ": n")
	case "Git":
		if strings.HasPrefix(rest, "repo: ") && !strings.HasPrefix(rest, "repo: none") {
			s.c.Change(func(h *assemble.Head) { h.Git = true })
		}
	case "Added":
		path, found := strings.CutSuffix(strings.TrimSuffix(rest, "."), " to the chat")
		if found && !printed().MatchString(path) {
			s.c.Append("files_in_chat", "after_step", map[string]any{"path": path})
		}
	case "Removed":
		if path, found := strings.CutSuffix(strings.TrimSuffix(rest, "."), " from the chat"); found {
			s.c.Append("files_in_chat", "after_step", map[string]any{"path": path, "removed": true})
		}
	case "Applied":
		if path, found := strings.CutPrefix(rest, "edit to "); found {
			return s.apply(at, path)
		}
	case "Did":
		if path, found := notApplied(line); found {
			s.reject(path)
		}
	case "Commit":
		if sha, _, found := strings.Cut(rest, " "); found && len(sha) >= 7 && sessionfile.ObjectName(sha) {
			return s.commit(sha)
		}
	case "Removed:":
		if sha, _, _ := strings.Cut(rest, " "); sessionfile.ObjectName(sha) {
			s.c.Append("rollbacks", "after_step", map[string]any{"sha": sha})
		}
	case "Running":
		if rest != "" {
			return s.ran(at, rest, false)
		}
	case "Run":
		if strings.HasPrefix(rest, "shell command") && strings.HasSuffix(rest, ": n") && before != "" {
			return s.ran(at, strings.TrimPrefix(before, "$ "), true)
		}
	}
	s.failed = s.failed || strings.HasPrefix(line, "The LLM did not conform to the edit format") ||
		strings.HasPrefix(line, "# ") && strings.HasSuffix(line, "failed to match!")
	return nil
}

// `announced` records the main model and its edit format from the header.
func (s *session) announced(text string) {
	if of, found := announcement(text); found {
		s.model, s.format = of.model, of.format
		s.c.Change(func(h *assemble.Head) { h.SetMeta("edit_format", of.format) })
	}
}

// announcement parses "MODEL with FORMAT edit format, weak model OTHER".
func announcement(text string) (of writer, found bool) {
	name, rest, found := strings.Cut(text, " with ")
	format, _, formatted := strings.Cut(rest, " edit format")
	return writer{assemble.Model(strings.TrimSpace(name)), payload.Name(format)}, found && formatted
}
