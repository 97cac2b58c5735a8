package sharing_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/sharing"
)

// shares has one clone publish through a URL, and a fresh one read it there, texts too. Configure is for each clone.
func shares(t *testing.T, w *recording.World, url string, configure ...string) {
	t.Helper()
	w.Git("remote", "set-url", "origin", url)
	args := []string{"clone", "-q"}
	if len(configure) > 0 {
		w.Git("config", configure[0], configure[1])
		args = append(args, "-c", configure[0]+"="+configure[1])
	}
	trace := talked(t, w, "one", "what was asked")
	if sent := push(t, w, sharing.LevelConversations); len(sent) != 2 {
		t.Errorf("sent %+v", sent)
	}
	if sent := push(t, w, sharing.LevelConversations); len(sent) != 0 {
		t.Errorf("once more: %+v", sent)
	}
	grow(w, "more", "more.txt")
	push(t, w, sharing.LevelConversations)
	fresh := recording.Open(t, t.TempDir(), w.Now(), append(args, url, ".")...)
	if got := pull(t, fresh, sharing.What{Records: true}); len(got.Writers) != 1 || got.Writers[0].Records != 1 || got.LeftOut() != 0 {
		t.Errorf("pulled %+v", got)
	}
	for _, file := range []string{"one.txt", "more.txt"} {
		if mine, theirs := owners(t, w, file), owners(t, fresh, file); mine != theirs || !strings.Contains(mine, "Kind:ai") {
			t.Errorf("the writer says\n%sthe clone\n%s", mine, theirs)
		}
	}
	if said(t, fresh, trace) != "what was asked" {
		t.Errorf("the clone reads %q", said(t, fresh, trace))
	}
}

// Both object formats, both storages of refs, over a path, git's own smart HTTP and SSH.
func TestSharingInEveryForm(t *testing.T) { // alone: git takes the forms from the environment
	testenv.Wide(t)
	storages := []string{"files"}
	if exec.Command("git", "init", "-q", "--ref-format=reftable", t.TempDir()).Run() == nil {
		storages = append(storages, "reftable") // from 2.45 on
	}
	for _, objects := range []string{"sha1", "sha256"} {
		for _, storage := range storages {
			t.Setenv("GIT_DEFAULT_HASH", objects)
			t.Setenv("GIT_DEFAULT_REF_FORMAT", storage)
			t.Run(objects+" "+storage+" http", func(t *testing.T) {
				w, remote := published(t)
				gitIn(t, remote, "config", "http.receivepack", "true")
				served := httptest.NewServer(httpBackend(t, remote))
				defer served.Close()
				shares(t, w, served.URL+"/"+filepath.Base(remote))
			})
			if objects == "sha256" && !testenv.Long() { // how git carries objects does not depend on their ids
				continue
			}
			t.Run(objects+" "+storage+" file", func(t *testing.T) {
				w, remote := published(t)
				shares(t, w, "file://"+remote)
			})
			t.Run(objects+" "+storage+" ssh", func(t *testing.T) {
				command, who := sshd(t)
				w, remote := published(t)
				shares(t, w, "ssh://"+who+"@localhost"+remote, "core.sshCommand", command)
			})
		}
	}
}

// sshd gives the command with which git reaches this machine by SSH, and as whom. Each connection has a server of its
// own, on the standard streams of ssh: no port is opened.
func sshd(t *testing.T) (command, who string) {
	t.Helper()
	testenv.Needs(t, "ssh", "ssh-keygen", "sshd")
	t.Setenv("GIT_SSH_COMMAND", "") // an earlier test may have asked nobody in this process
	if err := os.Unsetenv("GIT_SSH_COMMAND"); err != nil {
		t.Fatal(err)
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	server, err := exec.LookPath("sshd") // it wants to be called by its whole path
	if err != nil {
		t.Fatal(err)
	}
	if me.Uid == "0" { // where the service of Debian makes it when it starts
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			testenv.Forbids(t, err.Error())
		}
	}
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	for _, key := range []string{"host", "user"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file(key)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	config := fmt.Sprintf("HostKey %s\nAuthorizedKeysFile %s\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nPidFile none\nSetEnv PATH=%s\n",
		file("host"), file("user.pub"), os.Getenv("PATH"))
	if err := os.WriteFile(file("config"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	command = fmt.Sprintf(`ssh -F none -i %s -o IdentitiesOnly=yes -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=%s -o LogLevel=ERROR -o "ProxyCommand=%s -i -f %s"`,
		file("user"), file("known"), server, file("config"))
	return command, me.Username
}
