package opencode

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/git-trace/git-trace/agents/sqlitefile"
)

// database is a session in the client's database.
type database struct {
	db             *sqlitefile.DB
	session        dbSession
	message_, part *sqlitefile.Table
	ids            []string
	rows           []dbMessage
	parts          map[string][]dbPart
}

// dbSession is a row of the table of sessions.
type dbSession struct {
	ID        string          `json:"id"`
	Parent    string          `json:"parentID,omitempty"`
	Directory string          `json:"directory"`
	Title     string          `json:"title"`
	Version   string          `json:"version"`
	Revert    json.RawMessage `json:"revert,omitempty"`
	Time      struct {
		Created int64 `json:"created"`
		Updated int64 `json:"updated"`
	} `json:"time"`
}

type dbMessage struct {
	row, created int64
	id           string
}

type dbPart struct {
	row int64
	id  string
}

// errNoTable reports a database of another program.
var errNoTable = errors.New("not a database of OpenCode")

func tableOf(db *sqlitefile.DB, name string) (*sqlitefile.Table, error) {
	table, found, err := db.Table(name)
	if err == nil && !found {
		err = errNoTable
	}
	return table, err
}

// dbSessions returns the sessions of a database.
func dbSessions(db *sqlitefile.DB) ([]dbSession, error) {
	table, err := tableOf(db, "session")
	if err != nil {
		return nil, err
	}
	var found []dbSession
	err = table.Each(func(row *sqlitefile.Row) error {
		v := table.Values(row)
		s := dbSession{ID: v.Text("id"), Parent: v.Text("parent_id"), Directory: v.Text("directory"),
			Title: v.Text("title"), Version: v.Text("version")}
		s.Time.Created, s.Time.Updated = v.Int("time_created"), v.Int("time_updated")
		if revert := v.Text("revert"); json.Valid([]byte(revert)) {
			s.Revert = json.RawMessage(revert)
		}
		found = append(found, s)
		return v.Err
	})
	return found, err
}

// `topmost` returns the sessions that do not belong to another one: sessions without a parent, and sessions whose
// parent was deleted.
func topmost(all []dbSession) []dbSession {
	here := map[string]bool{}
	for _, s := range all {
		here[s.ID] = true
	}
	var out []dbSession
	for _, s := range all {
		if s.Parent == "" || !here[s.Parent] {
			out = append(out, s)
		}
	}
	return out
}

// openDatabase opens a session; "" means the topmost session that changed last.
func openDatabase(path, id string) (*database, error) {
	db, err := sqlitefile.Open(path)
	if err != nil {
		return nil, err
	}
	d := &database{db: db, parts: map[string][]dbPart{}}
	if err := d.find(id); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("open session of OpenCode: %w", err)
	}
	return d, nil
}

// errNoSession reports a session that the database lacks.
var errNoSession = errors.New("no such session")

func (d *database) find(id string) error {
	all, err := dbSessions(d.db)
	if err != nil {
		return err
	}
	if id == "" {
		all = topmost(all)
	}
	for _, one := range all {
		if one.ID == id || id == "" && (d.session.ID == "" || one.Time.Updated > d.session.Time.Updated) {
			d.session = one
		}
	}
	if d.session.ID == "" {
		return errNoSession
	}
	if d.message_, err = tableOf(d.db, "message"); err != nil {
		return err
	}
	if d.part, err = tableOf(d.db, "part"); err != nil {
		return err
	}
	if err := d.listMessages(); err != nil {
		return err
	}
	return d.listParts()
}

// listMessages finds the messages of the session. It reads only a little of each message, so it is quick for a large
// database.
func (d *database) listMessages() error {
	id, session, created := d.message_.Column("id"), d.message_.Column("session_id"), d.message_.Column("time_created")
	err := d.message_.Each(func(row *sqlitefile.Row) error {
		if of, err := row.Text(session); err != nil || of != d.session.ID {
			return err
		}
		one := dbMessage{row: row.ID}
		var err, err2 error
		one.id, err = row.Text(id)
		one.created, err2 = row.Int(created)
		d.rows = append(d.rows, one)
		return errors.Join(err, err2)
	})
	slices.SortFunc(d.rows, func(a, b dbMessage) int {
		return cmp.Or(cmp.Compare(a.created, b.created),
			cmp.Compare(a.id, b.id))
	})
	for _, one := range d.rows {
		d.ids = append(d.ids, one.id)
	}
	return err
}

func (d *database) listParts() error {
	id, session, message := d.part.Column("id"), d.part.Column("session_id"), d.part.Column("message_id")
	err := d.part.Each(func(row *sqlitefile.Row) error {
		if of, err := row.Text(session); err != nil || of != d.session.ID {
			return err
		}
		of, err := row.Text(message)
		name, err2 := row.Text(id)
		d.parts[of] = append(d.parts[of], dbPart{row.ID, name})
		return errors.Join(err, err2)
	})
	for _, parts := range d.parts {
		slices.SortFunc(parts, func(a, b dbPart) int { return cmp.Compare(a.id, b.id) })
	}
	return err
}

func (d *database) head() ([]byte, error) { return json.Marshal(d.session) }

func (d *database) messages() []string { return d.ids }

func (d *database) message(index int) (info []byte, parts [][]byte, err error) {
	one := d.rows[index]
	info, err = data(d.message_, one.row)
	if err != nil || info == nil {
		return nil, nil, err
	}
	for _, part := range d.parts[one.id] {
		raw, err := data(d.part, part.row)
		if err != nil {
			return nil, nil, err
		}
		parts = append(parts, withID(raw, part.id))
	}
	return withID(info, one.id), parts, nil
}

func data(table *sqlitefile.Table, id int64) ([]byte, error) {
	row, err := table.Row(id)
	if err != nil || row == nil {
		return nil, err
	}
	text, err := row.Text(table.Column("data"))
	return []byte(text), err
}

func (d *database) close() error { return d.db.Close() }
