package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/cells/page"
	"github.com/git-trace/git-trace/records"
)

// `on` makes the handler of requests about a document. If the editor has not opened the file, or git-trace does not
// know it, the answer is the parameter `nothing`.
func on[P any](nothing any, answer func(s *server, ctx context.Context, d *document, p P) (any, error)) handler {
	return func(s *server, ctx context.Context, m *message) (any, error) {
		about, err := paramsOf[documentParams](m)
		if err != nil {
			return nil, err
		}
		p, err := paramsOf[P](m)
		d := s.document(about.TextDocument.URI)
		if err != nil || d == nil {
			return nothing, err
		}
		result, err := answer(s, ctx, d, p)
		if err != nil {
			return nothing, s.passedOver(ctx, err)
		}
		return result, nil
	}
}

// hover explains why a line is there.
func (s *server) hover(ctx context.Context, d *document, p positionParams) (any, error) {
	text, err := s.why(ctx, d, p.Position.Line)
	if err != nil || text == "" {
		return nil, err
	}
	line := position{Line: p.Position.Line}
	end := position{line.Line, s.width(lineAt(d.lines(), line.Line))}
	return hover{markup{"markdown", text}, textRange{line, end}}, nil
}

// `why` returns the Markdown of git trace why for a line, counted from 0.
func (s *server) why(ctx context.Context, d *document, line int) (string, error) {
	if line < 0 {
		return "", &rpcError{codeInvalidParams, "lines are counted from 0"}
	}
	content, _, err := d.contents()
	if err != nil {
		return "", err
	}
	args := []string{"why", "--markdown"}
	if content != nil {
		args = append(args, "--contents", "-")
	}
	place := filepath.Base(d.path) + ":" + strconv.Itoa(line+1)
	raw, err := s.Ask(ctx, filepath.Dir(d.path), content, append(args, "--", place)...)
	return string(raw), err
}

// passedOver drops the error of a file that git-trace does not know, because the editor shows many such files. It
// writes the reason to the editor's log.
func (s *server) passedOver(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var bad *rpcError
	if errors.As(err, &bad) {
		return err
	}
	s.log(err)
	return nil
}

// log writes to the editor's log.
func (s *server) log(err error) {
	const log = 4
	s.conn.tell("window/logMessage", map[string]any{"type": log, "message": cells.Line(err.Error())})
}

// inlayHints name the prompt at the end of the first line of each block.
func (s *server) inlayHints(ctx context.Context, d *document, p rangeParams) (any, error) {
	r, err := s.runs(ctx, d)
	if err != nil {
		return nil, err
	}
	hints, lines := []inlayHint{}, d.lines()
	for _, b := range r.blocks() {
		line := b.Start - 1
		if line < p.Range.Start.Line || line > p.Range.End.Line {
			continue
		}
		at := position{line, s.width(lineAt(lines, line))}
		hints = append(hints, inlayHint{Position: at, Label: b.Label, Tooltip: cells.Line(b.asked), PaddingLeft: true})
	}
	return hints, nil
}

// leastOfLens is the number of lines from which a block gets a code lens above it.
const leastOfLens = 3

// codeLenses returns a label above each block of lines.
func (s *server) codeLenses(ctx context.Context, d *document, p documentParams) (any, error) {
	r, err := s.runs(ctx, d)
	if err != nil {
		return nil, err
	}
	lenses := []codeLens{}
	for _, b := range r.blocks() {
		if b.Count < leastOfLens {
			continue
		}
		at := position{Line: b.Start - 1}
		lenses = append(lenses, codeLens{textRange{at, at}, command{
			fmt.Sprintf("%s · %d lines", b.Label, b.Count), commandShow, []string{p.TextDocument.URI, b.ID},
		}})
	}
	return lenses, nil
}

// codeActions lists the commands for the first line of a range.
func (s *server) codeActions(ctx context.Context, d *document, p rangeParams) (any, error) {
	r, err := s.runs(ctx, d)
	if err != nil {
		return nil, err
	}
	actions := []codeAction{}
	line := p.Range.Start.Line + 1
	one, known := r.at(line)
	if !known {
		return actions, nil
	}
	add := func(title, name, argument string) {
		actions = append(actions, codeAction{title, "source.gitTrace",
			command{title, name, []string{p.TextDocument.URI, argument}}})
	}
	if one.Trace != nil {
		b := r.block(one)
		add("Show conversation "+b.Label, commandShow, b.ID)
		if s.options.Copy {
			add("Copy the id "+b.ID, commandCopy, b.ID)
		}
	}
	if call := records.Value(one.ToolCall); plainID(call) {
		add("Show the call that wrote this line", commandShow, call)
	}
	if patch := records.Value(one.Patch); plainID(patch) {
		add("What became of these lines", commandTrack, patch)
	}
	add("Why is this line here?", commandWhy, strconv.Itoa(line))
	add("Open in the browser", commandOpen, strconv.Itoa(line))
	return actions, nil
}

