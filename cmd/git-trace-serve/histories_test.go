package main

import (
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// randomHistory is a repository in which people and conversations write by chance, on branches that are merged, with
// commits that are amended, and something that nobody has committed.
func randomHistory(t *testing.T, rng *rand.Rand) *recording.World {
	w := recording.New(t)
	texts := map[string][]string{"base.txt": {"base one", "base two", "base three"}}
	names := []string{"base.txt", "b c.txt", "d/e.txt", "f<&>.txt"}
	w.Check(exec.Command("mkdir", w.Repo.WorkTree+"/d").Run())
	topics := 0
	for step := range 10 + rng.IntN(10) {
		name := names[rng.IntN(len(names))]
		lines := texts[name]
		at := rng.IntN(len(lines) + 1)
		added := make([]string, 1+rng.IntN(4))
		for i := range added {
			added[i] = fmt.Sprintf("line %d.%d of %s <&>", step, i, name)
		}
		lines = slices.Concat(lines[:at], added, lines[min(at+rng.IntN(2), len(lines)):])
		texts[name] = lines
		text := strings.Join(lines, "\n") + "\n"
		if who := rng.IntN(4); who == 0 {
			w.Write(name, text)
		} else {
			w.Edit(fmt.Sprintf("session %d", who), name, text)
		}
		switch rng.IntN(6) {
		case 0, 1, 2:
			w.Commit(fmt.Sprintf("commit %d <&>", step))
			w.Anchor()
		case 3:
			older := w.Commit("to be amended")
			w.Anchor()
			w.Git("commit", "-q", "--amend", "-m", "amended")
			w.Anchor()
			w.Rewritten("amend", older, w.Head())
		case 4:
			w.Commit("before a branch")
			w.Anchor()
			topics++
			topic := fmt.Sprint("topic", topics)
			w.Git("checkout", "-q", "-b", topic)
			w.Edit("session 4", topic+".txt", "one\ntwo\n")
			w.Commit("on " + topic)
			w.Anchor()
			w.Git("checkout", "-q", "main")
			w.Git("merge", "-q", "--no-ff", "-m", "merge "+topic, topic)
			w.Anchor()
		}
	}
	return w
}

var (
	drawnRun  = regexp.MustCompile(`<li class="n(\d+)([^"]*)"(?: data-t="(\d+)")?><p>(.*?)<p>(?s:.*?)<pre>((?s:.*?))</pre>`)
	drawnTalk = regexp.MustCompile(`^<a href="/t/([^"/]+)`)
	talkRow   = regexp.MustCompile(`<a class="cover" href="/t/([^"/]+)"`)
	commitRow = regexp.MustCompile(`<a class="cover" href="/commit/([^"/]+)"`)
	figure    = regexp.MustCompile(`<dt>(Commits|Lines added|By agents|By people|Unknown|Conversations)</dt><dd>([\d,]+)`)
)

// firsts are what the first group of a pattern matches in a page.
func firsts(pattern *regexp.Regexp, page string) (out []string) {
	for _, m := range pattern.FindAllStringSubmatch(page, -1) {
		out = append(out, m[1])
	}
	return out
}

// W10: over histories made by chance, programs are told what the commands print, and pages show it.
func TestPagesSayWhatTheCommandsSayOfAnyHistory(t *testing.T) {
	program, _ := built(t)
	for seed := range testenv.Pick(1, 2, 50) {
		w := randomHistory(t, rand.New(rand.NewPCG(uint64(seed), 10)))
		dir := w.Repo.WorkTree
		s := serveSite(t, program, dir)
		run := func(args ...string) string {
			t.Helper()
			cmd := exec.Command(program, args...)
			cmd.Dir = dir
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("seed %d: %v: %v", seed, args, err)
			}
			return string(out)
		}
		head := w.Head().String()
		for path, args := range map[string][]string{
			"log?limit=50": {"log", "--json", "-n", "50"}, "graph?limit=50": {"graph", "--json", "-n", "50"},
			"stats?by=agent": {"stats", "--json", "--by=agent"}, "status": {"status", "--json"},
			"diff?range=" + head + "~1.." + head: {"diff", "--json", head + "~1.." + head, "--"},
		} {
			if path == "status" {
				continue // it tells the time that has passed
			}
			if got, status := s.get("/api/1/" + path); status != 200 || got != run(args...) {
				t.Errorf("seed %d: %s: status %d\n%s", seed, path, status, got)
			}
		}
		for _, name := range strings.Fields(strings.ReplaceAll(w.Git("ls-tree", "-r", "-z", "--name-only", "HEAD"), " ", "%20")) {
			for name := range strings.SplitSeq(strings.Trim(name, "\x00"), "\x00") {
				s.blamesAs(seed, head, strings.ReplaceAll(name, "%20", " "), run)
			}
		}
		s.listsAs(seed, run)
	}
}

