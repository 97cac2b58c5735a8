package sessioncopy

import (
	"bytes"
	"slices"

	"github.com/git-trace/git-trace/records/rawjson"
)

// `signed` lists the members that a provider has signed, or that a signature covers.
var signed = []string{"signature", "thinkingSignature", "textSignature", "encrypted_content", "redacted_thinking"}

// rename is a directory's path in a JSON text, and the path that replaces it.
type rename struct{ from, to []byte }

// renames returns the paths of directories in JSON form, and in the form of JSON inside a JSON text.
func renames(from []string, to string) []rename {
	var out []rename
	inside := func(text string) string {
		quoted := rawjson.AppendString(nil, text)
		return string(quoted[1 : len(quoted)-1])
	}
	for _, dir := range from {
		once, into := inside(dir), inside(to)
		twice := rename{[]byte(inside(once)), []byte(inside(into))}
		if dir != "" && string(twice.from) != once {
			out = append(out, twice)
		}
		if dir != "" {
			out = append(out, rename{[]byte(once), []byte(into)})
		}
	}
	return out
}

// rewrite rewrites a line, with changed members and directories.
func rewrite(line []byte, members func([]byte) []Member, places []rename) ([]byte, error) {
	var change []Member
	if members != nil {
		change = members(line)
	}
	w := walk{places, slices.ContainsFunc(signed, func(name string) bool { return bytes.Contains(line, []byte(name)) })}
	d := rawjson.NewDecoder(line)
	out, first := []byte{'{'}, true
	name := func(key []byte) {
		if !first {
			out = append(out, ',')
		}
		out, first = append(rawjson.AppendString(out, string(key)), ':'), false
	}
	for d.Open(); d.Member(); {
		at := slices.IndexFunc(change, func(m Member) bool { return m.Name == string(d.Key()) })
		name(d.Key())
		if at >= 0 {
			out = append(out, change[at].Value...)
			change[at].Name = ""
			continue
		}
		out = w.append(out, d)
	}
	if err := d.Err(); err != nil {
		return nil, err
	}
	for _, m := range change {
		if m.Name != "" {
			name([]byte(m.Name))
			out = append(out, m.Value...)
		}
	}
	return append(out, '}'), nil
}

// Relocate returns a value with its directories replaced.
func Relocate(value []byte, from []string, to string) []byte {
	return walk{renames(from, to), true}.append(nil, rawjson.NewDecoder(value))
}

// walk rewrites values. It looks for signatures only if the line has such a member.
type walk struct {
	places []rename
	signed bool
}

// append appends the next value.
func (w walk) append(out []byte, d *rawjson.Decoder) []byte {
	comma := func(first bool) {
		if !first {
			out = append(out, ',')
		}
	}
	switch d.Kind() {
	case rawjson.Object:
		if w.signed {
			raw := d.Raw()
			if hasAny(raw, signed) {
				return append(out, raw...)
			}
			d = rawjson.NewDecoder(raw)
		}
		out = append(out, '{')
		d.Open()
		for first := true; d.Member(); first = false {
			comma(first)
			out = append(rawjson.AppendString(out, string(d.Key())), ':')
			out = w.append(out, d)
		}
		return append(out, '}')
	case rawjson.Array:
		out = append(out, '[')
		d.OpenArray()
		for first := true; d.Element(); first = false {
			comma(first)
			out = w.append(out, d)
		}
		return append(out, ']')
	case rawjson.String:
		text := d.Raw()
		for _, r := range w.places {
			text = replaced(text, r)
		}
		return append(out, text...)
	default:
		return append(out, d.Raw()...)
	}
}

// hasAny reports whether an object has one of the members, with a value other than null.
func hasAny(raw []byte, names []string) bool {
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		if slices.Contains(names, string(d.Key())) && d.Kind() != rawjson.Null {
			return true
		}
	}
	return false
}

// `replaced` replaces a directory in a text, but not a longer path name that begins with it.
func replaced(text []byte, r rename) []byte {
	if !bytes.Contains(text, r.from) {
		return text
	}
	var out []byte
	for {
		at := bytes.Index(text, r.from)
		if at < 0 {
			return append(out, text...)
		}
		end := at + len(r.from)
		if at > 0 && nameByte(text[at-1]) || goesOn(text[end:]) {
			out, text = append(out, text[:end]...), text[end:]
			continue
		}
		out, text = append(append(out, text[:at]...), r.to...), text[end:]
	}
}

// nameByte reports whether a byte can be part of a name in a path.
func nameByte(c byte) bool {
	return c == '_' || c == '-' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' ||
		c >= 0x80
}

// goesOn reports whether the name continues; a full stop may just end a sentence.
func goesOn(rest []byte) bool {
	for len(rest) > 0 && rest[0] == '.' {
		rest = rest[1:]
	}
	return len(rest) > 0 && nameByte(rest[0])
}
