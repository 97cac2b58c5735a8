package events

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// awkward are events whose strings look like the members that are searched for.
func awkward(t testing.TB) []Event {
	t.Helper()
	log := OpenLog(newRepo(t))
	var drafts []Draft
	for i, text := range []string{
		`"id":"b3:00"`, `\\`, `\"`, `a\`, `{"seq":1}`, "]}", "},{", "\u2028é\U0001f600", "tab\tline\n", "",
	} {
		d := promptDraft(i)
		d.Session, d.ToolCall = "s"+text, "t"+text
		quoted, err := appendString(nil, text)
		check(t, err)
		d.Data = fmt.Appendf(nil, `{"chars":0,"id":%s,"index":%d,"kind":%s,"list":[%s,{"n":%d,"prev":%s}]}`, quoted, i, quoted, quoted, i, quoted)
		drafts = append(drafts, d)
	}
	return mustAppend(t, log, drafts...)
}

func TestQuickReadingFindsWhatDecodingFinds(t *testing.T) {
	t.Parallel()
	var h eventHasher
	for _, e := range awkward(t) {
		q, ok := readQuick(e.Raw())
		if !ok || string(q.id) != string(e.ID) || string(q.prev) != string(e.Prev) || q.seq != e.Seq || string(q.writer) != e.Writer {
			t.Fatalf("%s: %+v (%t)", e.Raw(), q, ok)
		}
		if !q.sound(e.Raw(), &h) {
			t.Errorf("%s does not hash to its id", e.Raw())
		}
		for i := range e.Raw() { // no byte can be another
			changed := bytes.Clone(e.Raw())
			changed[i] ^= 1
			if q, ok := readQuick(changed); ok && q.sound(changed, &h) {
				t.Fatalf("a change of byte %d is not seen: %s", i, changed)
			}
		}
	}
}

func FuzzReadQuick(f *testing.F) {
	for _, e := range awkward(f) {
		f.Add(e.Raw())
	}
	f.Add([]byte(`{"id":"x"`))
	f.Fuzz(func(t *testing.T, line []byte) {
		q, ok := readQuick(line)
		var h eventHasher
		if ok {
			_ = q.sound(line, &h)
		}
		e, err := DecodeLine(line)
		if err != nil {
			return
		}
		if !ok || string(q.id) != string(e.ID) || q.seq != e.Seq || string(q.prev) != string(e.Prev) || string(q.writer) != e.Writer {
			t.Errorf("%s: %+v (%t)", line, q, ok)
		}
		if q.sound(line, &h) != (e.CheckID() == nil) {
			t.Errorf("%s: hashed otherwise", line)
		}
	})
}

func BenchmarkRelink(b *testing.B) {
	const events = 1000
	var text []byte
	log := OpenLog(newRepo(b))
	var drafts []Draft
	for i := range events {
		d := promptDraft(i)
		d.Data = json.RawMessage(fmt.Sprintf(`{"chars":%d,"index":%d,"kind":"%s"}`, 10*i, i+1, strings.Repeat("0123456789abcdef", 20)))
		drafts = append(drafts, d)
	}
	for _, e := range mustAppend(b, log, drafts...) {
		text = append(append(text, e.Raw()...), '\n')
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if !relink(text, nil).ok {
			b.Fatal("not linked")
		}
	}
}
