package openhands

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/agents/transcript"
	"github.com/git-trace/git-trace/records/rawjson"
)

// sessions implements the capabilities for conversations.
type sessions struct{ env capability.Env }

// stateFile is the name of the file with the data about the whole conversation. The constant eventsDir is the name of
// the directory with its events.
const (
	stateFile = "base_state.json"
	eventsDir = "events"
)

// ProjectSessions reads the state of every conversation.
func (s sessions) ProjectSessions(dir string, since time.Time) ([]capability.Session, error) {
	project := sessionfile.NewProject(dir)
	return sessionfile.List(conversations(s.env), 1, time.Time{}, func(path string) (capability.Session, bool) {
		if filepath.Base(path) != stateFile {
			return capability.Session{}, false
		}
		raw := stateOf(path)
		session := capability.Session{ID: idOf(raw, path), Dir: workingDir(raw)}
		if info, err := os.Stat(filepath.Join(filepath.Dir(path), eventsDir)); err == nil {
			session.Changed = info.ModTime() // it changes with every event
		}
		if info, err := os.Stat(path); err == nil && info.ModTime().After(session.Changed) {
			session.Changed = info.ModTime()
		}
		return session, session.ID != "" && !session.Changed.Before(since) && project.Holds(session.Dir)
	}), nil
}

// SessionID returns the name of the conversation's directory.
func (s sessions) SessionID(path string) string { return sessionfile.InDir(path, stateFile) }

// idOf returns the id of a conversation: from its state, otherwise the name of its directory.
func idOf(state []byte, path string) string {
	return cmp.Or(payload.CheckedID(rawjson.MemberText(state, "id")), sessionfile.InDir(path, stateFile))
}

func workingDir(state []byte) string {
	return rawjson.MemberText(rawjson.Member(state, "workspace"), "working_dir")
}

// maxState is the greatest size of a state, in bytes.
const maxState = 64 << 20

// stateOf reads the state of a conversation; nil if the file is not a state.
func stateOf(path string) []byte {
	if filepath.Base(path) != stateFile {
		return nil
	}
	return sessionfile.Small(path, maxState)
}

// Recognises identifies a state by the events next to it or by its members, and a file of events by its first line. The
// file of a single event is not a session.
func (s sessions) Recognises(path string, head []byte) bool {
	head = bytes.TrimSpace(head)
	if len(head) == 0 || head[0] != '{' || eventName().MatchString(filepath.Base(path)) {
		return false
	}
	if sessionfile.AnyObject(head, 1, isEvent) {
		return true
	}
	if filepath.Base(path) != stateFile { // its events are not in the same directory
		return false
	}
	if len(eventsIn(filepath.Join(filepath.Dir(path), eventsDir))) > 0 {
		return true
	}
	id, agent := false, false
	d := rawjson.NewDecoder(head)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "id":
			id = d.Text() != ""
		case "agent":
			raw := d.Raw()
			agent = rawjson.Member(raw, "llm") != nil && rawjson.Member(raw, "tools") != nil
		case "workspace":
			return id && agent && rawjson.MemberText(d.Raw(), "working_dir") != ""
		}
	}
	return false
}

func isEvent(raw []byte) bool {
	kind := rawjson.MemberText(raw, "kind")
	return (strings.HasSuffix(kind, "Event") || kind == "Condensation" || kind == "UserRejectObservation") &&
		rawjson.MemberText(raw, "source") != "" && rawjson.MemberText(raw, "timestamp") != ""
}

// open opens a conversation: its directory, or a file of events.
func open(path, _ string) (sessionfile.File, error) {
	if filepath.Base(path) != stateFile {
		return sessionfile.Lines(path, "")
	}
	file, err := transcript.Open(path) // it fails unless the file is regular
	if err != nil {
		return nil, err
	}
	_ = file.Close()
	return filesOf(path, eventsIn(filepath.Join(filepath.Dir(path), eventsDir))), nil
}

// eventName matches the name of an event's file.
var eventName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^event-(\d{1,12})-[0-9a-zA-Z-]+\.json$`)
})

// maxEvents limits the number of events of a conversation that are read.
const maxEvents = 200_000

// eventsIn returns the files of events, sorted by number.
func eventsIn(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	type event struct {
		number int64
		name   string
	}
	var all []event
	for _, entry := range entries {
		m := eventName().FindStringSubmatch(entry.Name())
		if m == nil || !entry.Type().IsRegular() || len(all) >= maxEvents {
			continue
		}
		number, _ := strconv.ParseInt(m[1], 10, 64) // only digits, so no error is possible
		all = append(all, event{number, filepath.Join(dir, entry.Name())})
	}
	slices.SortStableFunc(all, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.name, b.name))
	})
	out := make([]string, len(all))
	for i, one := range all {
		out[i] = one.name
	}
	return out
}

// filesOf returns a conversation in a directory: the content of its state, then of its event files.
func filesOf(state string, events []string) sessionfile.File {
	paths := append([]string{state}, events...)
	return &sessionfile.Counted{Count: int64(len(paths)), Object: func(at int64, f *jsonlines.Faults) ([]byte, error) {
		raw, err := readFile(paths[at])
		d := rawjson.NewDecoder(raw)
		kind := d.Kind()
		if d.Skip(); err == nil && len(raw) <= jsonlines.MaxLine && d.Err() == nil && kind == rawjson.Object {
			return raw, nil
		}
		switch {
		case err == nil && len(raw) > jsonlines.MaxLine:
			f.TooLong++
		case err != nil || d.Err() != nil:
			f.Broken++
		default:
			f.NotObject++
		}
		return nil, nil
	}}
}

// readFile reads a file. It reads one byte more than the limit, to detect that a file is too long.
func readFile(path string) ([]byte, error) {
	file, err := transcript.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(io.LimitReader(file.From(0), jsonlines.MaxLine+1))
}
