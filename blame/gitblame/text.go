package gitblame

import (
	"bytes"
	"strconv"

	"github.com/git-trace/git-trace/refs/gitdiff"
)

// AppendGroup appends the lines that git prints before a content line. The parameter `shown` holds the commits whose
// details have been printed.
func AppendGroup(buf []byte, l *Line, count int, shown map[*Commit]bool) []byte {
	buf = AppendPosition(buf, l, count)
	if !shown[l.Commit] {
		buf = appendDetails(buf, l.Commit)
		shown[l.Commit] = true
	}
	return appendOrigin(buf, l)
}

// AppendPosition appends the first line of an entry. The parameter `count` is 0 within a group.
func AppendPosition(buf []byte, l *Line, count int) []byte {
	return appendNumbers(append(buf, l.Commit.ID.String()...), l, count)
}

// appendNumbers appends the numbers that follow the commit id in the first line of an entry.
func appendNumbers(buf []byte, l *Line, count int) []byte {
	buf = strconv.AppendInt(append(buf, ' '), int64(l.OrigLine), 10)
	buf = strconv.AppendInt(append(buf, ' '), int64(l.FinalLine), 10)
	if count > 0 {
		buf = strconv.AppendInt(append(buf, ' '), int64(count), 10)
	}
	return append(buf, '\n')
}

func appendDetails(buf []byte, c *Commit) []byte {
	buf = appendPerson(buf, "author", &c.Author)
	buf = appendPerson(buf, "committer", &c.Committer)
	buf = appendField(buf, "summary", "", c.Summary)
	if c.Boundary {
		buf = append(buf, "boundary\n"...)
	}
	return buf
}

func appendPerson(buf []byte, role string, p *Person) []byte {
	buf = appendField(buf, role, "", p.Name)
	buf = appendField(buf, role, "-mail", p.Mail)
	buf = append(append(buf, role...), "-time "...)
	buf = append(strconv.AppendInt(buf, p.Time, 10), '\n')
	return appendField(buf, role, "-tz", p.TZ)
}

func appendOrigin(buf []byte, l *Line) []byte {
	if l.Unblamable {
		buf = append(buf, "unblamable\n"...)
	}
	if l.Ignored {
		buf = append(buf, "ignored\n"...)
	}
	if !l.Previous.Commit.IsZero() {
		buf = appendField(buf, "previous ", l.Previous.Commit.String(), gitdiff.Quote(l.Previous.Path))
	}
	return appendField(buf, "filename", "", gitdiff.Quote(l.OrigPath))
}

// appendField appends a line with a name and a value. The name is given in two parts.
func appendField(buf []byte, name, rest, value string) []byte {
	buf = append(append(append(buf, name...), rest...), ' ')
	return append(append(buf, value...), '\n')
}

// SplitLastLine splits a text before its last line. The line keeps its newline.
func SplitLastLine(text []byte) (before, last []byte) {
	at := bytes.LastIndexByte(bytes.TrimSuffix(text, []byte("\n")), '\n') + 1
	return text[:at], text[at:]
}
