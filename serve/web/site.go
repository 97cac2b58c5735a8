package web

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"path/filepath"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/refs"
)

//go:embed templates static
var assets embed.FS

const livePath = "/live"

// Site serves the pages of one repository.
type Site struct {
	answers *asking
	files   *files
	repo    *refs.Repo
	name    string
	live    *watchers
	checks  *checks
}

// New makes the site of a repository. The parameter `ask` runs git-trace.
func New(repo *refs.Repo, ask Ask) *Site {
	return &Site{
		answers: &asking{ask: ask, repo: repo}, files: &files{repo: repo}, repo: repo, name: filepath.Base(repo.Top()),
		live: &watchers{slots: make(chan struct{}, mostWatchers)}, checks: &checks{},
	}
}

// maker makes the content of a page. The result `name` is the name of its template.
type maker func(*question) (title, name string, body any, err error)

// question is a request for a page.
type question struct {
	*Site
	ctx context.Context // the context of the request
	r   *http.Request

	digits int // number of digits that the answer uses for ids; 0 if unknown
}

func (q *question) into(to any, args ...string) error { return q.answers.into(q.ctx, to, args...) }

// Handler serves the pages. Serve guards it.
func (s *Site) Handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, make := range map[string]maker{
		"/{$}":                    home,
		"/log":                    talks,
		"/t/{trace}":              talk,
		"/t/{trace}/p/{prompt}":   talk,
		"/t/{trace}/{step}":       talk,
		"/t/{trace}/steps/{part}": stepsOf,
		"/blame/{rev}/{path...}":  blamed,
		"/tree/{rev}/{path...}":   directory,
		"/commit/{id}":            committed,
		"/diff/{range...}":        ranged,
		"/graph":                  commits,
		"/compare":                compared,
		"/compare/{a}/{b}":        compared,
		"/search":                 search,
		"/stats":                  figured,
		"/track/{patch}":          tracked,
		"/log-health":             health,
	} {
		mux.HandleFunc("GET "+pattern, s.page(make))
	}
	mux.HandleFunc("GET /static/{hash}/{file}", s.static)
	mux.HandleFunc("GET /t/{trace}/markdown", s.markdown)
	mux.HandleFunc("GET /api/1/{name}", s.api)
	mux.HandleFunc("GET "+livePath, s.watch)
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, fmt.Errorf("the page '%s': %w", r.URL.Path, errNotFound))
	})
	return mux
}

// moved redirects a request to another address.
type moved struct{ to string }

func (m *moved) Error() string { return "moved to " + m.to }

func (s *Site) page(make maker) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q := &question{Site: s, ctx: r.Context(), r: r}
		title, name, body, err := make(q)
		var to *moved
		if errors.As(err, &to) {
			http.Redirect(w, r, to.to, http.StatusFound)
			return
		}
		if err != nil {
			s.fail(w, r, err)
			return
		}
		s.show(w, r, http.StatusOK, name, s.frame(r, title, body, q.digits))
	}
}

// frame holds the parts that every page has.
type frame struct {
	Title, Repository, Section, Query string
	State                             string
	Body                              any

	digits func() int
	writer func() string // id of this clone
}

// Foreign returns the clone whose log has a conversation; empty for this clone.
func (f *frame) Foreign(writer string) string {
	if writer == "" || writer == f.writer() {
		return ""
	}
	return cells.Cut(cells.Line(writer), mostWriter)
}

// Said names the other clones whose logs say that a contributor wrote lines; "" if only this clone's log says so.
func (f *frame) Said(c graph.ContributorJSON) string {
	var out []string
	for _, t := range c.Sources {
		switch who := f.Foreign(t.Writer); {
		case who == "":
		case t.Lines < c.Lines:
			out = append(out, fmt.Sprintf("%d of them as clone %s says", t.Lines, who))
		default:
			out = append(out, "as clone "+who+" says")
		}
	}
	return strings.Join(out, ", ")
}

// mostWriter is the number of cells of a clone's id that are shown.
const mostWriter = 8

// frame makes the frame around a body. If digits is 0, the number of digits is requested when a page shows the first
// id.
func (s *Site) frame(r *http.Request, title string, body any, digits int) *frame {
	ask := sync.OnceValue(func() int {
		if digits > 0 {
			return digits
		}
		return cmp.Or(s.digits(r.Context()), usualDigits)
	})
	section, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	state, _ := s.answers.now(r.Context()) // after an error the page gets no notice of new data
	return &frame{Title: title, Repository: s.name, Section: section, Query: r.URL.Query().Get("q"), State: state,
		Body: body, digits: ask, writer: sync.OnceValue(s.writer)}
}

// writer returns the id of this clone. It is empty if the clone has none; then all logs are others'.
func (s *Site) writer() string {
	id, _ := events.OpenLog(s.repo).Writer()
	return id
}

// digits returns the number of digits that all commands use for ids of conversations, taken from the newest one; 0 if
// there are none.
func (s *Site) digits(ctx context.Context) int {
	out, err := s.answers.get(ctx, nil, "log", "-n", "1", "--format", "%h %H")
	if err != nil {
		return 0
	}
	short, whole, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if short == whole { // the id is not abbreviated, so it does not show the number
		return math.MaxInt
	}
	return len(short)
}

// usualDigits is the number of digits of an id if the needed number is unknown.
const usualDigits = 8

// Short returns the abbreviated id of a conversation.
func (f *frame) Short(id any) string {
	text := plain(id)
	return text[:min(len(text), f.digits())]
}

// Part returns the first n digits of an id, which are enough for a link to this server. So a page with many lines stays
// short.
func (f *frame) Part(id any, n int) string {
	text := plain(id)
	return text[:min(len(text), max(n, f.digits()))]
}

// Line returns the address of a page with a line of a file highlighted.
func (f *frame) Line(rev, path string, line int) string {
	return fmt.Sprintf("%s?line=%d", at("blame", rev, path), line)
}

// show draws a page. If drawing fails, it sends nothing of the page.
func (s *Site) show(w http.ResponseWriter, r *http.Request, status int, name string, f *frame) {
	var out bytes.Buffer
	if err := pages().ExecuteTemplate(&out, name, f); err != nil {
		http.Error(w, "the page cannot be drawn: "+err.Error(), http.StatusInternalServerError)
		return
	}
	body := marked(out.Bytes())
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:12]) + `"`
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("ETag", tag)
	if status == http.StatusOK && r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

// failure holds the contents of an error page.
type failure struct {
	Status int
	What   string
	Hints  []string
	Last   string // address of the file in the last commit, if the work tree does not have the file
}

// `said` splits the text of a command's standard error into the error and the hints.
func said(err error) (what string, hints []string) {
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimSpace(line)
		if text, is := strings.CutPrefix(line, "git-trace: error: "); is {
			what = text
		} else if text, is := strings.CutPrefix(line, "git-trace: hint: "); is && what != "" {
			hints = append(hints, text) // a line before the error is about the repository
		}
	}
	if what == "" {
		what = err.Error()
	}
	return what, hints
}

// `fail` answers with a page about an error.
func (s *Site) fail(w http.ResponseWriter, r *http.Request, err error) {
	status := code(err)
	again(w.Header(), status)
	body := failure{Status: status}
	body.What, body.Hints = said(err)
	if gone := (*goneError)(nil); errors.As(err, &gone) {
		body.Last = at("blame", "HEAD", gone.path)
	}
	s.show(w, r, status, "failure", s.frame(r, http.StatusText(status), body, 0))
}

// pages holds the templates.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(helpers).ParseFS(assets, "templates/*.html"))
})
