package transcripts

import (
	"path"
	"regexp"
	"strings"

	"github.com/git-trace/git-trace/records/assemble"

	"github.com/git-trace/git-trace/correlate/backfill"
	"github.com/git-trace/git-trace/records"
)

// echoed matches a text in quotes and the file that it is written to. Within double quotes nothing may be expanded.
const echoed = `\b(echo|printf)[ \t]+(-n[ \t]+)?('[^']*'|"[^"$` + "`" + `\\!]*")[ \t]*` +
	`(>>?)[ \t]*('[^'\n]+'|"[^"\n]+"|[^\s|;&<>'"()]+)[ \t]*(?:$|[\n;&|)])`

// shellReader reads the commands of one conversation.
type shellReader struct{ echoed, quoted, unseen *regexp.Regexp }

func newShellReader() *shellReader {
	return &shellReader{
		echoed: regexp.MustCompile(echoed), quoted: regexp.MustCompile(`'[^']*'|"[^"]*"|[0-9&]?>[ \t]*/dev/null`),
		unseen: regexp.MustCompile(unseenWrite),
	}
}

// texts returns the texts that the calls of a step wrote by here-documents, echo, printf and substitutions, if they
// succeeded.
func (r *shellReader) texts(step *records.Step) []backfill.Edit {
	out := programPatches(step)
	for _, call := range step.ToolCalls {
		command := commandOf(call.Input)
		if command == "" || failedCall(step, call.ToolCallID) {
			continue
		}
		outside := outsideHere(command)
		edits := shellRewrites(outside)
		if strings.ContainsAny(command, "<>") {
			edits = append(append(edits, hereTexts(command)...), r.echoTexts(outside)...)
		}
		for _, e := range edits {
			e.Step, e.Call, e.Tool = step.StepIndex, call.ToolCallID, call.ToolName
			out = append(out, e)
		}
	}
	return out
}

// echoTexts finds the texts that echo and printf write to files, if the command has the text itself.
func (r *shellReader) echoTexts(command string) []backfill.Edit {
	var out []backfill.Edit
	for _, m := range r.echoed.FindAllStringSubmatch(command, -1) {
		text, name := m[3][1:len(m[3])-1], unquoteWord(m[5])
		if m[1] == "printf" {
			if strings.Contains(text, "%") {
				continue
			}
			text = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t").Replace(text)
		}
		if text == "" || name == "/dev/null" || strings.Contains(name, "$") || strings.Contains(command, "cd ") &&
			!path.IsAbs(name) {
			continue
		}
		e := backfill.Edit{Path: name, Whole: assemble.SplitLines(text)}
		if m[4] == ">>" {
			e = backfill.Edit{Path: name, Hunks: []backfill.Hunk{{Lines: e.Whole}}}
		}
		out = append(out, e)
	}
	return out
}

// unseenWrite matches commands that write a text to files that is not in the command.
const unseenWrite = `\b(?:sed|perl)[ \t](?:[^\n;&|]*[ \t])?-\w*i|\btee\b|\bpatch\b|\bgit[ \t]+apply\b|` +
	`\b(?:python3?|node|ruby|perl|awk)\b|\b(?:gofmt|goimports)[ \t]+-w|\b(?:mv|cp)[ \t]|(?:^|[^0-9&<>=-])>>?[ \t]*[^&>|\s]`

// unseenWrites lists the calls of a step that may have written to files, although the transcript does not show the
// text: their lines stay unknown. The parameter `told` lists the calls whose writes were found.
func (r *shellReader) unseenWrites(step *records.Step, told map[string]bool) (calls []string) {
	for _, call := range step.ToolCalls {
		command := commandOf(call.Input)
		if command == "" || told[call.ToolCallID] || failedCall(step, call.ToolCallID) {
			continue
		}
		if r.unseen.MatchString(r.quoted.ReplaceAllString(outsideHere(command), " x ")) {
			calls = append(calls, call.ToolCallID)
		}
	}
	return calls
}
