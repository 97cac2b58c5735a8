package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/view/exchange"
)

// placed is how a fault in a file begins: with its line or element, and its byte.
var placed = regexp.MustCompile(`^(line|element) \d+, byte \d+: `)

// Of each format's own file: cut off anywhere, with a byte that no JSON has, and with something else behind it. It is
// read as a whole, or the fault names its place.
func TestAFaultInAFileOfAnyFormatNamesItsPlace(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../testdata/formats/*")
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]bool{}
	for _, path := range files {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		format, found := exchange.Recognise(whole)
		if !found || format.Read == nil {
			t.Fatalf("%s is of no format", path)
		}
		read[format.Name] = true
		wrong := map[string][]byte{
			"another value": append(bytes.Clone(whole), "[1]\n"...),
			"a word":        append(bytes.Clone(whole), "end"...),
			"depth":         append(bytes.Clone(whole), strings.Repeat(`{"a":`, 1000)...),
		}
		for at := 1; at < len(whole); at += 1 + len(whole)/100 {
			wrong[fmt.Sprintf("cut at %d", at)] = whole[:at]
			wrong[fmt.Sprintf("broken at %d", at)] = append(append(bytes.Clone(whole[:at]), 0xff, '"', '}'), whole[at:]...)
		}
		for name, raw := range wrong {
			err := format.Read(bytes.NewReader(raw), func(int, *records.Record) error { return nil })
			if err != nil && !placed.MatchString(err.Error()) {
				t.Errorf("%s, %s: %v", filepath.Base(path), name, err)
			}
			if err == nil && !strings.HasPrefix(name, "cut") && !strings.HasPrefix(name, "broken") {
				t.Errorf("%s, %s: it was read", filepath.Base(path), name)
			}
		}
	}
	for _, format := range exchange.Formats() {
		if format.Read != nil && !read[format.Name] {
			t.Errorf("no file of %s", format.Name)
		}
	}
}

// many is a file of a conversation of so many steps.
type many struct {
	before, step, between, after string
	steps                        int
}

// open gives the file. In a step, {n} stands for its number and {p} for that of the step before.
func (m many) open() io.Reader {
	r, pipe := io.Pipe()
	go func() {
		w := bufio.NewWriterSize(pipe, 1<<20)
		_, err := w.WriteString(m.before)
		for i := 1; i <= m.steps && err == nil; i++ {
			between := m.between
			if i == 1 {
				between = ""
			}
			number := strings.NewReplacer("{n}", strconv.Itoa(i), "{p}", strconv.Itoa(i-1))
			_, err = number.WriteString(w, between+m.step)
		}
		if err == nil {
			_, err = w.WriteString(m.after)
		}
		_ = pipe.CloseWithError(errors.Join(err, w.Flush()))
	}()
	return r
}

// A conversation of more steps than the limit is refused with its place, in whatever format. That of TreeTrace, where
// a prompt is a node, is refused for its nodes, and that of spans for its spans. GITTRACE_LONG=1 reads all of them.
func TestNoFormatGivesMoreStepsThanTheLimit(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	const over = records.MaxSteps + 1
	said := func(before, role, text, after string) many {
		return many{before: before, step: `{"` + role + `":"user","` + text + `":"a"}`, between: ",", after: after, steps: over}
	}
	conversations := map[string]many{
		"opentraces": said(`{"schema_version":"0.3.0","trace_id":"t","session_id":"s","agent":{"name":"a"},"Steps":[`, "role", "content", "]}"),
		"ccpa": {before: `{"kind":"session_start","v":1,"session_id":"s"}`, step: "\n" + `{"kind":"user_prompt","v":1,"text":"a"}`,
			steps: over},
		"treetrace": {before: `{"schemaVersion":"0.3","nodes":[`, step: `{"id":"{n}","session":"s","text":"a"}`, between: ",", after: "]}", steps: 200_001},
	}
	if testenv.Long() {
		message := said(`{"messages":[`, "role", "content", "]}")
		conversations["messages"] = message
		conversations["mini-swe-agent"] = many{`{"trajectory_format":"mini-swe-agent-1.1","info":{},"messages":[`, message.step, ",", "]}", over}
		conversations["atif"] = said(`{"schema_version":"ATIF-v1.7","session_id":"s","agent":{"name":"a","version":"1"},"steps":[`, "source", "message", "]}")
		conversations["sharegpt"] = many{`{"conversations":[`, `{"from":"human","value":"a"}`, ",", "]}", over}
		conversations["swe-agent"] = said(`{"info":{},"trajectory":[],"history":[`, "role", "content", "]}")
		conversations["openhands-v0"] = many{`{"instance_id":"i","history":[`, `{"source":"user","action":"message","args":{"content":"a"}}`, ",", "]}", over}
		conversations["chatgpt"] = many{`{"title":"T","current_node":"1000001","mapping":{`,
			`"{n}":{"parent":"{p}","message":{"author":{"role":"user"},"content":{"parts":["a"]}}}`, ",", "}}", over}
		conversations["windsurf"] = many{"", `{"status":"done","type":"user_input","user_input":{"user_response":"a"}}`, "\n", "", over}
		conversations["otlp"] = many{"", `{"trace_id":"t","span_id":"{n}","attributes":{"gen_ai.operation.name":"chat"}}`, "\n", "", over}
	}
	for name, conversation := range conversations {
		format, err := exchange.Find("from", name, exchange.Format.Taken)
		if err != nil {
			t.Fatal(err)
		}
		err = format.Read(conversation.open(), func(int, *records.Record) error { return errors.New("it was read") })
		if err == nil || !placed.MatchString(err.Error()) || !strings.Contains(err.Error(), "more ") {
			t.Errorf("%s: %v", name, err)
		}
		t.Logf("%s: %v", name, err)
	}
}
