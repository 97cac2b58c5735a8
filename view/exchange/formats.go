package exchange

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

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

// Format is a format for conversations, or for the lines that they wrote. A nil function means that the format does
// not allow the action.
type Format struct {
	Name  string
	Read  func(r io.Reader, yield func(line int, record *records.Record) error) error
	Write func(w io.Writer, record *records.Record) error // writes nothing if it cannot write everything
	is    func(b beginning) bool                          // reports whether a file with this beginning has the format
	Lines bool                                            // the format is for lines of commits
	Tree  bool                                            // the format joins all conversations in a tree of prompts

	Tables bool // the format is a directory of tables of a whole repository
}

// Taken reports whether import reads the format.
func (e Format) Taken() bool { return e.Read != nil || e.Lines }

// Given reports whether convert or export writes the format.
func (e Format) Given() bool { return e.Write != nil || e.Lines || e.Tree || e.Tables }

// Converted reports whether convert can write session files in the format.
func (e Format) Converted() bool { return e.Write != nil || e.Tree }

// Formats of tables.
const (
	Parquet = "parquet"
	JSONL   = "jsonl"
)

func Formats() []Format {
	return []Format{
		{Name: opentraces.Name, Read: opentraces.Read, Write: opentraces.Write,
			is: func(b beginning) bool { return b.has("schema_version", "trace_id", "session_id") }},
		{Name: agenttrace.Name, Read: readAgentTrace, Write: writeAgentTrace, Lines: true,
			is: func(b beginning) bool {
				return strings.HasPrefix(b.text("schema"), "agent-trace/") || b.has("version", "id", "timestamp", "files")
			}},
		{Name: ccpa.Name, Read: ccpa.Read, Write: ccpa.Write,
			is: func(b beginning) bool { return b.text("kind") == string(ccpa.SessionStart) }},
		{Name: gitai.Name, Lines: true, is: func(b beginning) bool { return b.has("commit", "note") }},
		{Name: treetrace.Name, Read: treetrace.Read, Tree: true,
			is: func(b beginning) bool {
				return b.has("schemaVersion", "generator") || b.has("schemaVersion", "nodes", "edges")
			}},
		{Name: tracestate.Name, Write: writeStates},
		{Name: tracestate.PairsName, Write: writePairs},
		{Name: atif.Name, Read: atif.Read, Write: atif.Write,
			is: func(b beginning) bool { return strings.HasPrefix(b.row().text("schema_version"), "ATIF-v") }},
		{Name: sweagent.MiniName, Read: sweagent.ReadMini,
			is: func(b beginning) bool {
				return strings.HasPrefix(b.text("trajectory_format"), sweagent.MiniName) ||
					b.kind == rawjson.Array && b.message() && bytes.Contains(b.raw, []byte("mswea_bash_command"))
			}},
		{Name: sweagent.Name, Read: sweagent.Read,
			is: func(b beginning) bool {
				return b.has("trajectory", "history") || b.in("trajectory").first().has("action") ||
					b.in("history").message()
			}},
		{Name: openhands.Name, Read: openhands.Read, is: beginning.events},
		{Name: messages.Name, Read: messages.Read,
			is: func(b beginning) bool {
				return b.message() || !b.row().kept() && (b.row().in("messages").message() || b.textOf("messages") ||
					b.row().in("conversation").message() || b.row().has("messages", "messageCount", "workspaceId"))
			}},
		{Name: sharegpt.Name, Read: sharegpt.Read,
			is: func(b beginning) bool { return b.row().in("conversations").first().has("from", "value") }},
		{Name: chatgpt.Name, Read: chatgpt.Read,
			is: func(b beginning) bool {
				return b.row().has("mapping") && (b.row().has("title") || b.row().has("current_node"))
			}},
		{Name: windsurf.Name, Read: windsurf.Read,
			is: func(b beginning) bool {
				kind := b.text("type")
				return slices.Contains(windsurf.Kinds, kind) && b.has("status", kind)
			}},
		{Name: otel.Name, Read: otel.Read, Write: otel.Write, is: beginning.spans},
		{Name: Parquet, Tables: true},
		{Name: JSONL, Tables: true},
	}
}

// Names lists the names of the formats that which accepts.
func Names(which func(Format) bool) string {
	var names []string
	for _, e := range Formats() {
		if which(e) {
			names = append(names, e.Name)
		}
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// Find finds the format that an option names, among the formats that which accepts.
func Find(option, name string, which func(Format) bool) (Format, error) {
	var names []string
	for _, e := range Formats() {
		if e.Name == name {
			return e, nil
		}
		if which(e) {
			names = append(names, e.Name)
		}
	}
	if name == "" {
		return Format{}, exit.Fail(exit.Misuse, fmt.Errorf("option '--%s' is missing", option),
			"known are "+strings.Join(names, ", "))
	}
	return Format{}, exit.NoSuch("format", name, names)
}

// FindWritten finds an output format, for a command that writes some of them.
func FindWritten(name string, which func(Format) bool) (Format, error) {
	format, err := Find("format", name, which)
	if err == nil && !format.Given() {
		err = exit.Fail(exit.Misuse, fmt.Errorf("%s can be read, but not written", name),
			"formats that are written: "+Names(which))
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

// FileFault puts a file's name before an error, as compilers do.
func FileFault(name string, err error) error {
	return fmt.Errorf("%s: %w", name, err)
}

// Recognise returns the format of a file, by its beginning.
func Recognise(head []byte) (Format, bool) {
	b := begin(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n"))
	for _, e := range Formats() {
		if e.is != nil && e.is(b) {
			return e, true
		}
	}
	return Format{}, false
}

// Note is one commit's line in an exported file of notes.
type Note struct {
	Commit string `json:"commit"`
	Note   string `json:"note"`
}
