package carry

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// A described commit of the history gives its lines to a later commit only if they were removed in between.
func TestLinesOfTheHistoryThatReturn(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ script, want string }{
		"a revert of a revert":                {"git revert --no-edit HEAD; git revert --no-edit HEAD", "f 5-9"},
		"twice":                               {"for i in 1 2 3 4; do git revert --no-edit HEAD; done", "f 5-9 f 5-9"},
		"a part of them":                      {"git revert --no-edit HEAD; { top; lines | head -3; bottom; } >f; save part", "f 5-7"},
		"removed on a branch and merged":      {"git switch -qc side; git revert --no-edit HEAD; git switch -q main; echo x >x; save x; git merge -q --no-edit side; all; save again", "f 5-9"},
		"into another file":                   {"git revert --no-edit HEAD; { echo other; lines; } >g; save other", ""},
		"a copy while they stand":             {"{ echo other; lines; } >g; save copy", ""},
		"a copy in the file while they stand": {"{ top; lines; bottom; lines; } >f; save copy", ""},
		"removed and never back":              {"git revert --no-edit HEAD; echo end >>f; save end", ""},
		"another line in their place":         {"git revert --no-edit HEAD; { top; echo 'another_value = compute(another_number, 5)'; bottom; } >f; save other", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := testenv.Repository(t, `
save() { git add .; git commit -qm "$1"; }
top() { for i in 1 2 3 4; do echo "first_value_$i = begin_the_work($i)"; done; }
lines() { for i in 1 2 3; do echo "value_$i = compute(number_$i, $i * 7)"; done; echo '}'; echo 'last_value = finish(the_whole_work)'; }
bottom() { for i in 1 2 3 4; do echo "end_value_$i = end_the_work($i)"; done; }
all() { { top; lines; bottom; } >f; }
{ top; bottom; } >f; save begin
all; save agent; git tag agent
`+tt.script)
			repo, err := refs.Discover(dir)
			if err != nil {
				t.Fatal(err)
			}
			out, err := repo.Git(t.Context(), nil, "rev-parse", "agent")
			if err != nil {
				t.Fatal(err)
			}
			id, err := refs.ParseOID(strings.TrimSpace(string(out)))
			if err != nil {
				t.Fatal(err)
			}
			claims := []*events.CommitData{{
				Commit: id, Owners: []events.AnchorOwner{{Kind: events.OwnerAI, Session: "S", Trace: events.NewTraceID("pi", "S")}},
				Files: []events.AnchorFile{{Path: "f", Runs: []events.AnchorRun{{Start: 5, Count: 5, Tier: "line_fingerprint"}}}},
			}}
			var got []string
			err = Find(t.Context(), repo, claims, func(d *events.CommitData) error {
				for _, f := range d.Files {
					first, last := f.Runs[0], f.Runs[len(f.Runs)-1]
					got = append(got, fmt.Sprintf("%s %d-%d", filepath.Base(f.Path), first.Start, last.Start+last.Count-1))
				}
				return nil
			})
			if err != nil || strings.Join(got, " ") != tt.want {
				t.Errorf("got %q, want %q: %v", got, tt.want, err)
			}
		})
	}
}

// A squashed branch has the same lines in two files of two agents: each file has those that its own commit described.
func TestAFileHasTheOwnersThatItsOwnSourceNames(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"plan.md", "code.go"} {
		second := map[string]string{"plan.md": "code.go", "code.go": "plan.md"}[first]
		dir := testenv.Repository(t, `
lines() { for i in 1 2 3 4 5 6; do echo "value_$i = compute(number_$i, $i * 7)"; done; }
git commit -q --allow-empty -m begin; git switch -qc side
lines >`+first+`; git add .; git commit -qm one; git tag one
lines >`+second+`; git add .; git commit -qm two; git tag two
git switch -q main; git merge -q --squash side; git commit -qm squashed; git branch -qD side`)
		repo, err := refs.Discover(dir)
		if err != nil {
			t.Fatal(err)
		}
		var claims []*events.CommitData
		for i, tag := range []string{"one", "two"} {
			out, err := repo.Git(t.Context(), nil, "rev-parse", tag)
			if err != nil {
				t.Fatal(err)
			}
			id, err := refs.ParseOID(strings.TrimSpace(string(out)))
			if err != nil {
				t.Fatal(err)
			}
			path := []string{first, second}[i]
			claims = append(claims, &events.CommitData{
				Commit: id, Owners: []events.AnchorOwner{{Kind: events.OwnerAI, Session: path, Trace: events.NewTraceID("pi", path)}},
				Files: []events.AnchorFile{{Path: path, Runs: []events.AnchorRun{{Start: 1, Count: 6, Tier: "line_fingerprint"}}}},
			})
		}
		count := 0
		err = Find(t.Context(), repo, claims, func(d *events.CommitData) error {
			for _, f := range d.Files {
				for _, r := range f.Runs {
					if count += r.Count; d.Owners[r.Owner].Session != f.Path {
						t.Errorf("%s first: lines of %s are said to be of %s", first, f.Path, d.Owners[r.Owner].Session)
					}
				}
			}
			return nil
		})
		if err != nil || count != 12 {
			t.Errorf("%s first: %d lines: %v", first, count, err)
		}
	}
}
