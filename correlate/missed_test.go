package correlate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

func TestCommitsOfWhichNoHookWasHeard(t *testing.T) {
	t.Parallel()
	id := func(n byte) refs.OID {
		oid, err := refs.ParseOID(strings.Repeat(string(n), 40))
		if err != nil {
			t.Fatal(err)
		}
		return oid
	}
	tests := map[string]struct {
		log      string // "NEW ACTION" lines
		anchored string
		head     byte
		want     string
	}{
		"all were heard":                           {"a commit\nb commit\nc commit", "ab", 'c', ""},
		"one between two":                          {"a commit\nb commit\nc commit", "a", 'c', "b"},
		"two, oldest first":                        {"a commit\nb commit\nc commit (amend)\nd commit", "a", 'd', "bc"},
		"nothing was ever anchored":                {"a commit\nb commit\nc commit", "", 'c', ""},
		"what came in by a pull or a switch stays": {"a commit\nb pull\nc checkout\nd merge x\ne commit", "a", 'e', ""},
		"picked, reverted and rebased":             {"a commit\nb cherry-pick\nc revert\nd rebase (start)\ne rebase (pick)\nf rebase (finish)\n1 commit", "a", '1', "bce"},
		"a merge, and a merge that only moved":     {"a commit\nb merge x: Merge made by the 'ort' strategy.\nc merge y: Fast-forward\nd pull: Merge made by the 'octopus' strategy.\ne commit", "a", 'e', "bd"},
		"before the last anchored one is no news":  {"a commit\nb commit\nc commit\nd commit", "c", 'd', ""},
		"no reflog":                                {"", "a", 'c', ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if tt.log != "" {
				var log strings.Builder
				for line := range strings.Lines(tt.log) {
					action := strings.TrimSpace(line[2:])
					log.WriteString(strings.Repeat("0", 40) + " " + id(line[0]).String() + " A <a@b> 1 +0000\t" + action + ": text\n")
				}
				if err := os.MkdirAll(filepath.Join(dir, "logs"), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, "logs", "HEAD"), []byte(log.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			var anchored []refs.OID
			for i := range len(tt.anchored) {
				anchored = append(anchored, id(tt.anchored[i]))
			}
			got := ""
			for _, oid := range missed(&refs.Repo{GitDir: dir}, anchored, id(tt.head)) {
				got += oid.String()[:1]
			}
			if got != tt.want {
				t.Errorf("missed %q, want %q", got, tt.want)
			}
		})
	}
}
