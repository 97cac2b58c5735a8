package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/git-trace/git-trace/cells"
)

// hover tells why a line is there.
func (s *server) hover(ctx context.Context, m *message) (any, error) {
	p, err := paramsOf[positionParams](m)
	d := s.document(p.TextDocument.URI)
	if err != nil || d == nil {
		return nil, err
	}
	text, err := s.why(ctx, d, p.Position.Line)
	if err != nil || text == "" {
		return nil, s.passedOver(ctx, err)
	}
	line := position{Line: p.Position.Line}
	end := position{line.Line, s.width(d.line(line.Line))}
	return hover{markup{"markdown", text}, textRange{line, end}}, nil
}

// why is the Markdown of git trace why for a line, which counts from 0.
func (s *server) why(ctx context.Context, d *document, line int) (string, error) {
	if line < 0 {
		return "", &fault{codeInvalidParams, "lines are counted from 0"}
	}
	content, _ := d.contents()
	args := []string{"why", "--markdown"}
	if content != nil {
		args = append(args, "--contents", "-")
	}
	place := filepath.Base(d.path) + ":" + strconv.Itoa(line+1)
	raw, err := s.ask(ctx, filepath.Dir(d.path), content, append(args, "--", place)...)
	return string(raw), err
}

// passedOver drops the error of a file that git-trace knows nothing of: the editor has many such. Its reason goes to
// the editor's log.
func (s *server) passedOver(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var bad *fault
	if errors.As(err, &bad) {
		return err
	}
	const log = 4
	s.conn.tell("window/logMessage", map[string]any{"type": log, "message": "git-trace: " + cells.Line(err.Error())})
	return nil
}

// found are the blocks that touch a range of lines, which count from 0.
func (s *server) found(ctx context.Context, d *document, within *textRange) ([]block, error) {
	r, err := s.runs(ctx, d)
	if err != nil {
		return nil, s.passedOver(ctx, err)
	}
	blocks := r.blocks()
	if within == nil {
		return blocks, nil
	}
	return slices.DeleteFunc(blocks, func(b block) bool {
		return b.start-1 > within.End.Line || b.start-1+b.count <= within.Start.Line
	}), nil
}

// inlayHints name the prompt at the end of the first line of each block.
func (s *server) inlayHints(ctx context.Context, m *message) (any, error) {
	p, err := paramsOf[rangeParams](m)
	hints := []inlayHint{}
	d := s.document(p.TextDocument.URI)
	if err != nil || d == nil {
		return hints, err
	}
	blocks, err := s.found(ctx, d, &p.Range)
	for _, b := range blocks {
		if b.start-1 < p.Range.Start.Line {
			continue
		}
		at := position{b.start - 1, s.width(d.line(b.start - 1))}
		hints = append(hints, inlayHint{Position: at, Label: b.label, Tooltip: cells.Line(b.asked), PaddingLeft: true})
	}
	return hints, err
}

// leastOfLens is how many lines a block has to have for a line of its own above it.
const leastOfLens = 3

// codeLenses stand above blocks of some lines.
func (s *server) codeLenses(ctx context.Context, m *message) (any, error) {
	p, err := paramsOf[documentParams](m)
	lenses := []codeLens{}
	d := s.document(p.TextDocument.URI)
	if err != nil || d == nil {
		return lenses, err
	}
	blocks, err := s.found(ctx, d, nil)
	for _, b := range blocks {
		if b.count < leastOfLens {
			continue
		}
		at := position{Line: b.start - 1}
		lenses = append(lenses, codeLens{textRange{at, at}, command{
			fmt.Sprintf("%s · %d lines", b.label, b.count), commandShow, []string{p.TextDocument.URI, b.id},
		}})
	}
	return lenses, err
}

