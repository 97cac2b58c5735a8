package events

import (
	"bytes"
	"reflect"
	"testing"
)

// readAlike holds that a reader of lines gives what DecodeLine gives, whatever it read before.
func readAlike(t *testing.T, r *LineReader, line []byte) {
	t.Helper()
	want, wrong := DecodeLine(line)
	if wrong != nil {
		return
	}
	got, err := r.Read(line)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s reads as\n%#v, %v\nand not as\n%#v", line, got, err, want)
	}
}

// linesToRead are events with all members, with few, and with some that this version does not know.
func linesToRead(t testing.TB) [][]byte {
	t.Helper()
	id := "b3:" + string(bytes.Repeat([]byte("0f"), 32))
	line := func(more, data, rest string) []byte {
		return []byte(`{` + more + `"data":` + data + `,"id":"` + id + `",` + rest + `"v":1,"writer":"0123456789abcdef"}`)
	}
	const head = `"method":["hook.tool_after"],"prev":"","seq":1,`
	return [][]byte{
		line("", `{}`, head+`"time":"2026-01-02T03:04:05.000000006Z","type":"prompt_submitted",`),
		line(`"agent":"claude-code",`, `{"a":["}",{"b":"\""}],"type":"x"}`, `"limits":["a_limit"],"method":["a","b"],"prev":"`+id+
			`","seq":9007199254740991,"session":"s \"1\"","step":3,"subagent":"é","time":"2026-01-02T03:04:05.000000006Z",`+
			`"tool_call":"t","trace":"0123","type":"prompt_submitted",`),
		line(`"aaa":{"type":"log_started"},`, `{"n":-3}`, `"method":["m"],"new":[1,2],"prev":"","seq":7,"time":"2026-01-02T03:04:05.000000006Z","type":"y",`),
		line("", `{}`, head+`"time":"2026-01-02T03:04:05.000000006Z","type":"\\",`),
	}
}

// A reader by the rules shares words between events, and tells of each what it would tell of it alone.
func TestLinesReadByTheRulesOneAfterTheOther(t *testing.T) {
	t.Parallel()
	var r checkedReader
	lines := append(linesToRead(t), []byte("{}"))
	for _, line := range append(lines, lines...) {
		want, wantHash, wantErr := readChecked(line)
		got, hash, err := r.read(line)
		if !reflect.DeepEqual(got, want) || hash != wantHash || (err == nil) != (wantErr == nil) {
			t.Errorf("%s reads as\n%#v, %s, %v\nand not as\n%#v, %s, %v", line, got, hash, err, want, wantHash, wantErr)
		}
	}
}

func TestLinesReadOneAfterTheOtherReadAsAlone(t *testing.T) {
	t.Parallel()
	var r LineReader
	for range 2 {
		for _, line := range linesToRead(t) {
			if _, err := DecodeLine(line); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			readAlike(t, &r, line)
		}
	}
	for _, line := range []string{"", "{}", `{"data":{}}`, `{"id":"b3:"`, "x"} {
		if e, err := r.Read([]byte(line)); err == nil {
			t.Errorf("%q is an event: %+v", line, e)
		}
	}
}

func FuzzLineReader(f *testing.F) {
	lines := linesToRead(f)
	for _, line := range lines {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var r LineReader
		for _, before := range lines {
			readAlike(t, &r, before)
			readAlike(t, &r, line)
		}
	})
}
