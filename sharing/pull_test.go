package sharing_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/checkpoint"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/sharing"
)

// S14: what a hostile remote sends is left out whole, and nothing of the own changes.
func TestASpoiledPublicationIsLeftOut(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	w, remote := published(t)
	push(t, w, sharing.LevelCommits)
	writer := testenv.WriterOf(t, w.Repo.WorkTree)
	name := "refs/traces/writers/" + writer + "/digest"
	sound := gitIn(t, remote, "rev-parse", name)
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	fresh.Edit("own", "own.txt", "mine\n")
	fresh.Commit("own")
	fresh.Anchor()
	before := fresh.Git("rev-parse", refs.EventsRef) + owners(t, fresh, "own.txt")
	head, log := gitIn(t, remote, "cat-file", "-p", sound+":digest.json"), gitIn(t, remote, "cat-file", "-p", sound+":log/0000000001.jsonl")
	there, err := refs.Discover(remote)
	w.Check(err)
	for n := range testenv.Pick(12, 24, 5000) {
		h, l := head+"\n", log+"\n"
		file := "0000000001.jsonl"
		how := rand.N(9)
		switch how {
		case 0:
			at := rand.N(len(l))
			l = l[:at] + string(rune('a'+rand.N(26))) + l[at+1:]
			if l == log+"\n" {
				continue
			}
		case 1:
			l = l[:rand.N(len(l)-1)]
		case 2:
			lines := strings.SplitAfter(l, "\n")
			l = strings.Join(lines[1:], "")
		case 3:
			h = strings.Replace(h, writer, "0123456789abcdef", 1)
			h = strings.Replace(h, `"writer":"`+writer+`"}`, `"writer":"0123456789abcdef"}`, 1)
		case 4:
			h = strings.Repeat("[", 100_000)
		case 5:
			file = []string{"..", "0000000002.jsonl", "1.jsonl", "-rf", "\x1b[31m.jsonl"}[rand.N(5)]
			if file == ".." {
				file = "0000000001.json"
			}
		case 6:
			h = strings.Replace(h, `"events":`, `"events":1`, 1)
		case 7:
			h = strings.Replace(h, `"format":1`, `"format":2`, 1)
		case 8:
			h = strings.Replace(h, `"object_format":"`, `"object_format":"x`, 1)
		}
		w.Check(there.SetRef(t.Context(), name, spoiled(t, there, h, file, l)))
		got := pull(t, fresh, sharing.What{})
		if got.LeftOut() != 1 {
			t.Errorf("way %d is believed: %+v", how, got)
		}
		if n%100 == 99 { // each pull leaves a pack, which git would put together in the background
			fresh.Git("repack", "-adq")
		}
		if n > 100 && n%50 > 0 { // a look takes as long as ten pulls
			continue
		}
		if after := fresh.Git("rev-parse", refs.EventsRef) + owners(t, fresh, "own.txt"); after != before {
			t.Errorf("way %d changed what is here", how)
		}
	}
	gitIn(t, remote, "update-ref", name, sound)
	if got := pull(t, fresh, sharing.What{}); got.LeftOut() != 0 {
		t.Errorf("the sound one: %+v", got)
	}
}

