package claudecode

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/sessioncopy"
	"github.com/git-trace/git-trace/records/rawjson"
)

// ofTheMoment lists lines that concern only the running session: waiting prompts, and copies of files for /rewind,
// which the client stores by session.
var ofTheMoment = []string{"queue-operation", "file-history-snapshot", "last-prompt"}

// Copy writes the copy in the form of the client's own --fork-session: each line keeps its id and names its origin.
func (c *Client) Copy(from capability.Beginning) (capability.Session, error) {
	id := sessioncopy.NewID(time.Time{})
	path := filepath.Join(c.configDir(), "projects", projectKey(from.Start), id+".jsonl")
	err := sessioncopy.Write(path, from, sessioncopy.Form{
		Drop: func(line []byte) bool { return slices.Contains(ofTheMoment, rawjson.MemberText(line, "type")) },
		Members: func(line []byte) []sessioncopy.Member {
			var out []sessioncopy.Member
			for _, name := range []string{"sessionId", "session_id"} {
				if rawjson.Member(line, name) != nil {
					out = append(out, sessioncopy.Member{Name: name, Value: rawjson.AppendString(nil, id)})
				}
			}
			if uuid := rawjson.MemberText(line, "uuid"); uuid != "" && rawjson.Member(line, "forkedFrom") == nil {
				var origin rawjson.Members
				value := origin.Text("sessionId", from.Session).Text("messageUuid", uuid).End()
				out = append(out, sessioncopy.Member{Name: "forkedFrom", Value: value})
			}
			return out
		},
	})
	return capability.Session{Path: path, ID: id, Dir: from.Start}, err
}
