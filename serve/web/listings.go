package web

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/blame/trail"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/records"
	index "github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/answers"
	"github.com/git-trace/git-trace/report/figures"
	"github.com/git-trace/git-trace/report/stats"
	"github.com/git-trace/git-trace/sharing"
	"github.com/git-trace/git-trace/view"
)

// graphPage is the number of commits that a page lists.
const graphPage = 50

type graphBody struct {
	Commits           []graph.CommitJSON
	Lanes             map[refs.OID]*lanes
	Range, Path, More string
	Author, Agent     string
}

// Chosen reports whether the page selects commits.
func (b *graphBody) Chosen() bool { return b.Range+b.Path+b.Author+b.Agent != "" }

// commits returns the list of commits with the conversations that wrote their lines.
func commits(q *question) (string, string, any, error) {
	ask := q.r.URL.Query()
	body := &graphBody{Range: ask.Get("rev"), Path: ask.Get("path"), Author: ask.Get("author"), Agent: ask.Get("agent")}
	head, tail := []string{"graph", "--json"}, []string(nil)
	if body.Author != "" {
		head = append(head, "--author="+body.Author)
	}
	if body.Range != "" {
		if err := noOption(body.Range); err != nil {
			return "", "", nil, err
		}
		tail = append(tail, body.Range)
	}
	if body.Path != "" {
		tail = append(tail, "--", body.Path)
	}
	var answer graph.Document
	next, err := q.partInto(&answer, wanted{head: head, tail: tail, before: ask.Get("before"), limit: graphPage,
		keep: keeping(body.Agent != "", body.wrote)})
	if ask.Get("before") == "" {
		err = optional(err)
	}
	if err != nil {
		return "", "", nil, err
	}
	q.digits, body.Commits = answer.IDDigits, answer.Commits
	chosen := body.Author != "" || body.Agent != "" // then commits are missing between the listed ones
	body.Lanes = laned(answer.Commits, next != "" && !chosen)
	if next != "" {
		ask.Set("before", next)
		body.More = "/graph?" + ask.Encode()
	}
	return "Commits", "graph", body, nil
}

// `wrote` reports whether the selected agent wrote lines of a commit.
func (b *graphBody) wrote(c *graph.CommitJSON) bool {
	return slices.ContainsFunc(c.Contributors, func(w graph.ContributorJSON) bool {
		return records.Value(w.Agent) == b.Agent
	})
}

type searchBody struct {
	Text, Where string
	Places      []searchPlace
	Facets      []searchFacet
	Filtered    bool // a facet is chosen
	answers.Search
}

// searchFacet is a filter of the page, which is an option of the command. Without a value it is only on or off.
type searchFacet struct {
	Name, Label, Value, Usual string
	Choice                    bool
}

// searchFacets returns the filters without the chosen values.
func searchFacets() []searchFacet {
	return []searchFacet{
		{Name: "file", Label: "File", Usual: "src/**"}, {Name: "tool", Label: "Tool", Usual: "Edit"},
		{Name: "skill", Label: "Skill", Usual: "any"}, {Name: "model", Label: "Model", Usual: "claude-*"},
		{Name: "agent", Label: "Agent", Usual: "any"}, {Name: "since", Label: "Since", Usual: "2.weeks"},
		{Name: "failed", Label: "failed", Choice: true}, {Name: "test", Label: "runs tests", Choice: true},
		{Name: "survived", Label: "in a commit", Choice: true},
	}
}

// searchPlace is a part of conversations in which words are searched.
type searchPlace struct {
	Name, Address string
	Here          bool
	Found         int // number of conversations; -1 if unknown
}

// searchPlaces lists the values of the parameter `in`; "" means everywhere.
var searchPlaces = []string{"", "prompts", "answers", "calls", "files"}

// searchPage is the number of conversations on a page of results.
const searchPage = 30

func search(q *question) (string, string, any, error) {
	body := &searchBody{Text: strings.TrimSpace(q.r.URL.Query().Get("q")), Where: q.r.URL.Query().Get("in")}
	if !slices.Contains(searchPlaces, body.Where) {
		return "", "", nil, fmt.Errorf("in '%s': %w: one of%s", body.Where, errBadQuestion, strings.Join(searchPlaces, " "))
	}
	wanted := strings.Fields(body.Text)
	args := []string{"search", "--json", "-n", strconv.Itoa(searchPage), "--in=" + body.Where}
	chosen := url.Values{}
	for _, f := range searchFacets() {
		if f.Value = strings.TrimSpace(q.r.URL.Query().Get(f.Name)); f.Value != "" {
			option := "--" + f.Name
			if !f.Choice {
				option += "=" + f.Value
			}
			args = append(args, option)
			chosen.Set(f.Name, f.Value)
			body.Filtered = body.Filtered || f.Name != "agent"
		}
		body.Facets = append(body.Facets, f)
	}
	if len(wanted) == 0 && !body.Filtered {
		return "Search", "search", body, nil
	}
	args = append(append(args, "--"), wanted...)
	err := optional(q.into(&body.Search, args...))
	q.digits = body.IDDigits
	for _, in := range searchPlaces {
		if body.Filtered {
			break // filters select calls, which are not in any of the places
		}
		ask := maps.Clone(chosen)
		ask.Set("q", body.Text)
		place := searchPlace{Name: "everywhere", Here: in == body.Where, Found: -1}
		if in != "" {
			ask.Set("in", in)
			place.Name, place.Found = "in "+in, body.In[index.In(in)]
		}
		place.Address = "/search?" + ask.Encode()
		body.Places = append(body.Places, place)
	}
	return "Search for " + body.Text, "search", body, err
}

