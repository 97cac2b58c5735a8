package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/records"
)

// backfilled is a line of backfill --json.
type backfilled struct {
	Commit     string `json:"commit"`
	Trace      string `json:"trace"`
	Session    string `json:"session"`
	Agent      string `json:"agent"`
	Tier       string `json:"tier"`
	Confidence string `json:"confidence"`
	Lines      int    `json:"lines"`
	Files      int    `json:"files"`
}

func (w *pastWorld) backfill(args ...string) []backfilled {
	w.t.Helper()
	cmd := w.command("git-trace", append([]string{"backfill", "--json", "--transcripts", w.folder}, args...)...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("backfill: %v: %s", err, complaint.String())
	}
	var rows []backfilled
	for line := range bytes.Lines(out) {
		var row backfilled
		w.must(json.Unmarshal(line, &row))
		rows = append(rows, row)
	}
	return rows
}

// pastHistory makes a history with everything in it that happens: several sessions and people in one commit, sessions
// of other checkouts, partial commits, a rebased branch, a squashed one, strangers and work that was taken back.
func pastHistory(t testing.TB, seed int64, commits int) *pastWorld {
	w := newPastWorld(t, seed)
	w.stretch(commits, "")
	w.endAll()
	w.git("add", "-A")
	w.commit("rest")
	w.strangers(3)
	w.undone(2)
	// A branch that is rebased.
	w.git("switch", "-qc", "topic")
	w.stretch(commits/4, "topic/")
	w.commit("rest of topic")
	w.git("switch", "-q", "main")
	for range 3 {
		w.tick()
		w.person("pkg1/")
		w.commit("by hand")
	}
	w.git("switch", "-q", "topic")
	w.tick()
	w.git("rebase", "-q", "main")
	w.git("switch", "-q", "main")
	w.git("merge", "-q", "--ff-only", "topic")
	// A branch that is squashed.
	w.git("switch", "-qc", "squash")
	w.stretch(commits/4, "squash/")
	w.commit("rest of squash")
	w.git("switch", "-q", "main")
	w.tick()
	w.git("merge", "-q", "--squash", "squash")
	w.git("commit", "-q", "-m", "squashed")
	w.stretch(commits/4, "")
	w.endAll()
	w.commit("the end")
	return w
}

func TestBackfillFindsEverySessionOfACommitAndNoOther(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	seeds := 2 // GITTRACE_SEEDS asks for more
	if n, err := strconv.Atoi(os.Getenv("GITTRACE_SEEDS")); err == nil {
		seeds = n
	}
	right, wrong, missed, lines, found := 0, 0, 0, 0, 0
	byAgent := map[string][2]int{} // links right and missed
	for seed := range seeds {
		w := pastHistory(t, int64(seed)+1, 16)
		truth := w.truth()
		for _, row := range w.backfill() {
			n, is := truth[row.Commit][row.Session]
			if !is {
				wrong++
				t.Errorf("seed %d: %.8s was credited to %s (%s, %s, %d lines)", seed, row.Commit, row.Session, row.Agent, row.Tier, row.Lines)
				continue
			}
			right++
			count := byAgent[row.Agent]
			byAgent[row.Agent] = [2]int{count[0] + 1, count[1]}
			found += min(row.Lines, n)
			delete(truth[row.Commit], row.Session)
			lines += n
		}
		for commit, sessions := range truth {
			for session, n := range sessions {
				missed++
				lines += n
				agent := w.agents[session]
				count := byAgent[agent]
				byAgent[agent] = [2]int{count[0], count[1] + 1}
				t.Logf("seed %d: %.8s was not credited to %s %s (%d lines)", seed, commit, agent, session, n)
			}
		}
		if rows := w.backfill(); len(rows) > 0 {
			t.Errorf("seed %d: the second run found %d links", seed, len(rows))
		}
	}
	recall := float64(right) / float64(max(right+missed, 1))
	t.Logf("%d links right, %d wrong, %d missed: recall %.3f, of lines %.3f", right, wrong, missed, recall, float64(found)/float64(max(lines, 1)))
	t.Logf("links right and missed by agent: %v", byAgent)
	if recall < 0.97 {
		t.Errorf("recall %.3f", recall)
	}
	for _, agent := range []string{"claude-code", "codex-cli", "gemini-cli", "opencode", "copilot-cli", "pi"} {
		if n := byAgent[agent]; n[0] < 3 || n[1] > 1+n[0]/10 {
			t.Errorf("%s: %d links right, %d missed", agent, n[0], n[1])
		}
	}
}

