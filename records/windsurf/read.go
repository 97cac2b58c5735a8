// Package windsurf reads the trajectory that Windsurf passes to its hooks. Each line of the file is a prompt, an answer
// or an action of the agent. An edit has the whole text of its file, before and after. There are no ids, times or
// tokens, so the conversation's id is a hash of the file's content.
package windsurf

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/foreign"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Name is the name of the format on the command line, and the name of the agent.
const Name = "windsurf"

// Kinds lists the possible types of a file's first line.
var Kinds = []string{"user_input", "planner_response", "code_action"}

// line is a line of a file: a text, or a call with its result.
type line struct {
	place  foreign.Place
	kind   string
	said   string
	call   assemble.Call
	result *assemble.Result
}

// Read yields the conversation of a file. It stops at the first fault and returns its line and byte.
func Read(r io.Reader, yield func(row int, record *records.Record) error) error {
	var lines []line
	var file, cwd string
	sum := sha256.New()
	err := foreign.Documents(r, nil, func(d *foreign.Document) error {
		if len(lines) > 2*records.MaxSteps {
			return d.Fault(records.ErrSteps)
		}
		one, err := decode(d)
		if err != nil {
			return d.Fault(err)
		}
		_, _ = sum.Write([]byte(d.ID() + "\n")) // a hash never returns an error
		if file = d.File; cwd == "" {
			cwd = rawjson.MemberText(rawjson.Member(d.Raw, "run_command"), "cwd")
		}
		lines = append(lines, one)
		return nil
	})
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return &foreign.Fault{Place: foreign.Place{Row: 1}, Err: foreign.ErrEmpty}
	}
	talk := foreign.Begin(&foreign.Document{Place: lines[0].place, File: file}, foreign.Origin{Format: Name, Agent: Name,
		Session: foreign.SumID(sum.Sum(nil)), Context: records.Devtime, Cwd: cwd})
	for from := 0; from < len(lines); {
		to := from + 1
		for to < len(lines) && lines[to].call.Name != "" && lines[from].kind != "user_input" {
			to++
		}
		if err := take(talk, lines[from:to]); err != nil {
			return &foreign.Fault{Place: lines[from].place, Err: err}
		}
		from = to
	}
	record, err := talk.Record()
	if err != nil {
		return &foreign.Fault{Place: lines[0].place, Err: err}
	}
	return yield(lines[0].place.Row, record)
}

// decode decodes a line.
func decode(d *foreign.Document) (line, error) {
	kind := rawjson.MemberText(d.Raw, "type")
	value := rawjson.Member(d.Raw, kind)
	if kind == "" || rawjson.NewDecoder(value).Kind() != rawjson.Object {
		return line{}, fmt.Errorf("%w: a line needs a type, and a member of that name", foreign.ErrForm)
	}
	l := line{place: d.Place, kind: kind}
	switch kind {
	case "user_input":
		l.said = rawjson.MemberText(value, "user_response")
	case "planner_response":
		l.said = rawjson.MemberText(value, "response")
	default:
		l.call = assemble.Call{ID: fmt.Sprintf("line_%d", d.Row), Name: kind, Input: input(value)}
		l.result = resultOf(kind, rawjson.MemberText(d.Raw, "status"), value)
	}
	return l, nil
}

// outcome lists the members with the result of a call.
var outcome = []string{"acknowledgement_type", "content", "exit_code", "original_content", "output", "total_results",
	"user_rejected"}

// input returns the input of a call. File URLs in it become paths.
func input(value []byte) []byte {
	var in rawjson.Members
	d := rawjson.NewDecoder(value)
	for d.Open(); d.Member(); {
		name := string(d.Key())
		switch raw := d.Raw(); {
		case slices.Contains(outcome, name):
		case strings.HasPrefix(rawjson.Unquote(raw), "file://"):
			in.Text(name, pathOf(rawjson.Unquote(raw)))
		default:
			in.Raw(name, raw)
		}
	}
	clean, err := rawjson.AppendClean(nil, in.End())
	if err != nil {
		return []byte("{}")
	}
	return clean
}

func pathOf(address string) string {
	if at, err := url.Parse(address); err == nil && at.Scheme == "file" {
		return at.Path
	}
	return address
}

// resultOf returns the result of a call; nil while the call runs.
func resultOf(kind, status string, value []byte) *assemble.Result {
	content := rawjson.MemberText(value, "output") + rawjson.MemberText(value, "content")
	r := &assemble.Result{Content: &content, Error: foreign.ExitCode(rawjson.MemberInt(value, "exit_code"))}
	switch {
	case string(rawjson.Member(value, "user_rejected")) == "true",
		strings.HasSuffix(rawjson.MemberText(value, "acknowledgement_type"), "_REJECT"):
		r.Error = records.ErrorRejected
	case status == "error":
		r.Error = records.ErrorTool
	case status != "done":
		return nil
	case kind == "code_action":
		path := pathOf(rawjson.MemberText(value, "path"))
		before, after := rawjson.Member(value, "original_content"), rawjson.MemberText(value, "new_content")
		if before == nil {
			r.Edits = []assemble.Edit{assemble.NewFile(path, after)}
		} else {
			r.Edits = []assemble.Edit{assemble.Changed(path, rawjson.Unquote(before), after)}
		}
	}
	return r
}

// take adds a prompt, or an answer with its calls.
func take(talk *foreign.Talk, lines []line) error {
	for range lines {
		talk.Take()
	}
	if lines[0].kind == "user_input" {
		talk.Abandon()
		return talk.User(lines[0].said, "", "")
	}
	answer := assemble.Answer{Text: lines[0].said}
	var made []*assemble.Result
	for i := range lines {
		if lines[i].call.Name != "" {
			answer.Calls = append(answer.Calls, lines[i].call)
			made = append(made, lines[i].result)
		}
	}
	if err := talk.Agent(answer); err != nil {
		return err
	}
	for i, r := range made {
		if r == nil {
			continue
		}
		if err := talk.Answered(answer.Calls[i].ID, *r); err != nil {
			return err
		}
	}
	return nil
}