// Marked splits a text, and marks the searched words.
func (b *searchBody) Marked(text string) []part {
	text = strings.ReplaceAll(text, "\n", " ")
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		return []part{{Text: text}}
	}
	var out []part
	for at := 0; at < len(text); {
		next, length := len(text), 0
		for word := range strings.FieldsSeq(strings.ToLower(b.Text)) {
			if i := strings.Index(lower[at:], word); i >= 0 && at+i < next {
				next, length = at+i, len(word)
			}
		}
		if next > at {
			out = append(out, part{Text: text[at:next]})
		}
		if length > 0 {
			out = append(out, part{Text: text[next : next+length], Marked: true})
		}
		at = next + length
	}
	return out
}

// treeEntry is a file or a directory.
type treeEntry struct {
	Name    string
	Dir     bool
	Address string
	Lines   *stats.Lines // lines added by commits to the file, or below the directory; nil if unknown
}

type treeBody struct {
	Rev, Path string
	Names     []crumb
	Entries   []treeEntry
}

// directory returns the list of a directory in a commit. Each row has the owners of the lines that commits added to the
// file, or below the directory.
func directory(q *question) (string, string, any, error) {
	commit, err := q.files.commit(q.ctx, q.r.PathValue("rev"))
	if err != nil {
		return "", "", nil, err
	}
	path := strings.Trim(q.r.PathValue("path"), "/")
	objects := q.repo.Objects()
	defer objects.Close()
	e, err := q.files.entry(objects, commit, path)
	if err != nil {
		return "", "", nil, err
	}
	if !e.IsDir() {
		return "", "", nil, &moved{at("blame", commit, path)}
	}
	if commit.String() != q.r.PathValue("rev") {
		return "", "", nil, &moved{at("tree", commit, path)}
	}
	list, err := objects.Tree(e.OID)
	if err != nil {
		return "", "", nil, err
	}
	body := &treeBody{Rev: commit.String(), Path: path, Names: crumbs(commit.String(), path)}
	args := []string{"stats", "--json", "--now", "--by=file", commit.String()}
	if path != "" {
		args = append(args, "--", path)
	}
	var sums figures.Stats
	_ = q.into(&sums, args...) // after an error only the names are shown
	linesOf := below(&sums, path)
	for _, entry := range list {
		full := strings.TrimPrefix(path+"/"+entry.Name, "/")
		one := treeEntry{Name: entry.Name, Dir: entry.IsDir(), Address: at("blame", commit, full)}
		if one.Dir {
			one.Address = at("tree", commit, full)
		}
		if lines := linesOf[entry.Name]; lines.Added > 0 {
			one.Lines = &lines
		}
		body.Entries = append(body.Entries, one)
	}
	slices.SortStableFunc(body.Entries, func(a, b treeEntry) int {
		switch {
		case a.Dir == b.Dir:
			return strings.Compare(a.Name, b.Name)
		case a.Dir:
			return -1
		}
		return 1
	})
	return "/" + path, "tree", body, nil
}

// `below` sums up the lines of files by entry of the directory: the file itself, or the subdirectory that contains it.
func below(a *figures.Stats, dir string) map[string]stats.Lines {
	sums := map[string]stats.Lines{}
	for _, g := range a.Groups {
		rest, in := records.Value(g.Key["file"]), true
		if dir != "" {
			rest, in = strings.CutPrefix(rest, dir+"/")
		}
		if name, _, _ := strings.Cut(rest, "/"); in && name != "" {
			sum := sums[name]
			sum.Join(g.Lines)
			sums[name] = sum
		}
	}
	return sums
}

// `tracked` returns the page of a patch.
func tracked(q *question) (string, string, any, error) {
	id := q.r.PathValue("patch")
	if err := noOption(id); err != nil || strings.ContainsAny(id, ":#/") {
		return "", "", nil, fmt.Errorf("patch '%s': %w", id, errNotFound)
	}
	body := &struct {
		Trail *trail.TrailJSON
		Hunk  *view.Hunk
		Fate  fate
	}{}
	var answer shown
	err := all(
		func() error {
			trails, err := q.trails(q.ctx, id)
			if len(trails) > 0 {
				body.Trail = trails[0]
			}
			return err
		},
		func() error { return q.into(&answer, "show", "--json", id) },
	)
	if err != nil {
		return "", "", nil, err
	}
	q.digits = answer.IDDigits
	for _, o := range answer.Objects {
		body.Hunk = o.Patch
	}
	if body.Trail == nil || body.Hunk == nil {
		return "", "", nil, fmt.Errorf("patch '%s': %w", id, errNotFound)
	}
	if string(body.Trail.Patch) != id {
		return "", "", nil, &moved{(&url.URL{Path: at("track", body.Trail.Patch), RawQuery: q.r.URL.RawQuery}).String()}
	}
	body.Fate.add(body.Trail)
	return "A patch of " + body.Trail.Path, "track", body, nil
}

type healthBody struct {
	Status  status
	Fetched []sharing.FetchedState // empty if there are too many
	Verify  checked
}

// mostWriters is the number of other clones' logs up to which a page checks them.
const mostWriters = 200

// health returns the page about the log's integrity and the state of recording.
func health(q *question) (string, string, any, error) {
	body := &healthBody{}
	body.Verify.At = time.Now()
	err := all(
		func() error { return q.status(&body.Status) },
		func() error { return q.into(&body.Verify, verifying...) },
	)
	if n := body.Status.Writers(); err == nil && n > 0 && n <= mostWriters {
		var answer answers.Fetched
		err = q.into(&answer, "verify", "--fetched", "--json")
		body.Fetched = slices.DeleteFunc(answer.Fetched, func(f sharing.FetchedState) bool { return f.Own })
	}
	return "Health", "health", body, err
}
