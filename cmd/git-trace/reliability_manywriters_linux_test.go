package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// mostMemory is what a command may take beside a remote with very much on it, in KiB, the git that it starts included.
const mostMemory = 256 << 10

// took runs git-trace and gives its processor time and its exit status. It may not take more memory than that.
func (w *twin) took(status int, args ...string) time.Duration {
	w.t.Helper()
	cmd := exec.Command(filepath.Join(w.base, "bin", "git-trace"), args...)
	cmd.Dir, cmd.Env = w.dir, w.with()
	out, held, _ := withPeak(cmd)
	if got := cmd.ProcessState.ExitCode(); got != status {
		w.t.Errorf("%q ends with %d: %.500s", args, got, out)
	}
	if held > mostMemory {
		w.t.Errorf("%q takes %d MiB", args, held>>10)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// writersOf is how many writers have a line in one file.
const writersOf = 20

// commitAs makes a commit for each of many writers, which adds a line to a file, and pushes them. It gives their ids.
func (w *twin) commitAs(writers int) []refs.OID {
	w.t.Helper()
	var script strings.Builder
	text := ""
	for n := range writers {
		if n%writersOf == 0 {
			text = ""
		}
		text += fmt.Sprintln("line of", n)
		fmt.Fprintf(&script, "commit refs/heads/main\ncommitter A U Thor <author@example.com> %d +0000\ndata 4\nmore\n", 1_800_000_000+n)
		if n == 0 {
			script.WriteString("from refs/heads/main^0\n")
		}
		fmt.Fprintf(&script, "M 100644 inline shared%d.txt\ndata %d\n%s\n", n/writersOf, len(text), text)
	}
	if err := os.WriteFile(filepath.Join(w.base, "commits"), []byte(script.String()), 0o600); err != nil {
		w.t.Fatal(err)
	}
	before := w.oid("HEAD").String()
	w.must("sh", "-c", "git fast-import --quiet <../commits && git reset -q --hard && git push -q origin main")
	var ids []refs.OID
	for id := range strings.FieldsSeq(w.must("git", "rev-list", "--reverse", before+"..HEAD")) {
		oid, err := refs.ParseOID(id)
		if err != nil {
			w.t.Fatal(err)
		}
		ids = append(ids, oid)
	}
	return ids
}

// publishAs puts digests of many writers on the remote of a repository: each has a conversation of its own, made a commit,
// and claims one line besides that all others claim.
func (w *twin) publishAs(writers int) {
	w.t.Helper()
	head, blob := w.oid("HEAD"), w.oid("HEAD:agent.txt")
	commits := w.commitAs(writers)
	repo, err := refs.Discover(w.dir)
	if err != nil {
		w.t.Fatal(err)
	}
	log := events.OpenLog(repo)
	var script strings.Builder
	for n := range writers {
		writer, session := fmt.Sprintf("%016x", n+1), fmt.Sprint("of ", n)
		owner := events.AnchorOwner{Kind: events.OwnerAI, Trace: events.NewTraceID("claude-code", session), Agent: "claude-code", Session: session, Prompt: 1}
		draft := func(typ events.Type, data any) events.Draft {
			raw, err := events.Encode(data)
			if err != nil {
				w.t.Fatal(err)
			}
			d := events.Draft{Type: typ, Time: time.Unix(int64(1_700_000_000+n), 0), Method: []events.Method{events.PostCommit}, Data: raw}
			if typ != events.LogStarted && typ != events.CommitAnchored {
				d.Trace, d.Agent, d.Session = owner.Trace, owner.Agent, session
			}
			return d
		}
		all, err := events.Follow([]events.Draft{
			draft(events.LogStarted, events.LogStartedData{Format: events.Version, Tool: "git-trace", ObjectFormat: repo.Format.String()}),
			draft(events.SessionStarted, events.SessionData{Source: "startup"}),
			draft(events.PromptSubmitted, events.PromptData{Index: 1, Chars: 10, Kind: "user"}),
			draft(events.CommitAnchored, events.CommitData{Commit: head, Added: 1, AI: 1, Owners: []events.AnchorOwner{owner},
				Files: []events.AnchorFile{{Path: "agent.txt", Blob: blob, Runs: []events.AnchorRun{{Start: 1, Count: 1, Tier: "exact_blob"}}}}}),
			draft(events.CommitAnchored, events.CommitData{Commit: commits[n], Added: 1, AI: 1, Owners: []events.AnchorOwner{owner},
				Files: []events.AnchorFile{{Path: fmt.Sprintf("shared%d.txt", n/writersOf), Runs: []events.AnchorRun{{Start: 1 + n%writersOf, Count: 1, Tier: "exact_blob"}}}}}),
		}, 0, "", writer)
		if err != nil {
			w.t.Fatal(err)
		}
		file, err := log.WritePublished(all)
		if err != nil {
			w.t.Fatal(err)
		}
		last := all[len(all)-1]
		tree, err := log.WritePublication(events.Publication{Files: []events.PublishedFile{file}, Head: events.PublicationHead{
			Format: events.Version, Writer: writer, Level: "commits", ObjectFormat: repo.Format.String(), Events: last.Seq, Last: last.ID,
			Source: events.Witness{Writer: writer, Seq: last.Seq, Event: last.ID},
		}})
		if err != nil {
			w.t.Fatal(err)
		}
		commit := strings.TrimSpace(w.must("git", "commit-tree", "-m", "traces: 1 commit", tree.String()))
		fmt.Fprintf(&script, "create refs/published/%s %s\n", writer, commit)
	}
	if err := os.WriteFile(filepath.Join(w.base, "refs"), []byte(script.String()), 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.must("sh", "-c", "git update-ref --stdin <../refs && git push -q ../remote.git 'refs/published/*:refs/traces/writers/*/digest'")
}

func (w *twin) oid(rev string) refs.OID {
	w.t.Helper()
	id, err := refs.ParseOID(strings.TrimSpace(w.must("git", "rev-parse", rev)))
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

// S22: with 1,000 writers on a remote lists are shown in 50 ms of processor time. Blame of a file that twenty of them wrote
// takes a fifth more at most than in a clone that fetched nothing, and than in one that fetched those twenty alone. It takes
// 1.45 times as much at most as in one that has its own log alone, and so no owner of a line. Of a line that all of them claim, a thousand claims are weighed. With 100,000 refs a pull asks first. Nothing takes
// more than 256 MB.
func TestReliabilityS22ManyWritersAndRefs(t *testing.T) { // alone: it measures
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	w := newTwin(t, true)
	w.must("git", "add", "-A")
	w.must("git", "commit", "-q", "-m", "by an agent")
	w.must("git", "push", "-q", "--force", "origin", "main")
	w.publishAs(testenv.Pick(40, 100, 1000))
	plain, many, few := w.clone("plain"), w.clone("many"), w.clone("few") // w has recorded itself, and fetched nothing
	t.Logf("pull takes %s", many.took(0, "pull"))
	authors := []string{"pull"} // of one file, and nobody else
	for n := range writersOf {
		authors = append(authors, "--writer", fmt.Sprintf("%016x", writersOf+n+1))
	}
	few.took(0, authors...)
	for _, args := range [][]string{{"log", "-n", "20"}, {"blame", "agent.txt"}, {"blame", "shared1.txt"}, {"stats"}, {"status"}, {"verify", "--fetched"}} {
		many.took(0, args...) // what is kept is made
		plain.took(0, args...)
		w.took(0, args...)
		few.took(0, args...)
	}
	took := map[string][]time.Duration{}
	for range testenv.Pick(3, 5, 25) {
		took["log"] = append(took["log"], many.took(0, "log", "-n", "20"))
		for _, file := range []string{"shared1.txt", "agent.txt"} {
			took[file] = append(took[file], many.took(0, "blame", file))
			took[file+" without"] = append(took[file+" without"], plain.took(0, "blame", file))
			took[file+" own"] = append(took[file+" own"], w.took(0, "blame", file))
			took[file+" few"] = append(took[file+" few"], few.took(0, "blame", file))
		}
	}
	median := func(of string) time.Duration { slices.Sort(took[of]); return took[of][len(took[of])/2] }
	if list := median("log"); list > testenv.Within(50*time.Millisecond) {
		t.Errorf("log -n 20 takes %s", list)
	}
	for _, bar := range []struct {
		file, than string
		most       float64
	}{{"shared1.txt", " without", 1.2}, {"shared1.txt", " few", 1.2}, {"shared1.txt", " own", 1.45}, {"agent.txt", " without", 2.5}} {
		with, without := median(bar.file), median(bar.file+bar.than)
		t.Logf("blame %s takes %s;%s %s", bar.file, with, bar.than, without)
		if testenv.Long() && float64(with) > float64(without)*bar.most {
			t.Errorf("blame %s takes %s;%s %s", bar.file, with, bar.than, without)
		}
	}
	t.Logf("log -n 20 takes %s", median("log"))

	// As a remote that was packed has them.
	tip := strings.TrimSpace(w.must("git", "-C", "../remote.git", "rev-parse", "main"))
	var packed strings.Builder
	packed.WriteString("# pack-refs with: peeled fully-peeled sorted \n" + tip + " refs/heads/main\n")
	for n := range testenv.Pick(6000, 20_000, 100_000) {
		fmt.Fprintf(&packed, "%s refs/traces/writers/%016x/digest\n", tip, n)
	}
	w.must("git", "init", "-q", "--bare", "../full.git")
	w.must("git", "push", "-q", "../full.git", "main")
	if _, err := os.Stat(filepath.Join(w.base, "full.git", "packed-refs")); err == nil || os.Getenv("GIT_DEFAULT_REF_FORMAT") == "" {
		if err := os.WriteFile(filepath.Join(w.base, "full.git", "packed-refs"), []byte(packed.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	full := w.clone("full", "../full.git")
	t.Logf("a pull of too many takes %s", full.took(1, "pull"))
	w.must("git", "remote", "add", "full", "../full.git")
	t.Logf("a push beside them takes %s", w.took(0, "push", "--to", "commits", "full"))
}

// clone is another clone of the remote, or of one that is named.
func (w *twin) clone(name string, from ...string) *twin {
	w.t.Helper()
	w.must("git", "clone", "-q", append(from, "../remote.git")[0], "../"+name)
	c := *w
	c.dir = filepath.Join(w.base, name)
	return &c
}

// S14: publications that are small on the way and huge when they are read are left out, in bounded time and memory.
func TestReliabilityS14HugePublicationsAreLeftOut(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	w := newTwin(t, true)
	w.must("git", "push", "-q", "--force", "origin", "main")
	sound := `{"format":1,"level":"commits"}`
	size := fmt.Sprint(testenv.Pick(10, 80, 800)) // MB
	for name, make := range map[string]string{
		"a log of zeros": `l=$(head -c ` + size + `M /dev/zero | git hash-object -w --stdin); h=$(echo '` + sound + `' | git hash-object -w --stdin)
			f=$(printf '100644 blob %s\t0000000001.jsonl\n' $l | git mktree)`,
		"a head of brackets": `h=$(head -c ` + size + `M /dev/zero | tr '\0' '[' | git hash-object -w --stdin); l=$(echo | git hash-object -w --stdin)
			f=$(printf '100644 blob %s\t0000000001.jsonl\n' $l | git mktree)`,
		"a log of lines": `l=$(yes '{"a":1}' | head -c ` + size + `M | git hash-object -w --stdin); h=$(echo '` + sound + `' | git hash-object -w --stdin)
			f=$(printf '100644 blob %s\t0000000001.jsonl\n' $l | git mktree)`,
		"many files": `l=$(echo | git hash-object -w --stdin); h=$(echo '` + sound + `' | git hash-object -w --stdin)
			f=$(seq 1 ` + size + `00 | sed "s/.*/100644 blob $l\t&.jsonl/" | git mktree)`,
	} {
		t.Run(name, func(t *testing.T) {
			script := "set -e; cd ../remote.git\n" + make + `
				t=$(printf '100644 blob %s\tdigest.json\n040000 tree %s\tlog\n' $h $f | git mktree)
				git update-ref refs/traces/writers/0123456789abcdef/digest $(git commit-tree -m x $t)`
			w.must("sh", "-c", script)
			reader := w.clone(strings.ReplaceAll(name, " ", "-"), "file://"+filepath.Join(w.base, "remote.git"))
			reader.t = t
			for _, args := range [][]string{{"pull"}, {"verify", "--fetched"}, {"status"}, {"log"}} {
				status := 0
				if args[0] == "pull" || args[0] == "verify" {
					status = 1
				}
				if took := reader.took(status, args...); args[0] != "pull" && took > testenv.Within(2*time.Second) {
					t.Errorf("%q takes %s", args, took)
				}
			}
		})
	}
}
