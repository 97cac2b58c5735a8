package geminiform

import (
	"cmp"
	"strings"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Parts is a decoded list of parts.
type Parts struct {
	Texts     []string
	Thoughts  []string
	Calls     []assemble.Call
	Responses []Response
}

// Response is the response to a call, as the model received it.
type Response struct {
	ID     string
	Output string
	Failed bool // the response is an error
}

// ReadParts decodes a list of parts, or a text. Relative paths in calls are joined with cwd.
func ReadParts(raw []byte, cwd string) Parts {
	var p Parts
	d := rawjson.NewDecoder(raw)
	if d.Kind() == rawjson.String {
		p.Texts = append(p.Texts, d.Text())
		return p
	}
	for d.OpenArray(); d.Element(); {
		if d.Kind() == rawjson.String {
			p.Texts = append(p.Texts, d.Text())
			continue
		}
		p.part(d, cwd)
	}
	return p
}

func (p *Parts) part(d *rawjson.Decoder, cwd string) {
	text, thought, told := "", false, false
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "text":
			text, told = d.Text(), true
		case "thought":
			thought = d.Bool()
		case "inlineData", "fileData":
			text, told = "[file "+sessionfile.Known(strings.ReplaceAll(rawjson.MemberText(d.Raw(), "mimeType"), "/", "-"))+"]",
				true
		case "functionCall":
			raw := d.Raw()
			call := assemble.Call{
				ID: rawjson.MemberText(raw, "id"), Name: payload.Name(rawjson.MemberText(raw, "name")),
				Input: rawjson.Cleaned(rawjson.Member(raw, "args")),
			}
			Describe(&call, cwd)
			p.Calls = append(p.Calls, call)
		case "functionResponse":
			p.Responses = append(p.Responses, readResponse(d.Raw()))
		}
	}
	switch {
	case !told || text == "":
	case thought:
		p.Thoughts = append(p.Thoughts, text)
	default:
		p.Texts = append(p.Texts, text)
	}
}

func readResponse(raw []byte) Response {
	r := Response{ID: rawjson.MemberText(raw, "id")}
	d := rawjson.NewDecoder(rawjson.Member(raw, "response"))
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "output", "content":
			r.Output = value(d)
		case "error":
			r.Output, r.Failed = value(d), true
		}
	}
	return r
}

// value returns a text, or any other JSON unchanged.
func value(d *rawjson.Decoder) string {
	if d.Kind() == rawjson.String {
		return d.Text()
	}
	return string(d.Raw())
}

// Responses returns the responses in the result of a call, which is a list of parts.
func Responses(raw []byte) []Response { return ReadParts(raw, "").Responses }

// Describe sets the paths and the command of a call.
func Describe(call *assemble.Call, cwd string) {
	path := sessionfile.Absolute(cmp.Or(rawjson.MemberText(call.Input, "file_path"),
		rawjson.MemberText(call.Input, "absolute_path")), cwd)
	switch call.Name {
	case "read_file":
		if path != "" {
			call.Reads = []string{path}
		}
	case "write_file", "replace", "edit":
		if path != "" {
			call.Writes = []string{path}
		}
	case "run_shell_command":
		call.Command = rawjson.MemberText(call.Input, "command")
	}
}
