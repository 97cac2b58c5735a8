package sharing

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// made notes the commits that this clone sent to a remote, by writer and kind as in the names of the refs: the one
// that arrived last, and behind it any that may have arrived. The note is a file. A fetch with a wide refspec can
// write every ref, the kept ones too.
type made map[string][]refs.OID

// mostMade bounds how many pushes that failed are noted.
const mostMade = 64

func madeDir(repo *refs.Repo) string { return filepath.Join(repo.TracesDir(), "made") }

func madePath(repo *refs.Repo, r Remote) string {
	return filepath.Join(madeDir(repo), shortHash(r.Label)+".json")
}

// readMade reads a note; what cannot be read notes nothing.
func readMade(path string) made {
	out := made{}
	if raw, err := refs.ReadFile(path); err == nil {
		_ = json.Unmarshal(raw, &out)
	}
	return out
}

// hasMade reports whether this clone noted a commit as sent, to any remote: one may copy what another has.
func hasMade(repo *refs.Repo, name string, commit refs.OID) bool {
	files, _ := filepath.Glob(filepath.Join(madeDir(repo), "*.json"))
	return slices.ContainsFunc(files, func(path string) bool { return slices.Contains(readMade(path)[name], commit) })
}

// note writes down a commit before it is sent, or, when it has arrived, it alone.
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
	raw, err := json.Marshal(m)
	if err == nil {
		err = refs.WriteFileAtomic(path, append(raw, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("note what is sent: %w", err)
	}
	return nil
}
