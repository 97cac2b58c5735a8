package web

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// `asked` holds the arguments of a command: the verb and its options (head), the number of entries of a list (limit;
// zero means all), and the other arguments (tail).
type asked struct {
	head    []string
	limit   int
	tail    []string
	content []byte // content of a file in the work tree, which is not part of the state of the refs; nil for none
}

func (a asked) args() []string {
	if a.limit == 0 {
		return slices.Concat(a.head, a.tail)
	}
	return slices.Concat(a.head, []string{"-n", strconv.Itoa(a.limit)}, a.tail)
}

// words makes arguments from the parameters of an address. No parameter can become an option.
type words func(q *question) (asked, error)

// mostListed limits the parameter `limit`. The constant usualListed is its default if the address has a cursor.
const (
	mostListed  = 200
	usualListed = 50
)

// programs maps each answer for programs to the command that gives it.
var programs = map[string]words{
	"status": plainly("status"),
	"verify": plainly("verify"),
	"log":    listing("log", "agent", "grep", "since", "until", "author"),
	"graph":  listing("graph", "since", "until", "author"),
	"stats":  listing("stats", "since", "until", "author", "by", "depth"),
	"show":   naming("show"),
	"track":  naming("track"),
	"report": naming("report"),
	"diff": func(q *question) (asked, error) {
		a, err := naming("diff")(q)
		a.tail = append(a.tail, "--")
		return a, err
	},
	"compare": func(q *question) (asked, error) {
		a, err := naming("compare")(q)
		for _, id := range a.tail {
			if noTalk(id) != nil { // pages do not compare files
				return a, fmt.Errorf("conversation '%s': %w", id, errNotFound)
			}
		}
		return a, err
	},
	"search": func(q *question) (asked, error) {
		a, err := listing("search", "agent", "in", "tool", "skill", "file", "model", "since")(q)
		for _, name := range []string{"failed", "test", "survived"} {
			if q.r.URL.Query().Has(name) {
				a.head = append(a.head, "--"+name)
			}
		}
		a.tail = append([]string{"--"}, strings.Fields(q.r.URL.Query().Get("q"))...)
		return a, err
	},
	"blame": func(q *question) (asked, error) {
		ask := q.r.URL.Query()
		form := []string{"blame", "--json"}
		switch {
		case ask.Has("functions"):
			form = append(form, "--functions")
		case ask.Has("runs"):
			form[1] = "--json=runs"
		}
		if ask.Get("rev") == workTree {
			content, err := q.files.worktree(q.ctx, ask.Get("path"))
			tail := []string{"--contents", "-", "--", ask.Get("path")}
			return asked{head: form, tail: tail, content: content}, err
		}
		commit, err := q.files.commit(q.ctx, ask.Get("rev"))
		if err != nil {
			return asked{}, err
		}
		return asked{head: form, tail: []string{commit.String(), "--", ask.Get("path")}}, nil
	},
}

func plainly(verb string) words {
	return func(*question) (asked, error) { return asked{head: []string{verb, "--json"}}, nil }
}

// listing accepts the given options of the command, a limit and a range.
func listing(verb string, options ...string) words {
	return func(q *question) (asked, error) {
		ask := q.r.URL.Query()
		a := asked{head: []string{verb, "--json"}}
		for _, name := range options {
			for _, text := range ask[name] {
				a.head = append(a.head, "--"+name+"="+text)
			}
		}
		if text := ask.Get("limit"); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 || n > mostListed {
				return a, fmt.Errorf("limit '%s': %w: a number from 1 to %d", text, errBadQuestion, mostListed)
			}
			a.limit = n
		}
		if text := ask.Get("range"); text != "" && verb != "search" {
			if err := noOption(text); err != nil {
				return a, err
			}
			a.tail = append(a.tail, text)
		}
		return a, nil
	}
}

// naming accepts an object in the parameter `id` or `range`.
func naming(verb string) words {
	return func(q *question) (asked, error) {
		ask := q.r.URL.Query()
		a := asked{head: []string{verb, "--json"}}
		for _, text := range append(ask["id"], ask["range"]...) {
			if err := noOption(text); err != nil {
				return a, err
			}
			a.tail = append(a.tail, text)
		}
		return a, nil
	}
}

// noOption refuses an empty text, and a text that the command would read as an option.
func noOption(text string) error {
	if text == "" || strings.HasPrefix(text, "-") || strings.Contains(text, "\x00") {
		return fmt.Errorf("'%s': %w", text, errBadQuestion)
	}
	return nil
}

// api answers programs. If the client already has the current answer (ETag), no command runs.
func (s *Site) api(w http.ResponseWriter, r *http.Request) {
	make, known := programs[r.PathValue("name")]
	if !known {
		problem(w, fmt.Errorf("/api/1/%s: %w", r.PathValue("name"), errNotFound))
		return
	}
	q := &question{Site: s, ctx: r.Context(), r: r}
	state, err := s.answers.now(q.ctx)
	if err != nil {
		problem(w, err)
		return
	}
	tag := `"` + state + `"`
	tagged := r.URL.Query().Get("rev") != workTree
	if r.Header.Get("If-None-Match") == tag && tagged && r.PathValue("name") != "status" {
		w.Header().Set("ETag", tag)
		w.WriteHeader(http.StatusNotModified)
		return
	}
	a, err := make(q)
	if err != nil {
		problem(w, err)
		return
	}
	out, next, err := q.answer(a)
	if err != nil {
		problem(w, err)
		return
	}
	if next != "" {
		w.Header().Set("Link", "<"+next+`>; rel="next"`)
	}
	if tagged {
		w.Header().Set("ETag", tag)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(out)
}

// answer returns the output of a command, or a part of its list if the address has a cursor. The result `next` is the
// address of the following entries.
func (q *question) answer(a asked) (out []byte, next string, err error) {
	ask := q.r.URL.Query()
	before, last, more := ask.Get("before"), "", false
	kind, listed := lists[a.head[0]]
	switch {
	case before != "" && !listed:
		return nil, "", fmt.Errorf("before: %w: %s is not a list", errBadQuestion, a.head[0])
	case before != "":
		out, last, more, err = q.part(wanted{head: a.head, tail: a.tail, before: before, limit: cmp.Or(a.limit, usualListed)})
	default:
		out, err = q.answers.get(q.ctx, a.content, a.args()...)
		if listed && a.limit > 0 && err == nil {
			if _, list, err := kind.entries(out); err == nil && len(list) >= a.limit {
				last, more = kind.name(list[len(list)-1]), true
			}
		}
		out = asPrinted(out)
	}
	if more {
		ask.Set("before", last)
		next = q.r.URL.Path + "?" + ask.Encode()
	}
	return out, next, err
}

// asPrinted adds line breaks to an answer, as the command prints it.
func asPrinted(answer []byte) []byte {
	if bytes.IndexByte(answer, '\n') < len(answer)-1 {
		return answer // it has line breaks, or is not JSON
	}
	var out bytes.Buffer
	if json.Indent(&out, answer, "", "  ") != nil {
		return answer
	}
	return out.Bytes()
}

// problem writes an error in the form of RFC 9457. Its member hints has the other lines of the command's error, for
// example the candidates for an ambiguous id.
func problem(w http.ResponseWriter, err error) {
	status := code(err)
	text, hints := said(err)
	all := map[string]any{"title": http.StatusText(status), "status": status, "detail": text}
	if len(hints) > 0 {
		all["hints"] = hints
	}
	body, _ := json.Marshal(all)
	w.Header().Set("Content-Type", "application/problem+json")
	again(w.Header(), status)
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
