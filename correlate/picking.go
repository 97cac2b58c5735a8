package correlate

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// git runs the post-commit hook for every pick of a rebase, which only notes the pick. The hook of the first pick
// writes the file "picking" of the work tree. It lists the next commands of the rebase that are picks, with git's
// process id. The shell of the hook (package hooks) notes them without starting a program:
//
//	<process id of git> <number of the first command> <number of the last>
//	<what the rebase began with: rebase-merge/orig-head>
//
// The shell does not know the picked commit. In the file "deferred" it notes the number of the command
// (rebase-merge/msgnum) instead of the id; rebase-merge/done has the commit, as long as it belongs to that rebase. If
// the commit is no longer known, the note is dropped, as if no hook had run.

func pickingFile(repo *refs.Repo) string {
	return filepath.Join(repo.WorktreeTracesDir(), "picking")
}

func rebaseFile(repo *refs.Repo, name string) string {
	return filepath.Join(repo.GitDir, "rebase-merge", name)
}

// firstInit is the parent's process id if the parent has ended, or the shell cannot name it.
const firstInit = 1

// maxTodo bounds the bytes that are read of a rebase's commands.
const maxTodo = 4 << 20

// announcePicks writes the picks that the shell may note: those after the present one, up to the next other command.
// git is the process id of the rebase.
func announcePicks(repo *refs.Repo, git int) error {
	number, err := currentCommand(repo)
	if git <= firstInit || err != nil {
		return forgetPicks(repo)
	}
	todo, err := tail(rebaseFile(repo, "git-rebase-todo"), maxTodo)
	if err != nil {
		return forgetPicks(repo)
	}
	picks := 0
	for line := range strings.Lines(string(todo)) {
		if _, ok := pickOf(line); !ok {
			break
		}
		picks++
	}
	if picks == 0 {
		return forgetPicks(repo)
	}
	text := fmt.Sprintf("%d %d %d\n%s\n", git, number+1, number+picks, rebaseBegan(repo))
	if err := refs.WriteFileAtomic(pickingFile(repo), []byte(text), 0o600); err != nil {
		return fmt.Errorf("announce picks: %w", err)
	}
	return nil
}

// forgetPicks stops the shell's notes.
func forgetPicks(repo *refs.Repo) error {
	if err := os.Remove(pickingFile(repo)); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("forget announced picks: %w", err)
	}
	return nil
}

// currentCommand returns the number of a rebase's current command, from 1.
func currentCommand(repo *refs.Repo) (int, error) {
	raw, err := tail(rebaseFile(repo, "msgnum"), 32)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(raw)))
}

// rebaseBegan returns the commit at which the present rebase began, which identifies it.
func rebaseBegan(repo *refs.Repo) string {
	raw, err := tail(rebaseFile(repo, "orig-head"), 256)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(raw))
}

// pickOf reads a line of a rebase's commands (git-rebase(1)) that picks a commit.
func pickOf(line string) (from refs.OID, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 2 || fields[0] != "pick" && fields[0] != "p" {
		return refs.OID{}, false
	}
	from, err := refs.ParseOID(fields[1])
	return from, err == nil
}

// commandsDone returns the commits that the present rebase picked, by number of the command; nil if the shell's notes
// belong to another rebase.
func commandsDone(repo *refs.Repo) map[int]refs.OID {
	announced, err := os.ReadFile(pickingFile(repo))
	if err != nil {
		return nil
	}
	_, began, _ := strings.Cut(string(announced), "\n")
	if began = strings.TrimSpace(began); began == "" || began != rebaseBegan(repo) {
		return nil
	}
	done, err := tail(rebaseFile(repo, "done"), maxTodo)
	if err != nil || len(done) == maxTodo { // cut off: the numbers would be wrong
		return nil
	}
	picks, number := map[int]refs.OID{}, 0
	for line := range strings.Lines(string(done)) {
		if line[0] < 'a' || line[0] > 'z' { // empty, or a comment, which git does not number
			continue
		}
		number++
		if from, ok := pickOf(line); ok {
			picks[number] = from
		}
	}
	return picks
}
