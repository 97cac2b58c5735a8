package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// A content of a snapshot of 600 MiB, in bounded memory.
func TestFoundPurgeOfAContentBeyond512MiB(t *testing.T) {
	testenv.Wide(t)
	if !testenv.Long() {
		t.Skip("GITTRACE_LONG is not set: it writes 600 MiB")
	}
	repo := purgeRepo(t)
	if err := os.MkdirAll(repo.SideObjects(), 0o700); err != nil {
		t.Fatal(err)
	}
	hash := exec.Command("git", "hash-object", "-w", "--stdin")
	hash.Dir, hash.Env = repo.WorkTree, append(os.Environ(), "GIT_OBJECT_DIRECTORY="+repo.SideObjects())
	read, write := io.Pipe()
	hash.Stdin = read
	go func() {
		out := bufio.NewWriter(write)
		for i := range 600 << 20 / 64 {
			fmt.Fprintf(out, "%063d\n", i)
		}
		_, _ = out.WriteString(purgeWord)
		_ = out.Flush()
		_ = write.Close()
	}()
	id, err := hash.Output()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git-trace", "purge", "--text", purgeWord, "--yes")
	cmd.Dir = repo.WorkTree
	out, held, err := withPeak(cmd)
	if err != nil || !strings.Contains(string(out), "1 content of snapshots") {
		t.Errorf("%v: %s", err, out)
	}
	oid, err := refs.ParseOID(strings.TrimSpace(string(id)))
	if err != nil {
		t.Fatal(err)
	}
	if _, there := refs.StatLoose(repo.SideObjects(), oid); there {
		t.Error("it is still there")
	}
	const most = 300 << 10
	if held > most || held == 0 {
		t.Errorf("it took %d KiB of memory", held)
	} else {
		t.Logf("it took %d KiB of memory, %v of processor time", held, cmd.ProcessState.UserTime())
	}
}

// One fetched record of 400 MB made purge refuse everything. It is searched as it streams by: what holds
// the word goes, what does not stays. purge-left.txtar does the same with 34 MB, which is more than is taken apart.
func TestFoundPurgeBesideAFetchedRecordOf400MB(t *testing.T) {
	testenv.Wide(t)
	if !testenv.Long() {
		t.Skip("GITTRACE_LONG is not set: it writes 800 MB")
	}
	repo := purgeRepo(t)
	git := func(input io.Reader, args ...string) string {
		cmd := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@b", "-c", "core.compression=1"}, args...)...)
		cmd.Dir, cmd.Stdin = repo.WorkTree, input
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	record := func(end string) string {
		read, write := io.Pipe()
		go func() {
			out := bufio.NewWriter(write)
			_, _ = out.WriteString(`{"schema_version":"0.3.0","x":"`)
			for i := range 400_000_000 / 64 {
				fmt.Fprintf(out, "%064d", i)
			}
			_, _ = out.WriteString(end + `"}`)
			_ = out.Flush()
			_ = write.Close()
		}()
		return git(read, "hash-object", "-w", "--stdin")
	}
	var folders strings.Builder
	for name, end := range map[string]string{"aa": purgeWord, "ab": "nothing"} {
		folder := git(strings.NewReader("100644 blob "+record(end)+"\t"+name+"000000-0000-4000-8000-000000000000.json\n"), "mktree")
		folders.WriteString("040000 tree " + folder + "\t" + name + "\n")
	}
	const ref = "refs/traces/remotes/origin/0000000000000001/records"
	git(nil, "update-ref", ref, git(strings.NewReader("records\n"), "commit-tree", git(strings.NewReader(folders.String()), "mktree")))
	cmd := exec.Command("git-trace", "purge", "--text", purgeWord, "--yes")
	cmd.Dir = repo.WorkTree
	out, held, err := withPeak(cmd)
	if err != nil && cmd.ProcessState.ExitCode() != exit.Finding {
		t.Errorf("%v: %s", err, out)
	}
	if left := git(nil, "ls-tree", "-r", "--name-only", ref); left != "ab/ab000000-0000-4000-8000-000000000000.json" {
		t.Errorf("there is %q: %s", left, out)
	}
	const most = 300 << 10
	if held > most || held == 0 {
		t.Errorf("it took %d KiB of memory", held)
	} else {
		t.Logf("it took %d KiB of memory, %v of processor time", held, cmd.ProcessState.UserTime())
	}
}

func purgeRepo(t *testing.T) *refs.Repo {
	dir := testenv.TempDir(t)
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	repo, err := refs.Discover(dir)
	if err == nil {
		err = repo.MakeTracesDir()
	}
	if err != nil {
		t.Fatal(err)
	}
	return repo
}
