package sessionfile

import (
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Withheld replaces reasoning that the provider does not disclose.
const Withheld = "[reasoning withheld by the provider]"

// Absolute returns a path in a session file, joined with the directory to which it is relative. The file may come from
// another operating system, so only the text of the path is used.
func Absolute(name, dir string) string {
	if name == "" || dir == "" || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") ||
		strings.Contains(name, `:\`) ||
		strings.Contains(name, ":/") {
		return name
	}
	return path.Join(strings.ReplaceAll(dir, `\`, "/"), strings.ReplaceAll(name, `\`, "/"))
}

// Blocks returns the text of a message or a result: a text, or blocks, with placeholders for images.
func Blocks(content []byte) string {
	d := rawjson.NewDecoder(content)
	if d.Kind() == rawjson.String {
		return d.Text()
	}
	var parts []string
	for d.OpenArray(); d.Element(); {
		block := d.Raw()
		switch rawjson.MemberText(block, "type") {
		case "text":
			parts = append(parts, rawjson.MemberText(block, "text"))
		case "image":
			parts = append(parts, "[image]")
		}
	}
	return strings.Join(parts, "\n\n")
}

// ExitCode returns the error of a command with an exit code; "" for 0.
func ExitCode(code int64) string {
	if code == 0 {
		return ""
	}
	return "exit_code:" + strconv.FormatInt(code, 10)
}

// Millis converts milliseconds since 1970 to the form of records; "" for 0.
func Millis(ms int64) string {
	if ms <= 0 || ms > 1<<46 {
		return ""
	}
	return stamp(time.UnixMilli(ms))
}

// Stamp converts an RFC 3339 time to the form of records; "" for other text.
func Stamp(text string) string {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return ""
	}
	return stamp(at)
}

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// Tagged reports whether a tag encloses a whole text, and returns the tag: clients enclose text that they add in the
// user's name.
func Tagged(text string) (tag string, tagged bool) {
	text = strings.TrimSpace(text)
	rest, found := strings.CutPrefix(text, "<")
	if !found {
		return "", false
	}
	end := strings.IndexAny(rest, "> \n")
	if end <= 0 || end > 60 {
		return "", false
	}
	tag = rest[:end]
	for i := range len(tag) {
		if c := tag[i]; (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return "", false
		}
	}
	return tag, strings.HasSuffix(text, "</"+tag+">")
}

// Inside returns the text in a tag, without surrounding white space; "" if the tag is missing.
func Inside(text, tag string) string {
	_, rest, found := strings.Cut(text, "<"+tag+">")
	if !found {
		return ""
	}
	inside, _, found := strings.Cut(rest, "</"+tag+">")
	if !found {
		return ""
	}
	return strings.TrimSpace(inside)
}

// Known returns the name of a kind if it is short and printable, otherwise "unknown". The names become names of
// counters.
func Known(kind string) string {
	if kind == "" || len(kind) > 40 {
		return "unknown"
	}
	for i := range len(kind) {
		if c := kind[i]; (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' &&
			c != '.' {
			return "unknown"
		}
	}
	return kind
}

// ModelOf returns provider/model. If a provider offers models of other makers, the name already contains the maker and
// is kept.
func ModelOf(provider, name string) string {
	model := assemble.Model(name)
	if provider = payload.Name(provider); provider == "" || model == "" || strings.Contains(model, "/") {
		return model
	}
	return provider + "/" + model
}
