package transcripts

import (
	"encoding/json"
	"path"
	"regexp"
	"strings"

	"github.com/git-trace/git-trace/correlate/backfill"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Shell commands that write a text from their own line: cat or tee with a here-document (bash(1), Here Documents).
const (
	hereWord   = `<<-?[ \t]*(?:'(\w+)'|"(\w+)"|(\w+))`
	hereTarget = `[ \t]*('[^'\n]+'|"[^"\n]+"|[^\s|;&<>'"]+)`
)

// commandOf returns the command line of a call of a shell: a text, or a list of arguments.
func commandOf(input []byte) string {
	d := rawjson.NewDecoder(input)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "command", "cmd", "script":
			if d.Kind() == rawjson.String {
				return d.Text()
			}
			var args []string
			if json.Unmarshal(d.Raw(), &args) == nil {
				return strings.Join(args, " ")
			}
		case "commands": // one after the other
			var lines []string
			if json.Unmarshal(d.Raw(), &lines) == nil {
				return strings.Join(lines, "\n")
			}
		}
	}
	return ""
}

func failedCall(step *records.Step, id string) bool {
	for _, o := range step.Observations {
		if o.SourceCallID == id {
			return o.Error != nil
		}
	}
	return true
}

// outsideHere returns a command without the texts of its here-documents.
func outsideHere(command string) string {
	word := regexp.MustCompile(hereWord)
	var out []string
	mark := ""
	for line := range strings.SplitSeq(command, "\n") {
		if mark != "" {
			if strings.TrimLeft(line, "\t") == mark {
				mark = ""
			}
			continue
		}
		if found := word.FindStringSubmatch(line); found != nil {
			mark = found[1] + found[2] + found[3]
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// hereTexts finds the here-documents of a command.
func hereTexts(command string) []backfill.Edit {
	target := regexp.MustCompile(`(>>?)` + hereTarget)
	tee := regexp.MustCompile(`\btee[ \t]+(-a[ \t]+)?` + hereTarget)
	word := regexp.MustCompile(hereWord)
	var out []backfill.Edit
	lines := strings.Split(command, "\n")
	dir := ""
	for i := 0; i < len(lines); i++ {
		if rest, found := strings.CutPrefix(strings.TrimSpace(lines[i]), "cd "); found {
			to, _, _ := strings.Cut(rest, "&&")
			dir = path.Join(dir, unquoteWord(strings.TrimSpace(to)))
			if path.IsAbs(unquoteWord(strings.TrimSpace(to))) {
				dir = unquoteWord(strings.TrimSpace(to))
			}
		}
		found := word.FindStringSubmatch(lines[i])
		if found == nil {
			continue
		}
		mark := found[1] + found[2] + found[3]
		end := i + 1
		for end < len(lines) && strings.TrimLeft(lines[end], "\t") != mark {
			end++
		}
		if end == len(lines) {
			return out // cut off
		}
		text := lines[i+1 : end]
		head := word.ReplaceAllString(lines[i], " ")
		name, appended := "", false
		if m := tee.FindStringSubmatch(head); m != nil {
			name, appended = unquoteWord(m[2]), m[1] != ""
		} else if m := target.FindStringSubmatch(head); m != nil && strings.Contains(head, "cat") {
			name, appended = unquoteWord(m[2]), m[1] == ">>"
		}
		if name != "" && name != "/dev/null" && len(text) > 0 && !strings.Contains(name, "$") {
			if !path.IsAbs(name) {
				name = path.Join(dir, name)
			}
			if appended {
				out = append(out, backfill.Edit{Path: name, Hunks: []backfill.Hunk{{Lines: text}}})
			} else {
				out = append(out, backfill.Edit{Path: name, Whole: text})
			}
		}
		i = end
	}
	return out
}

func unquoteWord(word string) string { return strings.Trim(word, `'"`) }