// The commands that the editor sends back, with the document, and an id or a line number, counted from 1.
const (
	commandShow  = "gitTrace.show"
	commandTrack = "gitTrace.track"
	commandWhy   = "gitTrace.why"
	commandCopy  = "gitTrace.copy"
	commandOpen  = "gitTrace.open"
)

func commandNames() []string {
	return []string{commandShow, commandTrack, commandWhy, commandCopy, commandOpen}
}

// execute returns the result of a command as Markdown, and asks the editor to show it if it can. For the copy command
// it returns only the id. For the browser it returns nothing.
func (s *server) execute(ctx context.Context, m *message) (any, error) {
	p, err := paramsOf[commandParams](m)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(commandNames(), p.Command) || len(p.Arguments) != 2 {
		return nil, &rpcError{codeInvalidParams, "no such command, or not two arguments"}
	}
	d := s.document(p.Arguments[0])
	if d == nil {
		return nil, &rpcError{codeInvalidParams, "the document is not open"}
	}
	switch p.Command {
	case commandCopy:
		if !plainID(p.Arguments[1]) {
			return nil, errNoID
		}
		return p.Arguments[1], nil
	case commandOpen:
		return nil, s.open(ctx, d, p.Arguments[1])
	}
	text, name, err := s.about(ctx, d, p.Command, p.Arguments[1])
	if err != nil {
		return nil, err
	}
	if s.client.Capabilities.Window.ShowDocument.Support {
		if err := s.show(name, text); err != nil {
			return nil, err
		}
	}
	return text, nil
}

var (
	errNoID   = &rpcError{codeInvalidParams, "that is not an id"}
	errNoLine = &rpcError{codeInvalidParams, "the line is not a number"}
)

// `open` shows the origin of a line in the browser. If the origin is unknown, it shows the line.
func (s *server) open(ctx context.Context, d *document, word string) error {
	line, err := strconv.Atoi(word)
	if err != nil {
		return errNoLine
	}
	r, err := s.runs(ctx, d)
	if err != nil {
		return err
	}
	one, _ := r.at(line)
	p := Place{Path: d.path, Line: line, Trace: records.Value(one.Trace), Prompt: one.Prompt}
	if call := records.Value(one.ToolCall); plainID(call) {
		p.Call = call
	}
	return s.Open(ctx, p)
}

// about returns the output of a command about an id or a line, and a name for the page.
func (s *server) about(ctx context.Context, d *document, verb, word string) (text, name string, err error) {
	var raw []byte
	dir := filepath.Dir(d.path)
	line, bad := strconv.Atoi(word)
	switch {
	case verb == commandWhy && bad != nil:
		return "", "", errNoLine
	case verb != commandWhy && !plainID(word):
		return "", "", errNoID
	case verb == commandWhy:
		text, err = s.why(ctx, d, line-1)
		return text, filepath.Base(d.path) + "-" + word, err
	case verb == commandTrack:
		raw, err = s.Ask(ctx, dir, nil, "track", "--color=never", word)
		return page.Fence(string(raw)), "track-" + word, err
	}
	raw, err = s.Ask(ctx, dir, nil, "show", "--markdown", word)
	return string(raw), word, err
}

// plainID reports whether a word can be the id of a conversation, prompt or call, and cannot be an option.
func plainID(word string) bool {
	const others = "-#:_"
	return word != "" && word[0] != '-' && !strings.ContainsFunc(word, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		return !letter && !strings.ContainsRune(others, r)
	})
}

// show writes a page into a file that only its owner may read, and asks the editor to open the file.
func (s *server) show(about, text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pages == "" {
		dir, err := os.MkdirTemp("", "git-trace-lsp-")
		if err != nil {
			return err
		}
		s.pages = dir
	}
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\#:*?"<>|`, r) || !cells.Printable(r) {
			return '-'
		}
		return r
	}, about) + ".md"
	path := filepath.Join(s.pages, name)
	_ = os.Remove(path) // an earlier page with this name is read-only
	const readOnly = 0o400
	if err := os.WriteFile(path, []byte(text), readOnly); err != nil {
		return err
	}
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") { // begins with a drive letter
		slashed = "/" + slashed
	}
	uri := url.URL{Scheme: "file", Path: slashed}
	s.conn.request("window/showDocument", map[string]any{"uri": uri.String(), "takeFocus": true})
	return nil
}

// allRuns returns the runs of git trace blame --json=runs, and the colour of each conversation.
func (s *server) allRuns(ctx context.Context, d *document, _ documentParams) (any, error) {
	r, err := s.runs(ctx, d)
	if err != nil {
		return nil, err
	}
	colours := map[string]int{}
	for trace := range r.Conversations {
		colours[trace] = cells.Hue(trace)
	}
	return struct {
		Blame  json.RawMessage `json:"blame"`
		Blocks []block         `json:"blocks"`
		Hues   map[string]int  `json:"hues"` // numbers of 12 colours
	}{r.raw, append([]block{}, r.blocks()...), colours}, nil
}

// width returns the number of characters of a line in the agreed encoding.
func (s *server) width(line string) int {
	if s.wide {
		return len(line)
	}
	n := 0
	for _, r := range line {
		n += utf16.RuneLen(r)
	}
	return n
}