// blamesAs holds the page of a file against git trace blame.
func (s *site) blamesAs(seed int, rev, name string, run func(...string) string) {
	s.t.Helper()
	var want struct {
		Runs []struct {
			Count       int
			Contributor string
			Trace       *string
		}
	}
	if err := json.Unmarshal([]byte(run("blame", "--json=runs", rev, "--", name)), &want); err != nil {
		s.t.Fatal(err)
	}
	page, status := s.get("/blame/" + rev + "/" + strings.NewReplacer(" ", "%20", "<", "%3C", "&", "%26", ">", "%3E").Replace(name))
	var told, drawn []string // of each line, whose it is
	for _, r := range want.Runs {
		owner := r.Contributor
		if r.Trace != nil {
			owner = (*r.Trace)[:8]
		}
		told = append(told, slices.Repeat([]string{owner}, r.Count)...)
	}
	text, talks := "", map[string]string{}
	for _, m := range drawnRun.FindAllStringSubmatch(page, -1) {
		rows, _ := strconv.Atoi(m[1])
		owner := map[string]string{"": "human", " u": "unknown", " m": "mixed"}[m[2]]
		if first := drawnTalk.FindStringSubmatch(m[4]); first != nil {
			talks[m[3]] = first[1]
		}
		if m[3] != "" {
			owner = talks[m[3]]
		}
		drawn = append(drawn, slices.Repeat([]string{owner}, rows)...)
		text += strings.TrimPrefix(m[5], "\n") // browsers drop it
	}
	if status != 200 || !slices.Equal(told, drawn) || len(drawn) == 0 {
		s.t.Errorf("seed %d: %s: status %d\n%q\nnot\n%q", seed, name, status, drawn, told)
	}
	if n := strings.Count(html.UnescapeString(text), "\n"); n != len(told) {
		s.t.Errorf("seed %d: %s has %d lines on its page, and %d in the file", seed, name, n, len(told))
	}
}

// listsAs holds the pages of conversations, of commits and of figures against the commands.
func (s *site) listsAs(seed int, run func(...string) string) {
	s.t.Helper()
	var talks struct{ Conversations []struct{ Trace string } }
	var commits struct{ Commits []struct{ Commit string } }
	var figures struct {
		Lines         struct{ Commits, Added, AI, Human, Unknown int }
		Conversations struct{ Count int }
	}
	for args, to := range map[string]any{"log": &talks, "graph": &commits, "stats": &figures} {
		if err := json.Unmarshal([]byte(run(append([]string{args, "--json"}, map[string][]string{
			"stats": {"--by=week", "--since=6 months ago"}}[args]...)...)), to); err != nil {
			s.t.Fatal(err)
		}
	}
	var ids, oids []string
	for _, c := range talks.Conversations {
		ids = append(ids, c.Trace)
	}
	for _, c := range commits.Commits {
		oids = append(oids, c.Commit)
	}
	page, _ := s.get("/log")
	if got := firsts(talkRow, page); !slices.Equal(got, ids) || len(got) == 0 {
		s.t.Errorf("seed %d: /log has %q, not %q", seed, got, ids)
	}
	page, _ = s.get("/graph")
	if got := firsts(commitRow, page); !slices.Equal(got, oids[:min(50, len(oids))]) || len(got) == 0 {
		s.t.Errorf("seed %d: /graph has %q, not %q", seed, got, oids)
	}
	page, _ = s.get("/stats")
	got := ""
	for _, m := range figure.FindAllStringSubmatch(page, -1) {
		got += m[1] + " " + m[2] + "; "
	}
	l := figures.Lines
	if want := fmt.Sprintf("Commits %d; Lines added %d; By agents %d; By people %d; Unknown %d; Conversations %d; ", l.Commits,
		l.Added, l.AI, l.Human, l.Unknown, figures.Conversations.Count); got != want {
		s.t.Errorf("seed %d: /stats says %s not %s", seed, got, want)
	}
}