// codeActions are what can be asked about the first line of a range.
func (s *server) codeActions(ctx context.Context, m *message) (any, error) {
	p, err := paramsOf[rangeParams](m)
	actions := []codeAction{}
	d := s.document(p.TextDocument.URI)
	if err != nil || d == nil {
		return actions, err
	}
	r, err := s.runs(ctx, d)
	if err != nil {
		return actions, s.passedOver(ctx, err)
	}
	line := p.Range.Start.Line + 1
	one, known := r.at(line)
	if !known {
		return actions, nil
	}
	uri := p.TextDocument.URI
	add := func(title, name, argument string) {
		actions = append(actions, codeAction{title, "source.gitTrace", command{title, name, []string{uri, argument}}})
	}
	if one.Trace != "" {
		add("Show conversation "+r.block(one).label, commandShow, r.block(one).id)
	}
	if one.Call != "" && plainID(one.Call) {
		add("Show the call that wrote this line", commandShow, one.Call)
	}
	add("Why is this line here?", commandWhy, strconv.Itoa(line))
	return actions, nil
}

// The commands that the editor sends back: the document, and an id or a line that counts from 1.
const (
	commandShow = "gitTrace.show"
	commandWhy  = "gitTrace.why"
)

func commandNames() []string { return []string{commandShow, commandWhy} }

// execute gives a page of Markdown, and has the editor show it where it can.
func (s *server) execute(ctx context.Context, m *message) (any, error) {
	p, err := paramsOf[commandParams](m)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(commandNames(), p.Command) || len(p.Arguments) != 2 {
		return nil, &fault{codeInvalidParams, "no such command, or not two arguments"}
	}
	d := s.document(p.Arguments[0])
	if d == nil {
		return nil, &fault{codeInvalidParams, "the document is not open"}
	}
	about := p.Arguments[1]
	var page string
	if p.Command == commandWhy {
		line, bad := strconv.Atoi(about)
		if bad != nil {
			return nil, &fault{codeInvalidParams, "the line is no number"}
		}
		page, err = s.why(ctx, d, line-1)
		about = filepath.Base(d.path) + "-" + about
	} else {
		if !plainID(about) {
			return nil, &fault{codeInvalidParams, "that is no id"}
		}
		var raw []byte
		raw, err = s.ask(ctx, filepath.Dir(d.path), nil, "show", "--markdown", about)
		page = string(raw)
	}
	if err != nil {
		return nil, err
	}
	if s.client.Capabilities.Window.ShowDocument.Support {
		if err := s.show(about, page); err != nil {
			return nil, err
		}
	}
	return page, nil
}

// plainID tells whether a word can be an id of a conversation, a prompt or a call, and is no option.
func plainID(word string) bool {
	const others = "-#:_"
	return word != "" && word[0] != '-' && !strings.ContainsFunc(word, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		return !letter && !strings.ContainsRune(others, r)
	})
}

// show writes a page that only its owner may read, and asks the editor to open it.
func (s *server) show(about, page string) error {
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
	_ = os.Remove(path) // one of an earlier question can't be written to
	const readOnly = 0o400
	if err := os.WriteFile(path, []byte(page), readOnly); err != nil {
		return err
	}
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") { // a drive
		slashed = "/" + slashed
	}
	uri := url.URL{Scheme: "file", Path: slashed}
	s.conn.request("window/showDocument", map[string]any{"uri": uri.String(), "takeFocus": true})
	return nil
}

// allRuns gives what git trace blame --json=runs prints, and the colour of each conversation.
func (s *server) allRuns(ctx context.Context, m *message) (any, error) {
	p, err := paramsOf[documentParams](m)
	d := s.document(p.TextDocument.URI)
	if err != nil || d == nil {
		return nil, err
	}
	r, err := s.runs(ctx, d)
	if err != nil {
		return nil, s.passedOver(ctx, err)
	}
	colours := map[string]int{}
	for trace := range maps.Keys(r.Conversations) {
		colours[trace] = hue(trace)
	}
	return struct {
		Blame json.RawMessage `json:"blame"`
		Hues  map[string]int  `json:"hues"` // of 12
	}{r.raw, colours}, nil
}

// width is how many characters of the agreed encoding a line has.
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
