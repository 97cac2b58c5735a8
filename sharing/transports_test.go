package sharing_test

import (
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/forge"
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
				command, address := sshd(t)
				w, remote := published(t)
				shares(t, w, address+remote, "core.sshCommand", command)
			})
		}
	}
}

// sshd gives the command with which git reaches this machine by SSH, and the address before a path.
func sshd(t *testing.T) (command, address string) {
	t.Helper()
	testenv.Needs(t, "ssh", "ssh-keygen", "sshd")
	t.Setenv("GIT_SSH_COMMAND", "") // an earlier test may have asked nobody in this process
	if err := os.Unsetenv("GIT_SSH_COMMAND"); err != nil {
		t.Fatal(err)
	}
	command, address, err := forge.SSH(t.TempDir())
	if errors.Is(err, forge.ErrMissing) {
		testenv.Forbids(t, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	return command, address
}
