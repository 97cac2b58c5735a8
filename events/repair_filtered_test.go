package events

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

// namingDraft is a draft that names commits.
func namingDraft(n int, commits ...string) Draft {
	d := promptDraft(n)
	data := map[string]any{"commit": commits[0], "added": 0, "ai": 0, "human": 0, "unknown": 0, "parents": commits[1:]}
	d.Type, d.Method = CommitAnchored, []Method{PostCommit}
	d.Data, _ = json.Marshal(data)
	return d
}

// filter does to the log what git-filter-repo does: every commit anew, with the ids in its message replaced, and a
// table of both.
func filter(t *testing.T, l *Log, renamed map[string]string) {
	t.Helper()
	tip, err := l.Tip(refs.EventsRef)
	check(t, err)
	var parent refs.OID
	check(t, l.oldestFirst(context.Background(), tip, refs.OID{}, func(c rawCommit) error {
		text := string(c.raw)
		if !parent.IsZero() {
			b, err := parseBatch(c.raw)
			check(t, err)
			text = strings.Replace(text, "parent "+b.parent().String(), "parent "+parent.String(), 1)
		}
		for was, is := range renamed {
			text = strings.ReplaceAll(text, was, is)
		}
		oid, err := l.repo.WriteLoose(l.repo.MainObjects(), refs.CommitObject, []byte(text))
		parent = oid
		return err
	}))
	runGit(t, l.repo.GitDir, "update-ref", refs.EventsRef, parent.String())
	runGit(t, l.repo.GitDir, "prune", "--expire=now")
	table := fmt.Sprintf("%-40s %s\n", "old", "new")
	for was, is := range renamed {
		table += was + " " + is + "\n"
	}
	name := filepath.Join(l.repo.CommonDir, "filter-repo", "commit-map")
	check(t, os.MkdirAll(filepath.Dir(name), 0o777))
	check(t, os.WriteFile(name, []byte(table), 0o666))
}

func TestALogThatFilterRepoChangedIsPutBack(t *testing.T) {
	t.Parallel()
	id := func(c string) string { return strings.Repeat(c, 40) }
	for name, renamed := range map[string]map[string]string{
		"one by one":                      {id("a"): id("1"), id("b"): id("2"), id("c"): id("3")},
		"two commits became one":          {id("a"): id("1"), id("b"): id("1"), id("c"): id("3")},
		"the end of the log is untouched": {id("a"): id("1")},
	} {
		for _, how := range []string{"heal", "append", "verify"} {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				log := OpenLog(newRepo(t))
				mustAppend(t, log, promptDraft(0))
				mustAppend(t, log, namingDraft(1, id("a")), namingDraft(2, id("b"), id("a")))
				mustAppend(t, log, namingDraft(3, id("c"), id("a"), id("b")))
				want, err := log.Tip(refs.EventsRef)
				check(t, err)
				filter(t, log, renamed)
				if changed, _ := log.Tip(refs.EventsRef); changed == want {
					t.Fatal("nothing was changed")
				}
				switch how {
				case "heal":
					check(t, log.Heal(context.Background()))
				case "append":
					mustAppend(t, log, promptDraft(9))
				case "verify":
				}
				report, err := log.Verify(context.Background(), Verification{})
				check(t, err)
				if report.State != Consistent {
					t.Errorf("the log is %s: %v", report.Summary(), report.Faults)
				}
				got, err := log.Tip(refs.EventsRef)
				check(t, err)
				if how == "append" {
					got = openParent(t, log, got)
				}
				if got != want {
					t.Errorf("the log ends in %s, want %s as before", got, want)
				}
				fsck(t, log.repo)
			})
		}
	}
}

// openParent is the commit before another one of the log.
func openParent(t *testing.T, l *Log, commit refs.OID) refs.OID {
	t.Helper()
	raw, err := l.readCommit(commit)
	check(t, err)
	b, err := parseBatch(raw)
	check(t, err)
	return b.parent()
}

// What no table explains stays as it is and is still found, and the log is not searched again for every append.
func TestWhatNoTableExplainsStaysDamaged(t *testing.T) {
	t.Parallel()
	id := func(c string) string { return strings.Repeat(c, 40) }
	log := OpenLog(newRepo(t))
	mustAppend(t, log, namingDraft(1, id("a")))
	mustAppend(t, log, namingDraft(2, id("b")))
	mustAppend(t, log, promptDraft(3))
	filter(t, log, map[string]string{id("a"): id("1"), id("b"): id("2")})
	table := filepath.Join(log.repo.CommonDir, "filter-repo", "commit-map")
	check(t, os.WriteFile(table, []byte(id("a")+" "+id("1")+"\n"+id("c")+" "+id("2")+"\nnonsense\n"), 0o666))
	mustAppend(t, log, promptDraft(4))
	report, err := log.Verify(context.Background(), Verification{})
	check(t, err)
	if report.State != Broken || len(report.Faults) != 1 || report.Faults[0].Seq != 3 || report.Faults[0].Kind != FaultHash {
		t.Errorf("the log is %s: %v", report.Summary(), report.Faults)
	}
	if _, again := log.wasFiltered(); again {
		t.Error("the same table would be looked at again")
	}
	check(t, os.WriteFile(table, []byte(id("b")+" "+id("2")+"\n"), 0o666)) // another run
	check(t, log.Heal(context.Background()))
	if report, err = log.Verify(context.Background(), Verification{}); err != nil || report.State != Consistent {
		t.Errorf("the log is %s: %v %v", report.Summary(), report.Faults, err)
	}
}

// A table that is none stops nobody.
func TestAnyFilterTableIsHarmless(t *testing.T) {
	t.Parallel()
	for name, table := range map[string]string{
		"empty": "", "a long line": strings.Repeat("x", 1<<20), "not text": "\x00\xff \x00\n", "one word a line": "a\nb\n",
	} {
		log := OpenLog(newRepo(t))
		mustAppend(t, log, namingDraft(1, strings.Repeat("a", 40)))
		filter(t, log, map[string]string{strings.Repeat("a", 40): strings.Repeat("1", 40)})
		check(t, os.WriteFile(filepath.Join(log.repo.CommonDir, "filter-repo", "commit-map"), []byte(table), 0o666))
		if err := log.Heal(context.Background()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if report, err := log.Verify(context.Background(), Verification{}); err != nil || report.State != Broken {
			t.Errorf("%s: the log is %s, %v", name, report.Summary(), err)
		}
	}
}
