package cursor

import (
	"errors"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/agents/sqlitefile"
	"github.com/git-trace/git-trace/records/rawjson"
)

// The prefixes of keys in the editor's database.
const (
	chatKey   = "composerData:"
	bubbleKey = "bubbleId:"
	textKey   = "composer.content."
)

var (
	errNoTable = errors.New("not a database of Cursor")
	errNoChat  = errors.New("no such conversation")
)

// values is a table of keys and values in one of the editor's databases.
type values struct {
	db    *sqlitefile.DB
	table *sqlitefile.Table
}

func openValues(path, table string) (*values, error) {
	db, err := sqlitefile.Open(path)
	if err != nil {
		return nil, err
	}
	v := &values{db: db}
	var found bool
	if v.table, found, err = db.Table(table); err == nil && (!found || v.table.Column("value") != 1) {
		err = errNoTable
	}
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return v, nil
}

func (v *values) close() { _ = v.db.Close() }

// row returns the value of a row; nil if there is none.
func (v *values) row(id int64) ([]byte, error) {
	row, err := v.table.Row(id)
	if err != nil || row == nil {
		return nil, err
	}
	return row.Data(1)
}

// errFound stops a search.
var errFound = errors.New("found")

// get returns the value of a key; nil if there is none.
func (v *values) get(key string) (value []byte, err error) {
	err = v.table.Prefix(key, func(name string, id int64) error {
		if name == key {
			var err error
			if value, err = v.row(id); err != nil {
				return err
			}
		}
		return errFound
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return value, err
}

// chat is a conversation in the editor's database.
type chat struct {
	*values
	sessionfile.Counted
	about   []byte
	inline  [][]byte // the messages of older versions, which are in the conversation itself
	order   []string // the ids of the messages
	bubbles map[string]int64
	beside  int // the number of messages that the conversation does not list
}

// openChat opens a conversation; "" means the one that changed last.
func openChat(path, id string) (*chat, error) {
	v, err := openValues(path, "cursorDiskKV")
	if err != nil {
		return nil, err
	}
	c := &chat{values: v, bubbles: map[string]int64{}}
	if err := c.find(id); err != nil {
		v.close()
		return nil, fmt.Errorf("open conversation of Cursor: %w", err)
	}
	c.Count, c.Object, c.Opened = int64(1+len(c.inline)+len(c.order)+c.beside), c.object, c.db
	return c, nil
}

func (c *chat) find(id string) error {
	latest := int64(-1)
	err := c.table.Prefix(chatKey+id, func(key string, row int64) error {
		if id != "" && key != chatKey+id {
			return nil
		}
		value, err := c.row(row)
		at := rawjson.MemberInt(value, "lastUpdatedAt")
		if err == nil && len(value) > 0 && at > latest {
			c.about, latest = value, at
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case c.about == nil && id != "":
		return errNoChat
	case c.about == nil: // a workspace's database has none
		c.about = []byte("{}")
		return nil
	}
	id = rawjson.MemberText(c.about, "composerId")
	for _, list := range []string{"fullConversationHeadersOnly", "conversation"} {
		d := rawjson.NewDecoder(rawjson.Member(c.about, list))
		for d.OpenArray(); d.Element(); {
			if raw := d.Raw(); list == "conversation" {
				c.inline = append(c.inline, raw)
			} else {
				c.order = append(c.order, rawjson.MemberText(raw, "bubbleId"))
			}
		}
	}
	if len(c.order) > 0 {
		c.inline = nil
	}
	return c.messages(bubbleKey + id + ":")
}

// messages finds the rows of the messages, which are then read one by one.
func (c *chat) messages(prefix string) error {
	listed := map[string]bool{}
	for _, id := range c.order {
		listed[id] = true
	}
	return c.table.Prefix(prefix, func(key string, row int64) error {
		id := strings.TrimPrefix(key, prefix)
		c.bubbles[id] = row
		if !listed[id] {
			c.beside++
		}
		return nil
	})
}

// object returns an object; for an unreadable one, it counts a fault and returns nil.
func (c *chat) object(at int64, faults *jsonlines.Faults) ([]byte, error) {
	var one rawjson.Members
	if at == 0 {
		return one.Raw("chat", c.about).End(), nil
	}
	n := int(at) - 1
	if n < len(c.inline) {
		return one.Raw("message", c.inline[n]).End(), nil
	}
	if n -= len(c.inline); n >= len(c.order) {
		return one.Flag("beside", true).End(), nil
	}
	row, found := c.bubbles[c.order[n]]
	if !found {
		return one.Flag("missing", true).End(), nil
	}
	raw, err := c.row(row)
	switch {
	case err != nil:
		return nil, err
	case len(raw) > jsonlines.MaxLine:
		faults.TooLong++
		return nil, nil
	case !sound(raw):
		faults.Broken++
		return nil, nil
	}
	one.Raw("message", raw)
	return c.withTexts(&one, raw)
}

// withTexts adds the whole texts of a file before and after an edit, which are stored under separate keys.
func (c *chat) withTexts(one *rawjson.Members, raw []byte) ([]byte, error) {
	result := object(rawjson.Member(rawjson.Member(raw, "toolFormerData"), "result"))
	for _, name := range []string{"before", "after"} {
		key := rawjson.MemberText(result, name+"ContentId")
		if !strings.HasPrefix(key, textKey) {
			continue
		}
		text, err := c.get(key)
		if err != nil {
			return nil, err
		}
		if text != nil || strings.HasSuffix(key, emptyText) {
			one.Text(name, string(text))
		}
	}
	return one.End(), nil
}

// emptyText is the SHA-256 of the empty text.
const emptyText = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

func sound(raw []byte) bool {
	d := rawjson.NewDecoder(raw)
	if d.Kind() != rawjson.Object {
		return false
	}
	d.Skip()
	return d.Err() == nil
}

// object returns an object, even if it is in a JSON string; nil for anything else.
func object(raw []byte) []byte {
	if rawjson.NewDecoder(raw).Kind() == rawjson.String {
		raw = []byte(rawjson.Unquote(raw))
	}
	if !sound(raw) {
		return nil
	}
	return raw
}
