package codexcli

import (
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/sessioncopy"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Copy writes a copy in the form of the client's own forks: a new first line, then the lines of the other session.
func (s sessions) Copy(from capability.Beginning) (capability.Session, error) {
	now := time.Now()
	id := sessioncopy.NewID(now)
	path := filepath.Join(configDir(s.env), "sessions", now.Format("2006"), now.Format("01"), now.Format("02"),
		"rollout-"+now.Format("2006-01-02T15-04-05")+"-"+id+".jsonl")
	err := sessioncopy.Write(path, from, sessioncopy.Form{
		First: func(line []byte) []byte { return firstLine(line, id, now, from) },
	})
	return capability.Session{Path: path, ID: id, Dir: from.Start}, err
}

// firstLine returns the first line of the copy, made from the first line of the other session. It returns nil if that
// line lacks an envelope, as in the first versions of the client.
func firstLine(line []byte, id string, now time.Time, from capability.Beginning) []byte {
	payload := rawjson.Member(line, "payload")
	if rawjson.MemberText(line, "type") != "session_meta" || payload == nil {
		return nil
	}
	stamp := now.UTC().Format("2006-01-02T15:04:05.000Z")
	var meta rawjson.Members
	d := rawjson.NewDecoder(payload)
	for d.Open(); d.Member(); {
		switch key := string(d.Key()); key {
		case "id", "session_id":
			meta.Text(key, id)
		case "timestamp":
			meta.Text(key, stamp)
		case "cwd":
			meta.Text(key, from.Start)
		case "forked_from_id", "parent_thread_id":
		default:
			meta.Raw(key, sessioncopy.Relocate(d.Raw(), from.Dirs, from.Dir))
		}
	}
	meta.Text("forked_from_id", from.Session)
	var out rawjson.Members
	return out.Text("timestamp", stamp).Text("type", "session_meta").Raw("payload", meta.End()).End()
}
