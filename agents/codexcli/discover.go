package codexcli

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// ProjectSessions reads every rollout, because the client stores rollouts by day. A subagent's rollout is left out if
// its parent's rollout exists, because that includes it.
func (s sessions) ProjectSessions(dir string, since time.Time) ([]capability.Session, error) {
	home := configDir(s.env)
	project := sessionfile.NewProject(dir)
	ids, parents := map[string]bool{}, map[string]string{}
	take := func(path string) (capability.Session, bool) {
		id := s.SessionID(path)
		if id == "" {
			return capability.Session{}, false
		}
		begin := sessionfile.Peek(path, peek)
		ids[id] = true
		if begin.parent != "" {
			parents[id] = begin.parent
		}
		return capability.Session{ID: id, Dir: begin.cwd}, project.Holds(begin.cwd)
	}
	found := slices.Concat(
		sessionfile.List(filepath.Join(home, "sessions"), 3, since, take),
		sessionfile.List(filepath.Join(home, "archived_sessions"), 3, since, take),
	)
	found = slices.DeleteFunc(found, func(one capability.Session) bool {
		return ids[parents[one.ID]] || !since.IsZero() && parents[one.ID] != "" // its file may have been left out
	})
	sessionfile.Sort(found)
	return found, nil
}

// idLength is the length of a UUID.
const idLength = 36

// SessionID returns the id at the end of a rollout's file name.
func (s sessions) SessionID(path string) string {
	name, found := strings.CutSuffix(filepath.Base(path), ".jsonl")
	if !found || !strings.HasPrefix(name, "rollout-") || len(name) < idLength {
		return ""
	}
	if id := name[len(name)-idLength:]; payload.SessionID(id) {
		return id
	}
	return ""
}

// Recognises identifies rollouts by their envelope, and old versions by their first line.
func (s sessions) Recognises(_ string, head []byte) bool {
	return sessionfile.AnyObject(head, 1, func(raw []byte) bool {
		if rawjson.MemberText(raw, "type") == "session_meta" {
			return rawjson.Member(raw, "payload") != nil
		}
		return rawjson.Member(raw, "instructions") != nil && rawjson.Member(raw, "timestamp") != nil &&
			rawjson.Member(raw, "id") != nil
	})
}

// beginning is the data in the first line of a rollout.
type beginning struct {
	id, cwd string
	origin  string // the session that was forked, or that started this subagent
	parent  string // the session that started this subagent
	role    string
}

func peek(file sessionfile.File) beginning {
	var b beginning
	sessionfile.First(file, 1, func(object jsonlines.Object) bool {
		raw := object.Raw
		if inner := rawjson.Member(raw, "payload"); inner != nil {
			raw = inner
		}
		d := rawjson.NewDecoder(raw)
		for d.Open(); d.Member(); {
			switch string(d.Key()) {
			case "agent_role", "agent_nickname":
				b.role = cmp.Or(payload.Name(d.Text()), b.role)
			case "source":
				spawn := rawjson.Member(rawjson.Member(d.Raw(), "subagent"), "thread_spawn")
				b.parent = rawjson.MemberText(spawn, "parent_thread_id")
				b.role = cmp.Or(payload.Name(rawjson.MemberText(spawn, "agent_role")), b.role)
			default:
				d.Take("id", &b.id, "cwd", &b.cwd, "forked_from_id", &b.origin)
			}
		}
		return false
	})
	b.origin = cmp.Or(b.origin, b.parent)
	b.id = payload.CheckedID(b.id)
	return b
}

// subagentFile finds the rollout of a subagent.
func subagentFile(of sessionfile.Place, _ *assemble.Call, id string) sessionfile.Place {
	main := cmp.Or(of.Main, of.Path)
	path := rolloutOf(main, id)
	if path == "" {
		return sessionfile.Place{}
	}
	return sessionfile.Place{Path: path, Session: id, Role: cmp.Or(sessionfile.Peek(path, peek).role, "subagent")}
}

// rolloutOf finds the rollout of a session by its id, starting from another rollout: in the same folder, or in the
// folder of the day in the id, in any time zone. It returns "" if there is none.
func rolloutOf(beside, id string) string {
	if !payload.SessionID(id) {
		return ""
	}
	folders := []string{filepath.Dir(beside)}
	if root, dated := datedRoot(beside); dated {
		day := bornOn(id)
		for _, shift := range []int{0, -1, 1} {
			one := day.AddDate(0, 0, shift)
			folders = append(folders, filepath.Join(root, one.Format("2006"), one.Format("01"), one.Format("02")))
		}
	}
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			if strings.HasSuffix(entry.Name(), id+".jsonl") && entry.Type().IsRegular() {
				return filepath.Join(folder, entry.Name())
			}
		}
	}
	return ""
}

// datedRoot returns the directory that contains the folders for year, month and day.
func datedRoot(path string) (string, bool) {
	dir := filepath.Dir(path)
	for range 3 {
		if _, err := strconv.Atoi(filepath.Base(dir)); err != nil {
			return "", false
		}
		dir = filepath.Dir(dir)
	}
	return dir, true
}

// bornOn returns the time in a UUID of version 7.
func bornOn(id string) time.Time {
	digits := strings.ReplaceAll(id, "-", "")
	if len(digits) < 12 {
		return time.Time{}
	}
	ms, err := strconv.ParseInt(digits[:12], 16, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
