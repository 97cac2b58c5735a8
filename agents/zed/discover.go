package zed

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/agents/sqlitefile"
)

// sessions implements the capabilities for threads.
type sessions struct{ env capability.Env }

// databaseFile is the name of the database.
const databaseFile = "threads.db"

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// ProjectSessions lists the threads of the database. A thread without folders in its row is listed only if all
// directories are requested.
func (s sessions) ProjectSessions(dir string, since time.Time) ([]capability.Session, error) {
	project := sessionfile.NewProject(dir)
	var found []capability.Session
	for _, root := range s.roots() {
		path := filepath.Join(root, databaseFile)
		if !isFile(path) {
			continue
		}
		all, err := threadsIn(path)
		if err != nil {
			continue // incomplete, or of a later version
		}
		for _, one := range all {
			here := project.Any() || slices.ContainsFunc(one.folders, project.Holds)
			if here && !one.changed.Before(since) {
				found = append(found, one.session(path))
			}
		}
	}
	sessionfile.Sort(found)
	return found, nil
}

// SessionID returns "", because the database has several threads.
func (s sessions) SessionID(string) string { return "" }

// SessionsIn lists the threads of a database.
func (s sessions) SessionsIn(path string) ([]capability.Session, error) {
	all, err := threadsIn(path)
	if err != nil {
		return nil, err
	}
	found := make([]capability.Session, len(all))
	for i, one := range all {
		found[i] = one.session(path)
	}
	return found, nil
}

// Recognises identifies the database by the columns of its table.
func (s sessions) Recognises(_ string, head []byte) bool {
	return bytes.HasPrefix(head, []byte(sqlitefile.Magic)) && bytes.Contains(head, []byte("threads")) &&
		bytes.Contains(head, []byte("data_type")) && bytes.Contains(head, []byte("summary"))
}

// row is a row of the database without the thread itself.
type row struct {
	number           int64
	id, title        string
	parent           string // the thread to which a subagent's thread belongs
	folders          []string
	created, updated string
	changed          time.Time
	packed           bool
}

func (r *row) session(path string) capability.Session {
	dir := ""
	if len(r.folders) > 0 {
		dir = r.folders[0]
	}
	return capability.Session{Path: path, ID: r.id, Dir: dir, Changed: r.changed}
}

// errNoTable reports a database of another program.
var errNoTable = errors.New("not a database of Zed")

// openTable opens the database and the table of threads. The caller closes the database.
func openTable(path string) (*sqlitefile.DB, *sqlitefile.Table, error) {
	db, err := sqlitefile.Open(path)
	if err != nil {
		return nil, nil, err
	}
	table, found, err := db.Table("threads")
	if err == nil && (!found || table.Column("data_type") < 0) {
		err = errNoTable
	}
	if err != nil {
		_ = db.Close()
		return nil, nil, err
	}
	return db, table, nil
}

func threadsIn(path string) ([]row, error) {
	db, table, err := openTable(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	return rowsOf(table)
}

// rowsOf returns the threads of a table without reading their documents.
func rowsOf(table *sqlitefile.Table) ([]row, error) {
	var found []row
	err := table.Each(func(r *sqlitefile.Row) error {
		v := table.Values(r)
		one := row{number: r.ID, id: payload.CheckedID(v.Text("id")), title: v.Text("summary"),
			parent:  payload.CheckedID(v.Text("parent_id")),
			folders: strings.FieldsFunc(v.Text("folder_paths"), func(c rune) bool { return c == '\n' }),
			created: sessionfile.Stamp(v.Text("created_at")), updated: sessionfile.Stamp(v.Text("updated_at")),
			packed: v.Text("data_type") == "zstd"}
		one.changed, _ = time.Parse(time.RFC3339Nano, one.updated)
		if one.id != "" {
			found = append(found, one)
		}
		return v.Err
	})
	return found, err
}
