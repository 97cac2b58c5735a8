package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// words are the arguments of a command, made of the parameters of an address. None becomes an option.
type words func(q *question) ([]string, error)

// mostListed bounds the parameter limit, and usualListed is how many entries follow a cursor without one.
const (
	mostListed  = 200
	usualListed = 50
)

// programs are the answers for programs: those of the commands.
var programs = map[string]words{
	"status": plainly("status"),
	"verify": plainly("verify"),
	"log":    listing("log", "agent", "grep", "since", "until", "author"),
	"graph":  listing("graph", "since", "until", "author"),
	"stats":  listing("stats", "since", "until", "author", "by", "depth"),
	"show":   naming("show"),
	"track":  naming("track"),
	"report": naming("report"),
	"diff": func(q *question) ([]string, error) {
		args, err := naming("diff")(q)
		return append(args, "--"), err
	},
	"search": func(q *question) ([]string, error) {
		args, err := listing("search", "agent")(q)
		return append(append(args, "--"), strings.Fields(q.r.URL.Query().Get("q"))...), err
	},
	"blame": func(q *question) ([]string, error) {
		ask := q.r.URL.Query()
		form := "--json"
		if ask.Has("runs") {
			form = "--json=runs"
		}
		commit, err := q.files.commit(q.ctx, ask.Get("rev"))
		if err != nil {
			return nil, err
		}
		return []string{"blame", form, commit.String(), "--", ask.Get("path")}, nil
	},
}

func plainly(verb string) words {
	return func(*question) ([]string, error) { return []string{verb, "--json"}, nil }
}

// listing takes options that the command has, a limit and a range.
func listing(verb string, options ...string) words {
	return func(q *question) ([]string, error) {
		ask := q.r.URL.Query()
		args := []string{verb, "--json"}
		for _, name := range options {
			for _, text := range ask[name] {
				args = append(args, "--"+name+"="+text)
			}
		}
		if text := ask.Get("limit"); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 || n > mostListed {
				return nil, fmt.Errorf("limit '%s': %w: a number from 1 to %d", text, errBadQuestion, mostListed)
			}
			args = append(args, "-n", text)
		}
		if text := ask.Get("range"); text != "" && verb != "search" {
			if err := noOption(text); err != nil {
				return nil, err
			}
			args = append(args, text)
		}
		return args, nil
	}
}

// naming takes what the parameter id or range names.
func naming(verb string) words {
	return func(q *question) ([]string, error) {
		ask := q.r.URL.Query()
		args := []string{verb, "--json"}
		for _, text := range append(ask["id"], ask["range"]...) {
			if err := noOption(text); err != nil {
				return nil, err
			}
			args = append(args, text)
		}
		return args, nil
	}
}

// noOption refuses what a command would read as an option, and what is nothing.
func noOption(text string) error {
	if text == "" || strings.HasPrefix(text, "-") || strings.Contains(text, "\x00") {
		return fmt.Errorf("'%s': %w", text, errBadQuestion)
	}
	return nil
}

// api answers programs. What has not changed since an answer is told by its tag before anything is asked.
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
	w.Header().Set("Cache-Control", "private, no-cache")
	if r.Header.Get("If-None-Match") == tag && r.PathValue("name") != "status" {
		w.Header().Set("ETag", tag)
		w.WriteHeader(http.StatusNotModified)
		return
	}
	args, err := make(q)
	if err != nil {
		problem(w, err)
		return
	}
	out, next, err := q.answer(args)
	if err != nil {
		problem(w, err)
		return
	}
	if next != "" {
		w.Header().Set("Link", "<"+next+`>; rel="next"`)
	}
	w.Header().Set("ETag", tag)
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(out)
}

// answer is what a command prints, or a part of its list where the address has a cursor. Next is the address of the
// entries that follow.
func (q *question) answer(args []string) (out []byte, next string, err error) {
	ask := q.r.URL.Query()
	before, limit := ask.Get("before"), usualListed
	kind, listed := lists[args[0]]
	if n, err := strconv.Atoi(ask.Get("limit")); err == nil {
		limit = n // listing has looked at it
	}
	if before == "" {
		out, err = q.answers.get(q.ctx, nil, args...)
		if !listed || !ask.Has("limit") || err != nil {
			return out, "", err
		}
		if ids := kind.names(out); len(ids) >= limit {
			ask.Set("before", ids[len(ids)-1])
			next = q.r.URL.Path + "?" + ask.Encode()
		}
		return out, next, nil
	}
	if !listed {
		return nil, "", fmt.Errorf("before: %w: %s is no list", errBadQuestion, args[0])
	}
	at := len(args)
	head := args
	for i, word := range args {
		if word == "-n" {
			head, at = args[:i], i+2
			break
		}
		if i > 0 && (word == "--" || !strings.HasPrefix(word, "--")) {
			head, at = args[:i], i
			break
		}
	}
	out, last, more, err := q.part(head, args[at:], before, limit)
	if more {
		ask.Set("before", last)
		next = q.r.URL.Path + "?" + ask.Encode()
	}
	return out, next, err
}

// problem says what is wrong in the form of RFC 9457.
func problem(w http.ResponseWriter, err error) {
	status := code(err)
	text, _ := said(err)
	body, _ := json.Marshal(map[string]any{"title": http.StatusText(status), "status": status, "detail": text})
	w.Header().Set("Content-Type", "application/problem+json")
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "2")
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
