package steering

import (
	"path"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records"
)

// places makes the paths of calls relative to the repository.
type places struct {
	roots []string // directories of the repository, the longest first
}

// read finds the directories that the conversation worked in. Example: an edit of /home/user/shop/a.go whose snippet is
// called a.go shows that /home/user/shop is one.
func (p *places) read(r *records.Record, known []string) {
	for _, root := range known {
		p.add(clean(root))
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		for j := range s.Snippets {
			for k := range s.ToolCalls {
				c := newCall(s, &s.ToolCalls[k])
				if root, found := strings.CutSuffix(clean(c.path), "/"+s.Snippets[j].FilePath); found &&
					s.Snippets[j].FilePath != "" {
					p.add(root)
				}
			}
		}
	}
	slices.SortFunc(p.roots, func(a, b string) int { return len(b) - len(a) })
}

func (p *places) add(root string) {
	if root != "" && root != "/" && root != "." && !slices.Contains(p.roots, root) {
		p.roots = append(p.roots, root)
	}
}

func clean(name string) string {
	if name == "" {
		return ""
	}
	return path.Clean(strings.ReplaceAll(name, `\`, "/"))
}

// `relative` returns a path relative to the repository; a path outside is only cleaned.
func (p *places) relative(name string) string {
	name = clean(name)
	for _, root := range p.roots {
		if rest, inside := strings.CutPrefix(name, root+"/"); inside {
			return rest
		}
	}
	return name
}
