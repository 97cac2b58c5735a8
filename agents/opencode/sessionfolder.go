package opencode

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/transcript"
	"github.com/git-trace/git-trace/records/rawjson"
)

// folder is a session in the folder of JSON files of versions before 1.1: storage/session/<project>/<session>.json,
// storage/message/<session>/<message>.json, storage/part/<message>/<part>.json.
type folder struct {
	root string // the storage directory
	info []byte
	ids  []string
}

// openFolder opens a session by its file in storage/session.
func openFolder(path string) (*folder, error) {
	info, err := readObject(path)
	if err != nil {
		return nil, err
	}
	f := &folder{root: filepath.Dir(filepath.Dir(filepath.Dir(path))), info: info}
	id := rawjson.MemberText(info, "id")
	if !payload.SessionID(id) {
		return nil, errNoSession
	}
	type one struct {
		id      string
		created int64
	}
	var found []one
	for _, name := range jsonFiles(filepath.Join(f.root, "message", id)) {
		raw, err := readObject(filepath.Join(f.root, "message", id, name))
		if err != nil {
			continue // it is counted when it is read again
		}
		found = append(found, one{
			filepath.Join("message", id, name), rawjson.MemberInt(rawjson.Member(raw, "time"), "created"),
		})
	}
	slices.SortStableFunc(found, func(a, b one) int {
		return cmp.Or(cmp.Compare(a.created, b.created),
			cmp.Compare(a.id, b.id))
	})
	for _, message := range found {
		f.ids = append(f.ids, message.id)
	}
	return f, nil
}

// jsonFiles returns the names of the JSON files in a folder, sorted.
func jsonFiles(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, entry := range entries {
		if entry.Type().IsRegular() && filepath.Ext(entry.Name()) == ".json" {
			names = append(names, entry.Name())
		}
	}
	return names
}

var errTooLong = errors.New("the file is too long")

func readObject(path string) ([]byte, error) {
	file, err := transcript.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	if file.Size() > jsonlines.MaxLine {
		return nil, errTooLong
	}
	return io.ReadAll(file.From(0))
}

func (f *folder) head() ([]byte, error) { return f.info, nil }

func (f *folder) messages() []string { return f.ids }

func (f *folder) message(index int) (info []byte, parts [][]byte, err error) {
	info, err = readObject(filepath.Join(f.root, f.ids[index]))
	if err != nil {
		return nil, nil, nil //nolint:nilerr // it counts as unreadable
	}
	id := strings.TrimSuffix(filepath.Base(f.ids[index]), ".json")
	dir := filepath.Join(f.root, "part", id)
	for _, name := range jsonFiles(dir) {
		raw, err := readObject(filepath.Join(dir, name))
		if err != nil {
			raw = nil // counted
		}
		parts = append(parts, withID(raw, strings.TrimSuffix(name, ".json")))
	}
	return withID(info, id), parts, nil
}

func (f *folder) close() error { return nil }
