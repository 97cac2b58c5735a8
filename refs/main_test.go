package refs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

// TestMain lets the test binary play a second git-trace process: see inProcess.
func TestMain(m *testing.M) {
	if role := os.Getenv("REFS_TEST_ROLE"); role != "" {
		if err := play(role, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// inProcess prepares a process of its own that plays a role in the repository.
func inProcess(role string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(gitEnv(), "REFS_TEST_ROLE="+role)
	cmd.Stderr = os.Stderr
	return cmd
}

func play(role string, args []string) error {
	repo, err := DiscoverHook(args[0])
	if err != nil {
		return err
	}
	switch role {
	case "append": // DIR REF NAME COUNT: acknowledges each commit on standard output
		count, err := strconv.Atoi(args[3])
		if err != nil {
			return err
		}
		out := bufio.NewWriter(os.Stdout)
		for i := range count {
			name := fmt.Sprintf("%s-%d", args[2], i)
			if err := appendCommit(repo, args[1], name); err != nil {
				return err
			}
			_, _ = fmt.Fprintln(out, name)
			if err := out.Flush(); err != nil {
				return err
			}
		}
	case "hold": // DIR REF: takes the lock and keeps it until killed
		if _, err := repo.LockRef(args[1]); err != nil {
			return err
		}
		fmt.Println("held")
		time.Sleep(time.Hour)
	case "flock": // DIR PATH
		if _, err := Flock(args[1], 0); err != nil {
			return err
		}
		fmt.Println("held")
		time.Sleep(time.Hour)
	}
	return nil
}

// appendCommit puts a commit with a message on top of a ref, as the log does: parent and tip from one read. Under
// reftable git may move the tip after it was read; the caller begins again then.
func appendCommit(repo *Repo, ref, message string) error {
	for deadline := time.Now().Add(20 * time.Second); ; {
		lock, err := repo.LockRef(ref)
		if err == nil {
			if err = commitOnTop(repo, lock, message); !errors.Is(err, ErrTipMoved) {
				return err
			}
		}
		if time.Now().After(deadline) {
			return err
		}
	}
}

func commitOnTop(repo *Repo, lock *RefLock, message string) error {
	defer lock.Abort()
	tree, err := repo.WriteLoose(repo.MainObjects(), TreeObject, nil)
	if err != nil {
		return err
	}
	who := Signature{Name: "Ada", Email: "ada@example.com", When: time.Unix(1700000000, 0).UTC()}
	c := Commit{Tree: tree, Author: who, Committer: who, Message: message + "\n"}
	if tip := lock.Current(); !tip.IsZero() {
		c.Parents = []OID{tip}
	}
	oid, err := repo.WriteLoose(repo.MainObjects(), CommitObject, EncodeCommit(c))
	if err != nil {
		return err
	}
	return lock.Commit(context.Background(), oid)
}
