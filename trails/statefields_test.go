package trails

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/codec"
	"github.com/git-trace/git-trace/trails/spool"
)

// filler gives every exported field of a value one that is not zero and is nowhere else.
type filler struct{ n int64 }

func (f *filler) fill(t *testing.T, v reflect.Value) {
	t.Helper()
	f.n++
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(f.n, f.n).UTC()))
		return
	case refs.OID:
		v.Set(reflect.ValueOf(refs.SHA256.Hash(refs.BlobObject, []byte{byte(f.n)})))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("text " + time.Duration(f.n).String())
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(-f.n * 1e9)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(t, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.fill(t, v.Index(0))
		f.fill(t, v.Index(1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 2 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(t, key)
			f.fill(t, value)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				f.fill(t, v.Field(i))
			}
		}
	default:
		t.Fatalf("no value for %s", v.Type())
	}
}

func TestEveryFieldOfTheStateIsKept(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]*state{"full": {}, "empty": {}} {
		if name == "full" {
			new(filler).fill(t, reflect.ValueOf(want).Elem())
		}
		raw := encodeState(want)
		got, err := decodeState(raw)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v (%v)", name, got, want, err)
		}
		for n := range raw {
			if _, err := decodeState(raw[:n]); err == nil {
				t.Fatalf("%s: %d of %d bytes were taken for a state", name, n, len(raw))
			}
		}
	}
}

func TestEveryFieldOfABoundaryIsNoted(t *testing.T) {
	t.Parallel()
	var want events.Boundary
	new(filler).fill(t, reflect.ValueOf(&want).Elem())
	want.Answered = time.Time{}
	raw := spool.EncodeNote(want)
	want.Tool.Edits, want.Tool.Names = nil, nil
	got, err := spool.DecodeNote(raw)
	if err != nil || !reflect.DeepEqual(got.Boundary, want) {
		t.Errorf("%+v, want %+v (%v)", got, want, err)
	}
	for n := range raw {
		if _, err := spool.DecodeNote(raw[:n]); err == nil {
			t.Fatalf("%d of %d bytes were taken for a note", n, len(raw))
		}
	}
}

func TestAStateOfAnEarlierFormIsNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	repo := &refs.Repo{CommonDir: dir, GitDir: dir, WorkTree: dir}
	if err := refs.WriteFileAtomic(StatePath(repo), []byte(`{"v":1,"interval":7}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := loadState(repo)
	if err != nil || s.Interval != 0 || s.Sessions == nil {
		t.Errorf("%+v, %v", s, err)
	}
	if _, _, err := Position(repo); err == nil {
		t.Error("it has a position")
	}
	if err := os.Remove(StatePath(repo)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Position(repo); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
}

func FuzzStateFields(f *testing.F) {
	var s state
	w := &codec.Writer{}
	codec.Value(w, &s)
	f.Add(w.Out)
	f.Fuzz(func(_ *testing.T, raw []byte) {
		var s state
		codec.Value(&codec.Reader{In: string(raw)}, &s)
		_, _ = spool.DecodeNote(raw)
	})
}

// What the timelines of users hold is read by the next version: a change of these bytes needs another stateMagic.
func TestTheStoredBytesStay(t *testing.T) {
	t.Parallel()
	s := &state{Interval: -7, Anchored: []refs.OID{{}, refs.SHA1.Hash(refs.BlobObject, nil)}, Windows: []*Window{{
		Call: Call{Trace: "4f2a", Prompt: 3}, Says: sayings{Paths: []string{"a", "bé"}, Edits: []declared{{}}},
	}}}
	full := &state{}
	new(filler).fill(t, reflect.ValueOf(full).Elem())
	note := spool.EncodeNote(events.Boundary{Kind: "turn_end", Time: time.Unix(-1, 5).UTC(), Tool: &events.ToolUse{Paths: []string{"p"}}})
	for name, got := range map[string]string{
		"state": fmt.Sprintf("%x", encodeState(s)), "note": fmt.Sprintf("%x", note),
		"every field": fmt.Sprintf("%x", sha256.Sum256(encodeState(full))),
	} {
		if got != storedBytes[name] {
			t.Errorf("%s: %q,", name, got)
		}
	}
}

var storedBytes = map[string]string{
	"state":       "67746c696e65000e0d000000000000000000000000000000000001020434663261000000000000000006000000000000000000ffdb8ff9ce0300000000000000000201610362c3a9000100000000000000000000ffdb8ff9ce03000000000000000000020014e69de29bb2d1d6434b8b29ae775ad8c2e48c539100000000ffdb8ff9ce0300ffdb8ff9ce0300000000000000008afdc994",
	"note":        "087475726e5f656e640000000000010affdb8ff9ce0300ffdb8ff9ce030000000000020000000001017000000000000000000000000000",
	"every field": "b9d4379f2d0a51559fa020cf903858f49a73b05c148700d7ca5dfb0bac9a463b",
}