// The promise: a history of 1,000 commits and 500 sessions in less than a minute, and nothing credited wrongly. Making
// it takes minutes, so the test runs with GITTRACE_LONG=1 only.
func TestBackfillOfALongHistory(t *testing.T) {
	if os.Getenv("GITTRACE_LONG") == "" {
		t.Skip("GITTRACE_LONG is not set")
	}
	const commits, sessions = 1000, 500
	w := newPastWorld(t, 1)
	w.stretch(commits, "")
	w.endAll()
	w.strangers(max(sessions-w.made, 10))
	truth := w.truth()
	cmd := w.command("git-trace", "backfill", "--json", "--transcripts", w.folder)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for line := range bytes.Lines(out) {
		var row backfilled
		w.must(json.Unmarshal(line, &row))
		if truth[row.Commit][row.Session] == 0 {
			t.Errorf("%.8s was credited to %s (%s, %s, %d lines)", row.Commit, row.Session, row.Agent, row.Tier, row.Lines)
			continue
		}
		right++
		delete(truth[row.Commit], row.Session)
	}
	missed := 0
	for _, rest := range truth {
		missed += len(rest)
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	t.Logf("%d sessions: %d links right, %d missed, %v of processor time", w.made, right, missed, used)
	if recall := float64(right) / float64(right+missed); recall < 0.97 {
		t.Errorf("recall %.3f", recall)
	}
	if used > time.Minute {
		t.Errorf("it takes %v", used)
	}
}

func TestBackfillNamesTheConversationInBlame(t *testing.T) {
	t.Parallel()
	w := pastHistory(t, 77, 6)
	rows := w.backfill()
	if len(rows) == 0 {
		t.Fatal("nothing was found")
	}
	blamed := 0
	for _, path := range w.files() {
		cmd := w.command("git-trace", "blame", "--json", "--prompts", path)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		var answer struct {
			Lines []struct {
				Content string `json:"content"`
				Session string `json:"session"`
				Prompt  *struct {
					Index int    `json:"index"`
					Text  string `json:"text"`
				} `json:"prompt"`
				Contributor string `json:"contributor"`
			} `json:"lines"`
		}
		w.must(json.Unmarshal(out, &answer))
		for _, l := range answer.Lines {
			switch writer := w.writers[strings.TrimSuffix(l.Content, "\n")]; {
			case writer == "" || writer == "human":
				if writer == "human" && l.Contributor == "ai" {
					t.Errorf("%s: a person's line is %s's: %s", path, l.Session, l.Content)
				}
			case l.Session == writer:
				if blamed++; l.Prompt == nil || l.Prompt.Index != 1 || l.Prompt.Text != "go on" {
					t.Errorf("%s: prompt %+v", path, l.Prompt)
				}
			case l.Session != "":
				t.Errorf("%s: line of %s is credited to %s", path, writer, l.Session)
			}
		}
	}
	if blamed < 50 {
		t.Errorf("%d lines are named", blamed)
	}
	for _, args := range [][]string{{"verify"}, {"log"}, {"show", rows[0].Trace}, {"show", rows[0].Commit}} {
		if out, err := w.command("git-trace", args...).CombinedOutput(); err != nil {
			t.Errorf("%v: %v: %s", args, err, out)
		}
	}
}

// What backfill tells of a conversation stands in its record too, for every form in which that is passed on.
func TestBackfillLinksTheRecordsWithTheCommits(t *testing.T) {
	t.Parallel()
	w := pastHistory(t, 78, 6)
	rows := w.backfill()
	linked := 0
	for _, row := range rows {
		var record struct {
			Links []records.GitLink `json:"git_links"`
		}
		w.must(json.Unmarshal([]byte(w.git("cat-file", "-p", "refs/traces/records:"+row.Trace[:2]+"/"+row.Trace+".json")), &record))
		at := slices.IndexFunc(record.Links, func(l records.GitLink) bool { return l.Revision == row.Commit })
		switch {
		case at < 0:
			t.Errorf("the record of %s names no commit %s: %+v", row.Trace, row.Commit, record.Links)
		case record.Links[at].Tier == records.TierOrphan || record.Links[at].Tier == "":
			t.Errorf("%s is linked with %s as %q", row.Trace, row.Commit, record.Links[at].Tier)
		default:
			linked++
		}
	}
	if linked < 5 {
		t.Errorf("%d links of %d", linked, len(rows))
	}
}

func TestBackfillTellsLinksAsItsSchemaSays(t *testing.T) {
	t.Parallel()
	w := pastHistory(t, 9, 4)
	out, err := w.command("git-trace", "backfill", "--json", "--dry-run", "--transcripts", w.folder).Output()
	if err != nil || len(out) == 0 {
		t.Fatalf("%v: %s", err, out)
	}
	follows(t, "backfill", string(out))
}

func TestBackfillOfARangeAndADryRunWriteNoMoreThanTheySay(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	w := pastHistory(t, 5, 6)
	dry := w.backfill("--dry-run")
	part := w.backfill("HEAD~3..HEAD")
	rest := w.backfill()
	if len(part) == 0 || len(part) >= len(dry) || len(part)+len(rest) != len(dry) {
		t.Errorf("%d links, %d of them in the range, %d in the rest", len(dry), len(part), len(rest))
	}
	known := map[string]bool{}
	for _, row := range dry {
		known[fmt.Sprint(row)] = true
	}
	for _, row := range append(part, rest...) {
		if !known[fmt.Sprint(row)] {
			t.Errorf("%+v was not announced", row)
		}
	}
	if rows := w.backfill("--all"); len(rows) > 0 { // the branch that was squashed has commits of its own
		for _, row := range rows {
			if strings.Contains(w.git("rev-list", "HEAD"), row.Commit) {
				t.Errorf("%+v was left over", row)
			}
		}
	}
}

// What was purged does not come back with another commit that holds lines of the conversation.
func TestBackfillBringsNothingBackThatWasPurged(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	w := pastHistory(t, 5, 16)
	newer := map[string]bool{}
	part := w.backfill("HEAD~22..HEAD")
	for _, row := range part {
		newer[row.Commit+row.Trace] = true
	}
	purged := ""
	for _, row := range w.backfill("--dry-run") {
		if !newer[row.Commit+row.Trace] && slices.ContainsFunc(part, func(p backfilled) bool { return p.Trace == row.Trace }) {
			purged = row.Trace
		}
	}
	if purged == "" {
		t.Fatal("no conversation wrote lines of both parts of the history")
	}
	if out, err := w.command("git-trace", "purge", "--trace", purged, "--yes").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	linked := false
	for _, row := range w.backfill() {
		linked = linked || row.Trace == purged
	}
	if !linked {
		t.Error("its lines are not found again: the test shows nothing")
	}
	if names := w.git("ls-tree", "-r", "--name-only", "refs/traces/records"); strings.Contains(names, purged) {
		t.Error("its record is back")
	}
	if left, _ := filepath.Glob(filepath.Join(w.dir, ".git", "traces", "prompts", purged, "*")); len(left) > 0 {
		t.Errorf("its prompts are back: %v", left)
	}
}

// Nor does what was purged by its path, with the rest of the conversation.
func TestBackfillBringsNothingBackOfAPurgedPath(t *testing.T) {
	t.Parallel()
	w := newPastWorld(t, 1)
	w.put("base.txt", []string{"base"})
	w.commit("base")
	s := w.at(w.dir)
	s.prompt("make two files")
	s.write("total.go", text(shopCode), nil, true)
	w.commit("total")
	s.write("secret/script.py", text(scriptCode), nil, true)
	s.end()
	w.commit("script")
	stored := func() string {
		var all strings.Builder
		for _, line := range strings.Split(w.git("ls-tree", "-r", "refs/traces/records"), "\n") {
			if fields := strings.Fields(line); len(fields) > 2 {
				all.WriteString(w.git("cat-file", "-p", fields[2]))
			}
		}
		return all.String()
	}
	word := "argparse.ArgumentParser"
	if w.backfill("HEAD~1..HEAD"); !strings.Contains(stored(), word) {
		t.Fatalf("%q is not in its record: the test shows nothing", word)
	}
	if out, err := w.command("git-trace", "purge", "--path", "secret/script.py", "--yes").CombinedOutput(); err != nil && strings.Contains(stored(), word) {
		t.Fatalf("%v: %s", err, out)
	}
	for _, whole := range []bool{false, true} {
		if whole { // without what was stored before
			w.git("update-ref", "-d", "refs/traces/records")
			testenv.LoseLog(t, w.dir)
		}
		w.backfill()
		got := stored()
		if !strings.Contains(got, "total.go") {
			t.Errorf("whole %v: the rest of the conversation is not stored: the test shows nothing", whole)
		}
		if strings.Contains(got, word) || strings.Contains(got, "secret/script.py\"") {
			t.Errorf("whole %v: the purged file is back", whole)
		}
	}
}
