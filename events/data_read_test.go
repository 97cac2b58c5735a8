package events

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

// Every member of patches, anchors and windows is read without encoding/json: otherwise reading would be several times
// as slow, and nothing else would tell.
func TestEveryMemberIsKnownToTheReader(t *testing.T) {
	t.Parallel()
	patch, commit, window := PatchData{}, CommitData{}, WindowData{}
	fill(reflect.ValueOf(&patch).Elem())
	fill(reflect.ValueOf(&commit).Elem())
	for v, i := reflect.ValueOf(&window).Elem(), 0; i < v.NumField(); i++ {
		if v.Type().Field(i).Name != "Ended" { // left to encoding/json
			fill(v.Field(i))
		}
	}
	for _, data := range []any{patch, commit, window, PatchData{}, CommitData{}, WindowData{}} {
		raw, err := Encode(data)
		if err != nil {
			t.Fatal(err)
		}
		got := reflect.New(reflect.TypeOf(data)).Elem()
		s := scanner{buf: raw}
		if err := s.into(got); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if !reflect.DeepEqual(got.Interface(), data) {
			t.Errorf("%s reads as %+v", raw, got)
		}
	}
}

// fill gives every field a value.
func fill(v reflect.Value) {
	if v.Type() == reflect.TypeFor[refs.OID]() {
		v.Set(reflect.ValueOf(refs.SHA1.Hash(refs.BlobObject, nil)))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0))
		fill(v.Index(1))
	case reflect.String:
		v.SetString("é\"\n")
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	default:
		panic(v.Kind())
	}
}

func TestWhatIsNotCanonicalIsReadAllTheSame(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`{"added":1,"later":{"x":[1.5,null]},"owners":[]}`, `{"Added":1}`, `{ "added" : 1 }`, `{"added":1e0}`, `{"owners":null}`,
		`{"added":1,"added":2}`, `{"commit":""}`, `{"files":[{"path":"a","blob":"zz"}]}`, `{"added":"1"}`, `[]`, ``, `{"added":1}x`,
		`{"added":9007199254740991}`, `{"files":[{},{"runs":[{"count":1}]}]}`, `{"owners":[{"limits":[]}],"parents":[""]}`,
	} {
		sameAsStandard(t, []byte(raw))
	}
}

func sameAsStandard(t *testing.T, raw []byte) {
	t.Helper()
	compareReaders[PatchData](t, raw)
	compareReaders[CommitData](t, raw)
	compareReaders[WindowData](t, raw)
}

func compareReaders[T any](t *testing.T, raw []byte) {
	t.Helper()
	var got, want T
	gotErr, wantErr := ReadData(raw, &got), json.Unmarshal(raw, &want)
	if (gotErr == nil) != (wantErr == nil) || gotErr == nil && !reflect.DeepEqual(got, want) {
		t.Errorf("%q as %T:\n%+v, %v, want\n%+v, %v", raw, got, got, gotErr, want, wantErr)
	}
}

func FuzzReadData(f *testing.F) {
	patch, commit := PatchData{}, CommitData{}
	fill(reflect.ValueOf(&patch).Elem())
	fill(reflect.ValueOf(&commit).Elem())
	for _, data := range []any{patch, commit} {
		raw, err := Encode(data)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { sameAsStandard(t, raw) })
}

func BenchmarkReadData(b *testing.B) {
	data := CommitData{Owners: make([]AnchorOwner, 4)}
	for i := range data.Owners {
		data.Owners[i] = AnchorOwner{
			Kind: OwnerAI, Patch: "0123456789abcdef0123456789abcdef", Trace: "c9fdb39b-72c8-5a7c-a1e2-de21ea55ce84",
			Agent: "claude-code", Session: "0b5e2d4c-6f1a-4e0b-9a3d-2c7f8e915a60", Model: "m", Tool: "Edit", ToolCall: "toolu_1",
			Prompt: 3, Limits: []Limit{LimitModelUnknown},
		}
	}
	for i := range 10 {
		file := AnchorFile{Path: fmt.Sprintf("dir/file%d.go", i), Change: ChangeID(strings.Repeat("a", 16))}
		for k := range 5 {
			file.Runs = append(file.Runs, AnchorRun{Start: k, Count: 1, Owner: k % 4, Tier: "exact_blob"})
		}
		data.Files = append(data.Files, file)
	}
	raw, err := Encode(data)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(raw)))
	for _, way := range []struct {
		name string
		read func([]byte, any) error
	}{{"ours", ReadData}, {"standard", json.Unmarshal}} {
		b.Run(way.name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for range b.N {
				var d CommitData
				if err := way.read(raw, &d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
