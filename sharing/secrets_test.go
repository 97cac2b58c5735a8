package sharing_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/sharing"
)

// planted are secrets of forms that are known, each another one.
func planted(n int) []string {
	word := func(alphabet string, n int) string {
		out := make([]byte, n)
		for i := range out {
			out[i] = alphabet[rand.IntN(len(alphabet))]
		}
		return string(out)
	}
	const digits, lower = "0123456789", "abcdefghijklmnopqrstuvwxyz"
	upper := strings.ToUpper(lower)
	var out []string
	for i := range n {
		out = append(out, [...]func() string{
			func() string { return "ghp_" + word(digits+lower+upper, 36) },
			func() string { return "AKIA" + word("234567"+upper, 16) },
			func() string { return "glpat-" + word(digits+lower+upper, 20) },
			func() string {
				return "xoxb-" + word(digits, 12) + "-" + word(digits, 12) + "-" + word(digits+lower+upper, 24)
			},
		}[i%4]())
	}
	return out
}

// S7: secrets that stood in a conversation, files that were never committed, and what was in them, are in no object of the
// remote at the levels of commits and conversations. The whole log has names of files besides, and nothing that was in
// them.
func TestPlantedSecretsStayHere(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	secrets := planted(testenv.Pick(20, 40, 200))
	var said strings.Builder
	said.WriteString("please write two lines\n")
	for _, s := range secrets {
		fmt.Fprintf(&said, "the token is %s for now\n", s)
	}
	for i := range testenv.Pick(2, 5, 50) {
		name := fmt.Sprintf("never-committed-%d.env", i)
		w.Edit("one", name, "PASSWORD="+secrets[i]+" kept in a file\n")
		w.Check(os.Remove(filepath.Join(w.Repo.WorkTree, name)))
	}
	talked(t, w, "one", said.String())
	for _, level := range []sharing.Level{sharing.LevelCommits, sharing.LevelConversations, sharing.LevelLog} {
		push(t, w, level)
		all := gitIn(t, remote, "cat-file", "--batch-all-objects", "--batch", "--unordered")
		for _, s := range secrets {
			if strings.Contains(all, s) {
				t.Errorf("at the level %s a secret is on the remote: %.8s…", level, s)
			}
		}
		for word, allowed := range map[string]bool{
			"kept in a file": false, "never-committed": level == sharing.LevelLog,
			"please write two lines": level.Wider(sharing.LevelCommits),
		} {
			if strings.Contains(all, word) != allowed {
				t.Errorf("at the level %s: %q is there: %v", level, word, !allowed)
			}
		}
	}
}