// S14: what stands on a ref of traces and is no publication, records that are none, and a log under the reader's own id.
func TestWhatIsNoPublicationIsLeftOut(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	trace := talked(t, w, "one", "please write two lines")
	push(t, w, sharing.LevelConversations)
	writer := testenv.WriterOf(t, w.Repo.WorkTree)
	prefix := "refs/traces/writers/" + writer + "/"
	sound, records := gitIn(t, remote, "rev-parse", prefix+"digest"), gitIn(t, remote, "rev-parse", prefix+"records")
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	fresh.Edit("own", "own.txt", "mine\n")
	fresh.Commit("own")
	fresh.Anchor()
	own := testenv.WriterOf(t, fresh.Repo.WorkTree)
	before := fresh.Git("rev-parse", refs.EventsRef) + owners(t, fresh, "own.txt")
	gitIn(t, remote, "update-ref", "refs/traces/writers/"+own+"/digest", sound) // never read as one's own
	stored := func(kind, text string) string {
		cmd := exec.Command("git", "-C", remote, "hash-object", "-w", "--literally", "-t", kind, "--stdin")
		cmd.Stdin = strings.NewReader(text)
		out, err := cmd.Output()
		w.Check(err)
		return strings.TrimSpace(string(out))
	}
	blob := stored("blob", "no record\n")
	tree := func(lines string) string {
		cmd := exec.Command("git", "-C", remote, "mktree", "-z", "--missing")
		cmd.Stdin = strings.NewReader(lines)
		out, err := cmd.Output()
		w.Check(err)
		return strings.TrimSpace(string(out))
	}
	commit := func(tree string) string {
		return gitIn(t, remote, "-c", "user.name=x", "-c", "user.email=x@example.com", "commit-tree", "-m", "x", tree)
	}
	deep := tree("100644 blob " + blob + "\tx.json\x00")
	for range 300 {
		deep = tree("040000 tree " + deep + "\td\x00")
	}
	name := string(trace) + ".json"
	for what, ref := range map[string][2]string{
		"a blob":                  {"digest", blob},
		"a commit of code":        {"digest", gitIn(t, remote, "rev-parse", "main")},
		"an empty tree":           {"digest", commit(tree(""))},
		"a head that is a tree":   {"digest", commit(tree("040000 tree " + tree("") + "\tdigest.json\x00"))},
		"a tag":                   {"digest", stored("tag", "object "+sound+"\ntype commit\ntag x\ntagger x <x@example.com> 0 +0000\n\nx\n")},
		"records that are none":   {"records", commit(tree("040000 tree " + tree("100644 blob "+blob+"\t"+name+"\x00") + "\t" + string(trace[:2]) + "\x00"))},
		"records of a deep tree":  {"records", commit(deep)},
		"records that are links":  {"records", commit(tree("120000 blob " + blob + "\t" + string(trace[:2]) + "\x00"))},
		"records with a module":   {"records", commit(tree("160000 commit " + sound + "\t" + string(trace[:2]) + "\x00"))},
		"records that are a blob": {"records", blob},
	} {
		gitIn(t, remote, "update-ref", prefix+"digest", sound)
		gitIn(t, remote, "update-ref", prefix+"records", records)
		gitIn(t, remote, "update-ref", prefix+ref[0], ref[1])
		began := time.Now()
		s, err := sharing.ReadSettings(t.Context(), fresh.Repo)
		w.Check(err)
		r, err := s.Source("origin")
		w.Check(err)
		got, err := sharing.Pull(t.Context(), events.OpenLog(fresh.Repo), r, sharing.What{Records: true})
		if took := time.Since(began); took > testenv.Within(2*time.Second) {
			t.Errorf("%s took %s", what, took)
		}
		if err == nil && got.LeftOut() == 0 {
			t.Errorf("%s is believed: %+v", what, got)
		}
		if after := fresh.Git("rev-parse", refs.EventsRef) + owners(t, fresh, "own.txt"); after != before {
			t.Errorf("%s changed what is here", what)
		}
		if text := said(t, fresh, trace); text != "" && text != "please write two lines" {
			t.Errorf("%s: it reads %q", what, text)
		}
		if list := fresh.Git("for-each-ref", events.FetchedRef("origin", own, "digest")); list != "" {
			t.Errorf("a log under the own id is here: %s", list)
		}
	}
	gitIn(t, remote, "update-ref", prefix+"digest", sound)
	gitIn(t, remote, "update-ref", prefix+"records", records)
	if got := pull(t, fresh, sharing.What{Records: true}); got.LeftOut() != 0 || said(t, fresh, trace) != "please write two lines" {
		t.Errorf("the sound ones: %+v", got)
	}
}

