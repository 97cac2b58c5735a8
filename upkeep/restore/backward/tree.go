package backward

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// writeTree makes a tree from the present one and changed entries (git-update-index(1), --index-info). It does not use
// the user's index.
func (m *maker) writeTree(entries string) (tree refs.OID, err error) {
	dir, err := os.MkdirTemp("", "git-trace-index-")
	if err != nil {
		return tree, err
	}
	defer os.RemoveAll(dir)
	for _, step := range []struct {
		args  []string
		input string
	}{
		{[]string{"read-tree", m.now.String()}, ""},
		{[]string{"update-index", "-z", "--index-info"}, entries},
		{[]string{"write-tree", "--missing-ok"}, ""},
	} {
		var said bytes.Buffer
		cmd := m.repo.Command(m.ctx, step.args...)
		cmd.Env = append(append(cmd.Env, m.repo.SideEnv()...), "GIT_INDEX_FILE="+filepath.Join(dir, "index"))
		cmd.Stdin, cmd.Stderr = strings.NewReader(step.input), &said
		out, err := cmd.Output()
		if err != nil {
			return tree, fmt.Errorf("git %s: %w: %s", step.args[0], err, strings.TrimSpace(said.String()))
		}
		if step.args[0] == "write-tree" {
			return refs.ParseOID(strings.TrimSpace(string(out)))
		}
	}
	return tree, nil
}
