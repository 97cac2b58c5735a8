package sharing

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// `made` holds the commits that this clone sent to a remote, by writer and kind, as in the names of the refs: the last
// commit that arrived, and later ones that may have arrived. The note is a file, because a fetch with a wide refspec
// can overwrite any ref.
type made map[string][]refs.OID

// mostMade limits the number of failed pushes that are noted.
const mostMade = 64

func madeDir(repo *refs.Repo) string { return filepath.Join(repo.TracesDir(), "made") }

func madePath(repo *refs.Repo, r Remote) string {
	return filepath.Join(madeDir(repo), shortHash(r.Label)+".json")
}

// readMade reads a note; an unreadable one is empty.
func readMade(path string) made {
	out := made{}
	if raw, err := refs.ReadFile(path); err == nil {
		_ = json.Unmarshal(raw, &out)
	}
	return out
}

// hasMade reports whether this clone noted a commit as sent to any remote; remotes may copy each other.
func hasMade(repo *refs.Repo, name string, commit refs.OID) bool {
	files, _ := filepath.Glob(filepath.Join(madeDir(repo), "*.json"))
	return slices.ContainsFunc(files, func(path string) bool { return slices.Contains(readMade(path)[name], commit) })
}

// note adds a commit to the note before it is sent. Once it has arrived, it replaces all others.
func (p *Plan) note(ref string, commit refs.OID, arrived bool) error {
	path, name := madePath(p.repo, p.Remote), strings.TrimPrefix(ref, p.Remote.Prefix)
	m := readMade(path)
	switch list := m[name]; {
	case arrived && commit.IsZero():
		delete(m, name)
	case arrived:
		m[name] = []refs.OID{commit}
	case !slices.Contains(list, commit):
		if len(list) == mostMade {
			list = slices.Delete(list, 1, 2)
		}
		m[name] = append(list, commit)
	}
	if err := refs.WriteJSON(path, m, refs.WriteFileAtomic); err != nil {
		return fmt.Errorf("note what is sent: %w", err)
	}
	return nil
}
