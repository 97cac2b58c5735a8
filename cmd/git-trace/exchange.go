package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/agenttrace"
	"github.com/git-trace/git-trace/records/atif"
	"github.com/git-trace/git-trace/records/ccpa"
	"github.com/git-trace/git-trace/records/chatgpt"
	"github.com/git-trace/git-trace/records/gitai"
	"github.com/git-trace/git-trace/records/messages"
	"github.com/git-trace/git-trace/records/openhands"
	"github.com/git-trace/git-trace/records/opentraces"
	"github.com/git-trace/git-trace/records/otel"
	"github.com/git-trace/git-trace/records/rawjson"
	"github.com/git-trace/git-trace/records/sharegpt"
	"github.com/git-trace/git-trace/records/sweagent"
	"github.com/git-trace/git-trace/records/tracestate"
	"github.com/git-trace/git-trace/records/treetrace"
	"github.com/git-trace/git-trace/records/windsurf"
)

// exchange is a format for conversations, or for the lines that they wrote. A nil function means that the format does
// not allow the action.
type exchange struct {
	name  string
	read  func(r io.Reader, yield func(line int, record *records.Record) error) error
	write func(w io.Writer, record *records.Record) error // writes nothing if it cannot write everything
	is    func(b beginning) bool                          // reports whether a file with this beginning has the format
	lines bool                                            // the format is for lines of commits
	tree  bool                                            // the format joins all conversations in a tree of prompts

	tables bool // the format is a directory of tables of a whole repository
}

// taken reports whether import reads the format.
func (e exchange) taken() bool { return e.read != nil || e.lines }

// given reports whether convert or export writes the format.
func (e exchange) given() bool { return e.write != nil || e.lines || e.tree || e.tables }

// converted reports whether convert can write session files in the format.
func (e exchange) converted() bool { return e.write != nil || e.tree }

func exchanges() []exchange {
	return []exchange{
		{name: opentraces.Name, read: opentraces.Read, write: opentraces.Write,
			is: func(b beginning) bool { return b.has("schema_version", "trace_id", "session_id") }},
		{name: agenttrace.Name, read: readAgentTrace, write: writeAgentTrace, lines: true,
			is: func(b beginning) bool {
				return strings.HasPrefix(b.text("schema"), "agent-trace/") || b.has("version", "id", "timestamp", "files")
			}},
		{name: ccpa.Name, read: ccpa.Read, write: ccpa.Write,
			is: func(b beginning) bool { return b.text("kind") == string(ccpa.SessionStart) }},
		{name: gitai.Name, lines: true, is: func(b beginning) bool { return b.has("commit", "note") }},
		{name: treetrace.Name, read: treetrace.Read, tree: true,
			is: func(b beginning) bool {
				return b.has("schemaVersion", "generator") || b.has("schemaVersion", "nodes", "edges")
			}},
		{name: tracestate.Name, write: writeStates},
		{name: tracestate.PairsName, write: writePairs},
		{name: atif.Name, read: atif.Read, write: atif.Write,
			is: func(b beginning) bool { return strings.HasPrefix(b.row().text("schema_version"), "ATIF-v") }},
		{name: sweagent.MiniName, read: sweagent.ReadMini,
			is: func(b beginning) bool {
				return strings.HasPrefix(b.text("trajectory_format"), sweagent.MiniName) ||
					b.kind == rawjson.Array && b.message() && bytes.Contains(b.raw, []byte("mswea_bash_command"))
			}},
		{name: sweagent.Name, read: sweagent.Read,
			is: func(b beginning) bool {
				return b.has("trajectory", "history") || b.in("trajectory").first().has("action") ||
					b.in("history").message()
			}},
		{name: openhands.Name, read: openhands.Read, is: beginning.events},
		{name: messages.Name, read: messages.Read,
			is: func(b beginning) bool {
				return b.message() || !b.row().kept() && (b.row().in("messages").message() || b.textOf("messages") ||
					b.row().in("conversation").message() || b.row().has("messages", "messageCount", "workspaceId"))
			}},
		{name: sharegpt.Name, read: sharegpt.Read,
			is: func(b beginning) bool { return b.row().in("conversations").first().has("from", "value") }},
		{name: chatgpt.Name, read: chatgpt.Read,
			is: func(b beginning) bool {
				return b.row().has("mapping") && (b.row().has("title") || b.row().has("current_node"))
			}},
		{name: windsurf.Name, read: windsurf.Read,
			is: func(b beginning) bool {
				kind := b.text("type")
				return slices.Contains(windsurf.Kinds, kind) && b.has("status", kind)
			}},
		{name: otel.Name, read: otel.Read, write: otel.Write, is: beginning.spans},
		{name: parquetName, tables: true},
		{name: jsonlName, tables: true},
	}
}

// formatNames lists the names of the formats that which accepts.
func formatNames(which func(exchange) bool) string {
	var names []string
	for _, e := range exchanges() {
		if which(e) {
			names = append(names, e.name)
		}
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// exchangeOf finds the format that an option names, among the formats that which accepts.
func exchangeOf(option, name string, which func(exchange) bool) (exchange, error) {
	var names []string
	for _, e := range exchanges() {
		if e.name == name {
			return e, nil
		}
		if which(e) {
			names = append(names, e.name)
		}
	}
	if name == "" {
		return exchange{}, exit.Fail(exit.Misuse, fmt.Errorf("option '--%s' is missing", option),
			"known are "+strings.Join(names, ", "))
	}
	return exchange{}, exit.NoSuch("format", name, names)
}

// exchangeTo finds an output format, for a command that writes some of them.
func exchangeTo(name string, which func(exchange) bool) (exchange, error) {
	format, err := exchangeOf("format", name, which)
	if err == nil && !format.given() {
		err = exit.Fail(exit.Misuse, fmt.Errorf("%s can be read, but not written", name),
			"formats that are written: "+formatNames(which))
	}
	return format, err
}

func readAgentTrace(r io.Reader, yield func(line int, record *records.Record) error) error {
	return agenttrace.Read(r, func(line int, record *agenttrace.Record) error {
		return yield(line,
			record.Conversation())
	})
}

// errNoLines reports a conversation without lines, for a format of lines.
var errNoLines = agenttrace.ErrNoLines

func writeAgentTrace(w io.Writer, record *records.Record) error {
	r, err := agenttrace.FromRecord(record)
	if err != nil {
		return err
	}
	return agenttrace.Write(w, r)
}

// fileFault puts a file's name before an error, as compilers do.
func fileFault(name string, err error) error {
	return fmt.Errorf("%s: %w", name, err)
}

// allFaults prints errors as report does. It returns the exit status of commands that continue after an error.
func (a *app) allFaults(faults []error) error {
	for _, err := range faults[:max(len(faults)-1, 0)] {
		fmt.Fprintf(a.std.err, "git-trace: error: %s\n", cells.Message(err.Error()))
	}
	if len(faults) == 0 {
		return nil
	}
	var f *exit.Failure
	if last := faults[len(faults)-1]; !errors.As(last, &f) {
		return exit.Fail(exit.Unchecked, last, "")
	}
	return faults[len(faults)-1]
}

// recogniseExchange returns the format of a file, by its beginning.
func recogniseExchange(head []byte) (exchange, bool) {
	b := begin(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n"))
	for _, e := range exchanges() {
		if e.is != nil && e.is(b) {
			return e, true
		}
	}
	return exchange{}, false
}