// spoiled makes a publication with any contents on a remote.
func spoiled(t testing.TB, remote *refs.Repo, head, file, log string) refs.OID {
	t.Helper()
	store := func(typ refs.ObjectType, content []byte) refs.OID {
		id, err := remote.WriteLoose(remote.MainObjects(), typ, content)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	entry := func(name string, mode uint32, id refs.OID) []refs.TreeEntry {
		return []refs.TreeEntry{{Name: name, Mode: mode, OID: id}}
	}
	dir := store(refs.TreeObject, refs.EncodeTree(entry(file, refs.ModeFile, store(refs.BlobObject, []byte(log)))))
	tree := store(refs.TreeObject, refs.EncodeTree(append(
		entry("digest.json", refs.ModeFile, store(refs.BlobObject, []byte(head))), entry("log", refs.ModeDir, dir)...)))
	who := refs.Signature{Name: "x", Email: "x@example.com", When: time.Now()}
	return store(refs.CommitObject, refs.EncodeCommit(refs.Commit{Tree: tree, Author: who, Committer: who, Message: "x\n"}))
}

func TestPlainFetchesBringWhatIsConfigured(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	push(t, w, sharing.LevelCommits)
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	configure := func(on bool) {
		s, err := sharing.ReadSettings(t.Context(), fresh.Repo)
		w.Check(err)
		r, err := s.Source("origin")
		w.Check(err)
		w.Check(sharing.Configure(t.Context(), fresh.Repo, s, r, on))
	}
	before := fresh.Git("config", "--get-all", "remote.origin.fetch")
	configure(true)
	configure(true)
	fresh.Git("fetch", "-q")
	if got := fresh.Git("for-each-ref", "refs/traces/remotes/origin"); !strings.HasSuffix(got, "/digest") {
		t.Errorf("a plain fetch brought %q", got)
	}
	configure(false)
	configure(false)
	if after := fresh.Git("config", "--get-all", "remote.origin.fetch"); after != before {
		t.Errorf("%q was %q", after, before)
	}
}

// S15: a log that a remote has rewound, or made anew, is not taken before the person accepts it.
func TestARewoundLogIsNotTaken(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	push(t, w, sharing.LevelCommits)
	writer := testenv.WriterOf(t, w.Repo.WorkTree)
	name, kept := "refs/traces/writers/"+writer+"/digest", events.FetchedRef("origin", writer, "digest")
	first := gitIn(t, remote, "rev-parse", name)
	w.Edit("one", "one.txt", "first\nsecond\nthird\n")
	w.Commit("more")
	w.Anchor()
	w.Git("push", "-q", "origin", "main")
	push(t, w, sharing.LevelCommits)
	second := gitIn(t, remote, "rev-parse", name)
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	before := pull(t, fresh, sharing.What{}).Writers[0]
	for _, plainly := range []bool{false, true} {
		gitIn(t, remote, "update-ref", name, first)
		if plainly { // a plain fetch asks nobody
			fresh.Git("fetch", "-q", "origin", "+"+name+":"+kept)
		}
		got := pull(t, fresh, sharing.What{})
		if o := got.Writers[0]; !o.Kept || o.Commits != before.Commits || o.Events != before.Events || !plainly && (o.New || got.Changed != 0) {
			t.Errorf("plainly %v: what stays is told as %+v, and was %+v", plainly, got, before)
		}
		if got.LeftOut() != 1 || !strings.Contains(got.Writers[0].LeftOut, "without event") || gitIn(t, fresh.Repo.WorkTree, "rev-parse", kept) != second {
			t.Errorf("plainly %v: %+v", plainly, got)
		}
		gitIn(t, remote, "update-ref", name, second)
		if got := pull(t, fresh, sharing.What{}); got.LeftOut() != 0 {
			t.Errorf("as it was: %+v", got)
		}
	}
	gitIn(t, remote, "update-ref", name, first)
	if got := pull(t, fresh, sharing.What{Accept: []string{writer}}); got.LeftOut() != 0 || gitIn(t, fresh.Repo.WorkTree, "rev-parse", kept) != first {
		t.Errorf("accepted: %+v", got)
	}
	if got := pull(t, fresh, sharing.What{}); got.LeftOut() != 0 {
		t.Errorf("after that: %+v", got)
	}
	s, err := sharing.ReadSettings(t.Context(), fresh.Repo)
	w.Check(err)
	r, err := s.Source("origin")
	w.Check(err)
	for _, word := range []string{"", "*", "../../heads/main", strings.ToUpper(writer[:15]) + "F"} {
		if _, err := sharing.Pull(t.Context(), events.OpenLog(fresh.Repo), r, sharing.What{Writers: []string{word}}); !errors.Is(err, sharing.ErrNoWriter) {
			t.Errorf("%q: %v", word, err)
		}
	}
}

// S16: who signs is told where git trusts the key, and a writer's key does not change unnoticed.
func TestPublicationsAreSigned(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	testenv.Needs(t, "ssh-keygen")
	w, remote := published(t)
	keys := t.TempDir()
	allowed := filepath.Join(keys, "allowed")
	for _, name := range []string{"anna", "bob"} {
		file := filepath.Join(keys, name)
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		public, err := os.ReadFile(file + ".pub")
		w.Check(err)
		f, err := os.OpenFile(allowed, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		w.Check(err)
		_, err = fmt.Fprintf(f, "%s@example.com %s", name, public)
		w.Check(errors.Join(err, f.Close()))
	}
	w.Git("config", "gpg.format", "ssh")
	w.Git("config", "user.signingKey", filepath.Join(keys, "anna"))
	w.Git("config", "trace.signPush", "true")
	more := func(n int) {
		w.Edit("one", "one.txt", fmt.Sprint("first\nsecond\n", n, "\n"))
		w.Commit(fmt.Sprint("c", n))
		w.Anchor()
		w.Git("push", "-q", "origin", "main")
		push(t, w, sharing.LevelCommits)
	}
	more(1)
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	state := func() sharing.FetchedState {
		t.Helper()
		states, err := sharing.Verify(t.Context(), events.OpenLog(fresh.Repo))
		w.Check(err)
		if len(states) != 1 || states[0].Why != "" {
			t.Fatalf("%+v", states)
		}
		return states[0]
	}
	pull(t, fresh, sharing.What{})
	if s := state(); s.Signed != checkpoint.Unverifiable || s.Signer != "" {
		t.Errorf("with no list of keys: %+v", s)
	}
	fresh.Git("config", "gpg.ssh.allowedSignersFile", allowed)
	if s := state(); s.Signed != checkpoint.Good || !strings.HasPrefix(s.Signer, "anna@example.com") || s.Made.Seq == 0 {
		t.Errorf("with one: %+v", s)
	}
	more(2)
	if got := pull(t, fresh, sharing.What{}); got.LeftOut() != 0 { // from here on the key is known
		t.Errorf("%+v", got)
	}
	fresh.Git("pull", "-q", "origin", "main")
	for setting, want := range map[string]string{"all": "Kind:ai", "signed": "Signer:anna@example.com", "own": "", "nonsense": ""} {
		fresh.Git("config", "trace.trust", setting)
		if text := owners(t, fresh, "one.txt"); want != "" && !strings.Contains(text, want) ||
			want == "" && strings.Contains(text, "Kind:ai") {
			t.Errorf("with trace.trust=%s: %s", setting, text)
		}
	}
	fresh.Git("config", "trace.trust", "signed")
	fresh.Git("fetch", "-q", "origin", "+refs/traces/writers/*/digest:refs/traces/remotes/other/*/digest")
	fresh.Git("update-ref", "-d", events.FetchedRef("origin", testenv.WriterOf(t, w.Repo.WorkTree), "digest"))
	if text := owners(t, fresh, "one.txt"); strings.Contains(text, "Kind:ai") { // nobody has looked at what git fetched
		t.Errorf("a log whose signature nobody checked: %s", text)
	}
	fresh.Git("update-ref", "-d", events.FetchedRef("other", testenv.WriterOf(t, w.Repo.WorkTree), "digest"))
	pull(t, fresh, sharing.What{})
	fresh.Git("config", "--unset", "trace.trust")
	writer := testenv.WriterOf(t, w.Repo.WorkTree)
	tip := fresh.Git("rev-parse", events.FetchedRef("origin", writer, "digest"))
	for n, how := range [][2]string{{"user.signingKey", filepath.Join(keys, "bob")}, {"trace.signPush", "false"}} {
		w.Git("config", how[0], how[1])
		more(n + 3)
		got := pull(t, fresh, sharing.What{})
		if got.LeftOut() != 1 || !strings.Contains(got.Writers[0].LeftOut, "signed by") {
			t.Errorf("%v: %+v", how, got)
		}
		if now := fresh.Git("rev-parse", events.FetchedRef("origin", writer, "digest")); now != tip {
			t.Errorf("%v: it is taken", how)
		}
	}
	if got := pull(t, fresh, sharing.What{Accept: []string{writer}}); got.LeftOut() != 0 {
		t.Errorf("accepted: %+v", got)
	}
	if s := state(); s.Signed != checkpoint.Unsigned {
		t.Errorf("%+v", s)
	}
}
