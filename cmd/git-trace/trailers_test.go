package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// trailerForm is a way to commit. The words are a shell's; $n is the number of the commit, and commit is git commit with
// $config.
type trailerForm struct {
	name, script string
	none         bool // git has the message from elsewhere, or it is yet to be typed
}

var trailerForms = []trailerForm{
	{"a message", `commit -m "commit $n"`, false},
	{"two paragraphs", `commit -m "commit $n" -m 'and why'`, false},
	{"trailers already", `printf 'commit %s\n\nwhy\n\nReviewed-by: A <a@example.com>\n' $n | commit -F -`, false},
	{"a file", `printf 'commit %s\n\n\n\n  body \n' $n >../message; commit -F ../message`, false},
	{"scissors", `printf 'commit %s\n\nbody\n# kept\n' $n | commit --cleanup=scissors -F -`, false},
	{"white space", `printf '\n\ncommit %s  \n\n\n# kept\n' $n | commit --cleanup=whitespace -F -`, false},
	{"verbatim", `printf '\n commit %s \n\n\n# kept\n\n\n' $n | commit --cleanup=verbatim -F -`, false},
	{"another encoding", `config=i18n.commitEncoding=ISO-8859-1; printf 'caf\351 %s\n\nbody\n' $n | commit -F -`, false},
	{"another comment character", `config=core.commentChar=';'; printf 'commit %s\n\n# kept\n; gone\n' $n | commit --cleanup=strip -F -`, false},
	{"signed off", `commit -s -m "commit $n"`, false},
	{"a trailer of the user's", `commit -m "commit $n" --trailer 'Fixes: none'`, false},
	{"an editor", `GIT_EDITOR="sh -c 'echo typed $n >\"\$0\"'" commit`, true},
	{"a template", `echo template >../t; GIT_EDITOR="sh -c 'echo typed $n >\"\$0\"'" commit --template ../t`, true},
	{"amended", `config=trace.trailers=none; commit -m "commit $n"; config=x.y=z; commit --amend --no-edit`, true},
	{"another's message", `commit -C HEAD`, true},
	{"squashed", `git stash -q; git checkout -q -b "side$n"; git stash pop -q; git add -A; config=trace.trailers=none; commit -m side; config=x.y=z; git checkout -q main
		git merge -q --squash "side$n" >/dev/null; commit -m "squashed $n"`, true},
}

// Commits of no agent up to three, in every way that git takes a message: the trailers name exactly the agents that have
// a line in them, or none where the message is somebody else's. The message is byte for byte that of git commit --trailer.
func TestTrailersNameTheAgentsOfACommit(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	count, first := 40, number("GITTRACE_TRAILERS_SEED", 1)
	if !testenv.Long() {
		count = len(trailerForms)
	}
	random := rand.New(rand.NewPCG(uint64(first), 2))
	home := testenv.TempDir(t)
	config := "[user]\n\tname = A U Thor\n\temail = author@example.com\n[init]\n\tdefaultBranch = main\n" + testenv.Config
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	traced, plain := &recordedRepo{t: t, dir: filepath.Join(home, "traced"), home: home}, &recordedRepo{t: t, dir: filepath.Join(home, "plain"), home: home}
	for _, r := range []*recordedRepo{traced, plain} {
		if err := os.Mkdir(r.dir, 0o755); err != nil {
			t.Fatal(err)
		}
		r.run("git", "init", "-q")
	}
	traced.run("git", "config", "trace.trailers", "assisted-by")
	traced.run("git-trace", "init", "--agent", "claude-code")
	both := func(script string) {
		t.Helper()
		for _, r := range []*recordedRepo{traced, plain} {
			r.run("sh", "-e", "-c", script)
		}
	}
	both("git commit -q --allow-empty -m base")
	for n := range count {
		form := trailerForms[n%len(trailerForms)]
		var want []string
		for agent := range 3 {
			if random.IntN(2) == 0 {
				continue
			}
			file := fmt.Sprintf("%d by agent%d.txt", n, agent)
			hook := func(event, more string) {
				t.Helper()
				payload := fmt.Sprintf(`{"schema":"git-trace.hook/1","agent":"agent%d","session":"s%d","cwd":%q,%s}`, agent, agent, traced.dir, more)
				cmd := exec.Command("git-trace", "hook", "generic", event)
				cmd.Dir, cmd.Env, cmd.Stdin = traced.dir, traced.environ(), strings.NewReader(payload)
				if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
					t.Fatalf("hook %s: %v %s", event, err, out)
				}
			}
			call := fmt.Sprintf(`"model":"m%d","tool":{"id":"c%d","name":"write","does":"edits","paths":[%q]}`, agent, n, file)
			hook("prompt", fmt.Sprintf(`"prompt":{"id":"p%d","text":"more"}`, n))
			hook("tool-before", call)
			both(fmt.Sprintf("echo 'line %d of agent %d' >'%s'", n, agent, file))
			hook("tool-after", call)
			hook("turn-end", `"running":[]`)
			want = append(want, fmt.Sprintf("agent%d:m%d", agent, agent))
		}
		both("echo person >>typed.txt; git add -A")
		told := strings.Fields(strings.ReplaceAll(traced.run("git-trace", "trailers"), "Assisted-by: ", ""))
		if slices.Sort(told); !slices.Equal(told, want) {
			t.Errorf("commit %d: %q, want %q", n, told, want)
		}
		for _, r := range []*recordedRepo{traced, plain} {
			more := ""
			if r == plain && !form.none {
				for line := range strings.Lines(traced.run("git-trace", "trailers", "HEAD")) {
					more += " --trailer '" + strings.TrimSpace(line) + "'"
				}
			}
			r.run("sh", "-e", "-c", fmt.Sprintf(`n=%d config=x.y=z; commit() { git -c "$config" commit -q "$@"%s; }; %s`, n, more, form.script))
		}
		message := func(r *recordedRepo) string {
			_, text, _ := strings.Cut(r.run("git", "cat-file", "commit", "HEAD"), "\n\n")
			return text
		}
		if got, want := message(traced), message(plain); got != want {
			t.Errorf("commit %d, %s: %q, by git %q", n, form.name, got, want)
		}
	}
}
