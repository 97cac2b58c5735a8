package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/view"
)

// namesPage finds where a page names another one of this server. Text has no quotation marks: html/template writes them
// as entities.
var namesPage = regexp.MustCompile(` (href|src)="(/[^"]*)"`)

const styleFile = "page.css"

// wants notes a page that was named, if the export has it.
func (e *Export) wants(written string) {
	address, _, there := e.still.address(html.UnescapeString(written))
	if !there {
		return
	}
	if _, known := e.names[address]; !known {
		e.names[address] = fileOf(address)
		e.queue = append(e.queue, address)
	}
}

// file returns the file for what a page names, with the place in it.
func (e *Export) file(written string) (string, bool) {
	if strings.HasPrefix(written, "/static/") {
		return styleFile, true
	}
	address, place, there := e.still.address(html.UnescapeString(written))
	file, drawn := e.names[address]
	if place != "" {
		place = "#" + html.EscapeString(place)
	}
	return file + place, there && drawn
}

// queries are the parameters that choose a part of a page, by the kind of the page.
var queries = map[string]string{"log": "before", "graph": "before", "t": "from", "blame": "from", "commit": "view"}

// address returns the one address of what a page names, without the place in it, and that; false for what the export
// does not have.
func (s *still) address(written string) (address, place string, there bool) {
	u, err := url.Parse(written)
	if err != nil {
		return "", "", false
	}
	place = u.EscapedFragment()
	kind, rest, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	id, path, _ := strings.Cut(rest, "/")
	query := u.Query().Get(queries[kind])
	switch kind {
	case "":
		address = "/"
	case "log", "graph", "stats":
		address, there = "/"+kind, rest == ""
		if !there {
			return "", "", false
		}
	case "t":
		if _, there = s.Talks[id]; !there {
			return "", "", false
		}
		if path != "" {
			if to, known := s.steps[u.Path]; known {
				return s.address(to)
			}
			query = ""
		}
		address = "/t/" + id
	case "commit":
		if !s.Commits[rest] {
			return "", "", false
		}
		address = "/commit/" + rest
	case "track":
		address = "/track/" + rest
	case "blame":
		ours := s.Commits[id] || id == s.Tip.String() || id == "HEAD" && s.head
		if !ours || !s.Files[path] {
			return "", "", false
		}
		address = at("blame", s.Tip, path)
	case "tree":
		if ours := s.Commits[id] || id == s.Tip.String() || id == "HEAD"; !ours || !s.dirs[strings.Trim(path, "/")] {
			return "", "", false
		}
		address = at("tree", s.Tip, strings.Trim(path, "/"))
	default:
		return "", "", false
	}
	if query != "" {
		address += "?" + url.Values{queries[kind]: {query}}.Encode()
	}
	return address, place, true
}

var (
	notPlain  = regexp.MustCompile(`[^a-z0-9.]+`)
	plainName = regexp.MustCompile(`^[0-9a-f-]{8,64}$`) // an id
)

// mostName bounds what of an address is in the name of its file.
const mostName = 60

// fileOf names the file of a page. Two addresses have two names, on every file system.
func fileOf(address string) string {
	if address == "/" {
		return "index.html"
	}
	kind, rest, _ := strings.Cut(address[1:], "/")
	if rest == "" && !strings.Contains(kind, "?") {
		return kind + ".html"
	}
	if plainName.MatchString(rest) {
		return kind + "/" + rest + ".html"
	}
	kind, _, _ = strings.Cut(kind, "?")
	sum := sha256.Sum256([]byte(address))
	plain := strings.Trim(notPlain.ReplaceAllString(strings.ToLower(strings.TrimPrefix(address, "/"+kind)), "-"), "-.")
	return kind + "/" + plain[max(len(plain)-mostName, 0):] + "-" + hex.EncodeToString(sum[:6]) + ".html"
}

// ranged adds the range of the export to a question; the server has none.
func (q *question) ranged(args ...string) []string {
	if q.still != nil {
		return append(args, q.still.Range)
	}
	return args
}

// give makes what was said in conversations ready to leave this machine. Nothing happens to it where it stays here.
func (q *question) give(texts ...*string) error {
	if q.still == nil {
		return nil
	}
	for _, text := range texts {
		var err error
		if *text, err = q.still.redact(q.ctx, *text); err != nil {
			return err
		}
	}
	return nil
}

// giveTitles does so with what was asked first. What no record has stays here.
func (q *question) giveTitles(list []*view.Conversation) error {
	if q.still == nil {
		return nil
	}
	for _, c := range list {
		if !q.still.Talks[string(c.Trace)] {
			c.Title, c.Prompt = "", nil
			continue
		}
		err := q.give(&c.Title)
		if err == nil && c.Prompt != nil {
			err = q.give(&c.Prompt.Text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// givePrompts does so with the prompts of the lines of a file.
func (q *question) givePrompts(runs *blame.RunsJSON) error {
	if q.still == nil {
		return nil
	}
	for trace, talk := range runs.Conversations {
		for n, text := range talk.Prompts {
			if !q.still.Talks[trace] {
				text = ""
			}
			if err := q.give(&text); err != nil {
				return err
			}
			talk.Prompts[n] = text
		}
	}
	return nil
}

// giveTalk does so with a conversation: what only hooks saw of it stays here, and so do the contents of snapshots.
func (q *question) giveTalk(b *talkBody) error {
	if q.still == nil {
		return nil
	}
	if !q.still.Talks[string(b.Trace)] {
		b.Title, b.Index, b.Record = "A conversation with "+b.Agent, nil, nil
		return nil
	}
	texts := []*string{&b.Title}
	kept := b.Index[:0]
	for _, turn := range b.Index {
		turn.Steps = slices.DeleteFunc(turn.Steps, func(s *stepBlock) bool { return s.Number == 0 })
		if turn.Step == 0 && len(turn.Steps) == 0 {
			continue
		}
		if turn.Known = turn.Step > 0; !turn.Known {
			turn.Text = ""
		}
		kept = append(kept, turn)
		texts = append(texts, &turn.Text)
		for _, s := range turn.Steps {
			texts = append(texts, &s.Text, &s.Reasoning)
			for _, c := range s.Calls {
				texts = append(texts, &c.Argument, &c.Result, &c.Error)
				input := c.Input()
				for i := range input {
					texts = append(texts, &input[i].Text)
				}
			}
		}
	}
	b.Index = kept
	return q.give(texts...)
}

// note keeps where the prompts and steps of a conversation stand, for pages that name them.
func (s *still) note(ctx context.Context, b *talkBody) {
	if s == nil || ctx.Err() != nil {
		return
	}
	base := "/t/" + string(b.Trace)
	for name, place := range b.places() {
		s.steps[base+name] = place
	}
}
