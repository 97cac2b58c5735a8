package events

import "testing"

func TestChangeIsNamedByItsLinesAlone(t *testing.T) {
	t.Parallel()
	id := func(take func(*ChangeHash)) ChangeID {
		var c ChangeHash
		take(&c)
		return c.ID()
	}
	base := id(func(c *ChangeHash) { c.Hunk(); c.Removed([]byte("a")); c.Added([]byte("if b {\n")) })
	if len(base.Bytes()) != changeBytes {
		t.Errorf("%q is %d bytes", base, len(base.Bytes()))
	}
	if base != id(func(c *ChangeHash) { c.Hunk(); c.Removed([]byte(" a\r\n")); c.Added([]byte("\tif  b{")) }) {
		t.Error("white space counts")
	}
	for name, other := range map[string]ChangeID{
		"another line":       id(func(c *ChangeHash) { c.Hunk(); c.Removed([]byte("a")); c.Added([]byte("if c {")) }),
		"the other way":      id(func(c *ChangeHash) { c.Hunk(); c.Added([]byte("a")); c.Removed([]byte("if b {")) }),
		"two hunks":          id(func(c *ChangeHash) { c.Hunk(); c.Removed([]byte("a")); c.Hunk(); c.Added([]byte("if b {")) }),
		"one line, not two":  id(func(c *ChangeHash) { c.Hunk(); c.Removed([]byte("a")); c.Added([]byte("if b {")); c.Added(nil) }),
		"lines run together": id(func(c *ChangeHash) { c.Hunk(); c.Removed([]byte("a+if b {")) }),
	} {
		if other == base {
			t.Errorf("%s: the same", name)
		}
	}
	if none := id(func(*ChangeHash) {}); none != "" {
		t.Errorf("nothing is named %q", none)
	}
	var c ChangeHash
	c.Added([]byte("x"))
	first := c.ID()
	c.Added([]byte("x"))
	if c.ID() != first {
		t.Error("a hash that was used is not as a new one")
	}
	for _, text := range []ChangeID{"", "12", "zzzzzzzzzzzzzzzz", "00112233445566778899"} {
		if text.Bytes() != nil {
			t.Errorf("%q is taken for an id", text)
		}
	}
}
