package pi

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/sessioncopy"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Copy writes the copy in the form of the client's own forks: a header that names the other file, then that file's
// entries.
func (s sessions) Copy(from capability.Beginning) (capability.Session, error) {
	folder := s.env.Lookup("PI_CODING_AGENT_SESSION_DIR")
	if folder == "" {
		folder = filepath.Join(configDir(s.env), "sessions", folderOf(from.Start))
	}
	now := time.Now()
	id := sessioncopy.NewID(now)
	stamp := now.UTC().Format("2006-01-02T15:04:05.000Z")
	path := filepath.Join(folder, strings.NewReplacer(":", "-", ".", "-").Replace(stamp)+"_"+id+".jsonl")
	quoted := func(text string) []byte { return rawjson.AppendString(nil, text) }
	err := sessioncopy.Write(path, from, sessioncopy.Form{
		Members: func(line []byte) []sessioncopy.Member {
			if !begins(line) {
				return nil
			}
			return []sessioncopy.Member{{Name: "id", Value: quoted(id)}, {Name: "timestamp", Value: quoted(stamp)},
				{Name: "cwd", Value: quoted(from.Start)}, {Name: "parentSession", Value: quoted(from.Path)}}
		},
	})
	return capability.Session{Path: path, ID: id, Dir: from.Start}, err
}

// folderOf returns the client's folder name for the sessions of a directory.
func folderOf(dir string) string {
	name := strings.TrimLeft(dir[len(filepath.VolumeName(dir)):], `/\`)
	if volume := filepath.VolumeName(dir); volume != "" {
		name = volume + "/" + name
	}
	return "--" + strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(name) + "--"
}
