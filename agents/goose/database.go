package goose

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/agents/sqlitefile"
	"github.com/git-trace/git-trace/records/rawjson"
)

// row is a session in a database, in the form of the first line of older files.
type row struct {
	ID      string `json:"id"`
	Dir     string `json:"working_dir"`
	Title   string `json:"description,omitempty"`
	Created string `json:"created_at,omitempty"`
	Updated string `json:"updated_at,omitempty"`
	Input   int64  `json:"accumulated_input_tokens,omitempty"`
	Output  int64  `json:"accumulated_output_tokens,omitempty"`
	Model   string `json:"model,omitempty"`
}

// errNoTable reports a database of another program.
var errNoTable = errors.New("not a database of Goose")

func tableOf(db *sqlitefile.DB, name string) (*sqlitefile.Table, error) {
	table, found, err := db.Table(name)
	if err == nil && !found {
		err = errNoTable
	}
	return table, err
}

// rowsOf returns the sessions of a database.
func rowsOf(db *sqlitefile.DB) ([]row, error) {
	table, err := tableOf(db, "sessions")
	if err != nil {
		return nil, err
	}
	var found []row
	err = table.Each(func(r *sqlitefile.Row) error {
		v := table.Values(r)
		config := v.Text("model_config_json")
		provider, model := v.Text("provider_name"), rawjson.MemberText([]byte(config), "model_name")
		if provider != "" && model != "" {
			model = provider + "/" + model
		}
		found = append(found, row{ID: v.Text("id"), Dir: v.Text("working_dir"),
			Title:   cmp.Or(v.Text("name"), v.Text("description")),
			Created: v.Text("created_at"), Updated: v.Text("updated_at"), Model: model,
			Input: max(v.Int("accumulated_input_tokens"), 0), Output: max(v.Int("accumulated_output_tokens"), 0)})
		return v.Err
	})
	return found, err
}

// database is a session in a database.
type database struct {
	db       *sqlitefile.DB
	about    []byte
	table    *sqlitefile.Table
	messages []int64 // ids of rows
}

// errNoSession reports a session that the database lacks.
var errNoSession = errors.New("no such session")

// openDatabase opens a session; "" means the one that changed last.
func openDatabase(path, id string) (sessionfile.File, error) {
	db, err := sqlitefile.Open(path)
	if err != nil {
		return nil, err
	}
	d := &database{db: db}
	if err := d.find(id); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("open session of Goose: %w", err)
	}
	return &sessionfile.Counted{Count: int64(len(d.messages)) + 1, Object: d.object, Opened: db}, nil
}

func (d *database) find(id string) error {
	all, err := rowsOf(d.db)
	if err != nil {
		return err
	}
	var session *row
	for i := range all {
		if all[i].ID == id || id == "" && (session == nil || all[i].Updated > session.Updated) {
			session = &all[i]
		}
	}
	if session == nil {
		return errNoSession
	}
	if d.about, err = json.Marshal(session); err != nil {
		return err
	}
	if d.table, err = tableOf(d.db, "messages"); err != nil {
		return err
	}
	of := d.table.Column("session_id")
	err = d.table.Each(func(r *sqlitefile.Row) error {
		if value, err := r.Text(of); err != nil || value != session.ID {
			return err
		}
		d.messages = append(d.messages, r.ID)
		return nil
	})
	slices.Sort(d.messages)
	return err
}

// object returns the session for 0, then its messages.
func (d *database) object(at int64, faults *jsonlines.Faults) ([]byte, error) {
	if at == 0 {
		return d.about, nil
	}
	return d.message(d.messages[at-1], faults)
}

// message returns the object of a row, in the form of older versions. If its content is not JSON, message counts a
// fault and returns nil.
func (d *database) message(id int64, faults *jsonlines.Faults) ([]byte, error) {
	found, err := d.table.Row(id)
	if err != nil || found == nil {
		return nil, err
	}
	v := d.table.Values(found)
	content := v.Text("content_json")
	var out rawjson.Members
	out.Text("id", v.Text("message_id")).Text("role", v.Text("role")).Number("created", v.Int("created_timestamp"))
	if meta := v.Text("metadata_json"); sound(meta, rawjson.Object) {
		out.Raw("metadata", []byte(meta))
	}
	if v.Err != nil {
		return nil, v.Err
	}
	if len(content) > jsonlines.MaxLine {
		faults.TooLong++
		return nil, nil
	}
	if !sound(content, rawjson.Array) {
		faults.Broken++
		return nil, nil
	}
	return out.Raw("content", []byte(content)).End(), nil
}

func sound(text string, kind rawjson.Kind) bool {
	d := rawjson.NewDecoder([]byte(text))
	if d.Kind() != kind {
		return false
	}
	d.Skip()
	return d.Err() == nil
}
