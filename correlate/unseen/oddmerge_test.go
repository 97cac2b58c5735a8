package unseen

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/refs"
)

// A merge that no hook saw has entries that differ from all its parents in every way that git allows. It is searched like
// any other, and so is one of which a content cannot be read.
func TestEntriesThatAMergeAloneHas(t *testing.T) {
	t.Parallel()
	const agents = "func answered() int { return forty + two }\n"
	for name, entry := range map[string]func(w *world, path string){
		"emptied":    func(w *world, path string) { w.Write(path, "") },
		"deleted":    func(w *world, path string) { w.Check(os.Remove(path)) },
		"new, empty": func(w *world, _ string) { w.Write("new", "") },
		"new":        func(w *world, _ string) { w.Write("new", agents) },
		"renamed":    func(w *world, path string) { w.Check(os.Rename(path, path+"2")) },
		"executable": func(w *world, path string) { w.Check(os.Chmod(path, 0o755)) },
		"binary":     func(w *world, path string) { w.Write("f", "\x00"+agents) },
		"a link":     func(w *world, path string) { w.Check(os.Remove(path)); w.Check(os.Symlink("x", path)) },
		"a submodule": func(w *world, _ string) {
			w.Git("update-index", "--add", "--cacheinfo", "160000,"+w.Head().String()+",module")
		},
		"not readable": func(w *world, _ string) { w.Write("f", "other\n"+agents) },
		"solved":       func(w *world, _ string) { w.Write("f", agents+"and a line of the merge itself\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Write("f", "base\n")
			w.Commit("base")
			w.Edit("s1", "q.go", agents)
			var parents []string
			for _, side := range []string{"one", "two", "three"} {
				w.Git("checkout", "-q", "-B", side, "main")
				w.Write("f", side+"\n"+agents)
				parents = append(parents, w.Commit(side).String())
			}
			path := filepath.Join(w.Repo.WorkTree, "f")
			if name == "emptied" || name == "binary" {
				path = "f"
			}
			entry(w, path)
			w.Git("add", "-A")
			tree := strings.TrimSpace(w.Git("write-tree"))
			args := []string{"commit-tree", "-m", "merge", tree}
			for _, p := range parents {
				args = append(args, "-p", p)
			}
			merge := w.OID(strings.TrimSpace(w.Git(args...)))
			w.Repo.LeftOut = &refs.LeftOut{}
			if name == "not readable" {
				id := w.OID(merge.String() + ":f").String()
				w.Check(os.Remove(filepath.Join(w.Repo.CommonDir, "objects", id[:2], id[2:])))
			}
			reader, err := index.Open(w.Repo)
			w.Check(err)
			defer reader.Close()
			search := New(w.Repo, reader)
			defer search.Close()
			if _, err := search.Commits(t.Context(), []refs.OID{merge}); err != nil {
				t.Error(err)
			}
			if left := search.repo.LeftOut.Commits(); (len(left) > 0) != (name == "not readable") {
				t.Errorf("left out: %v", left)
			}
		})
	}
}
