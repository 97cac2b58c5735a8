package shards

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type row struct {
	Repo  *string  `json:"repo" kind:"word"`
	Month string   `json:"month" kind:"word"`
	N     int64    `json:"n"`
	List  []string `json:"list"`
}

const rows = 240

// rowAt goes over 60 partitions, more than there are open files.
func rowAt(n int) *row {
	r := &row{Month: fmt.Sprintf("2026-%02d", n%12), N: int64(n), List: []string{strings.Repeat("x", n%50)}}
	if n%5 > 0 {
		r.Repo = new(fmt.Sprintf("a/b %d", n%5))
	}
	return r
}

// errKilled ends a writer as a kill would: nothing is tidied up.
var errKilled = errors.New("killed")

// write writes two tables, as long as it may.
func write(o Options, packs int) (*Manifest, int, error) {
	if packs >= 0 {
		o.Pack = func(_ []Column, from, to string) error {
			if packs--; packs < 0 {
				return errKilled
			}
			raw, err := os.ReadFile(from)
			if err != nil {
				return err
			}
			return os.WriteFile(to, raw, 0o644)
		}
	}
	s, err := Begin(o)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = s.Close() }()
	for _, name := range []string{"one", "two"} {
		w, err := s.Table(TableOf[row](name))
		if err != nil {
			return nil, s.Made(), err
		}
		for n := range rows {
			if err := w.Row(rowAt(n)); err != nil {
				w.Drop()
				return nil, s.Made(), err
			}
		}
		if err := w.Close(); err != nil {
			return nil, s.Made(), err
		}
	}
	m, err := s.Finish()
	return m, s.Made(), err
}

func options(dir string) Options {
	return Options{Dir: dir, Key: "k1", Name: "n", Source: "s", Size: 300, By: []string{"repo", "month"}, Ext: "jsonl"}
}

// all are the files of a directory, but for locks.
func all(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ".lock" {
			return err
		}
		raw, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[filepath.ToSlash(rel)] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEveryRowIsWrittenOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m, _, err := write(options(dir), -1)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]map[int64]bool{"one": {}, "two": {}}
	for _, f := range m.Files {
		raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Path)))
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(raw)) != f.Bytes || digest(raw) != f.SHA256 || int64(bytes.Count(raw, []byte("\n"))) != f.Rows {
			t.Errorf("%s is not what the manifest says", f.Path)
		}
		for line := range bytes.Lines(raw) {
			var r row
			if err := json.Unmarshal(line, &r); err != nil {
				t.Fatal(err)
			}
			want := "month=" + r.Month
			if r.Repo == nil {
				want = "repo=__HIVE_DEFAULT_PARTITION__/" + want
			} else {
				want = strings.NewReplacer("/", "%2F", " ", "%20").Replace("repo="+*r.Repo) + "/" + want
			}
			if f.Partition != want || seen[f.Table][r.N] {
				t.Errorf("row %d of %s is in %s, want %s, and once", r.N, f.Table, f.Partition, want)
			}
			seen[f.Table][r.N] = true
		}
		if f.Lines-300 > 120 {
			t.Errorf("%s goes on for %d bytes", f.Path, f.Lines)
		}
	}
	if len(seen["one"]) != rows || len(seen["two"]) != rows {
		t.Errorf("%d and %d rows", len(seen["one"]), len(seen["two"]))
	}
	if _, err := os.Stat(filepath.Join(dir, staging, "k1")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("what was staged is still there")
	}
}

// A writer may be killed at any file: nothing is seen of it, and the next one makes the same bytes, without the files
// that were finished.
func TestAWriterThatWasKilledGoesOn(t *testing.T) {
	t.Parallel()
	whole := t.TempDir()
	m, total, err := write(options(whole), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	want := all(t, whole)
	for at := 0; at < len(m.Files); at += 1 + len(m.Files)/5 {
		dir := t.TempDir()
		_, first, err := write(options(dir), at)
		if !errors.Is(err, errKilled) {
			t.Fatalf("%d: %v", at, err)
		}
		for path := range all(t, dir) {
			if !strings.HasPrefix(path, staging+"/") {
				t.Errorf("killed at %d, and %s is seen", at, path)
			}
		}
		_, second, err := write(options(dir), 1<<20)
		if err != nil {
			t.Fatalf("%d: %v", at, err)
		}
		if !maps.Equal(all(t, dir), want) {
			t.Errorf("killed at %d: the files differ", at)
		}
		if first+second > total+2 {
			t.Errorf("killed at %d of %d: %d files were made, then %d", at, total, first, second)
		}
	}
}

// Whatever stands in the progress of another source, or has lost a file, is begun anew.
// Whoever looks and finds that all is written leaves nothing behind, also where a writer was killed before.
func TestNothingIsLeftWhereNothingIsToBeWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, _, err := write(options(dir), -1); err != nil {
		t.Fatal(err)
	}
	want := all(t, dir)
	stage := filepath.Join(dir, staging, "k1")
	for _, killed := range []bool{false, true} {
		if killed {
			must(t, os.MkdirAll(stage, dirMode))
			must(t, os.WriteFile(filepath.Join(stage, lockName), nil, fileMode))
		}
		s, err := Begin(options(dir))
		if err != nil {
			t.Fatal(err)
		}
		if m, err := s.Written(); m == nil || err != nil {
			t.Errorf("not all is written: %v", err)
		}
		must(t, s.Close())
		if _, err := os.Stat(stage); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("killed before: %v; the place is left: %v", killed, err)
		}
		if got := all(t, dir); !maps.Equal(got, want) {
			t.Errorf("%d files, want %d", len(got), len(want))
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestOfAnotherSourceNothingIsTakenOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, _, err := write(options(dir), 7); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	other := options(dir)
	other.Source = "another"
	m, _, err := write(other, 1<<20)
	if err != nil || m.Source != "another" {
		t.Fatalf("%v", err)
	}
	if _, _, err := write(options(dir), 7); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	staged := all(t, filepath.Join(dir, staging))
	for path := range staged {
		if strings.HasSuffix(path, ".jsonl") && !strings.HasSuffix(path, progress) {
			if err := os.Remove(filepath.Join(dir, staging, path)); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	again, _, err := write(options(dir), 1<<20)
	if err != nil || len(again.Files) != len(m.Files) {
		t.Fatalf("%v", err)
	}
}

func TestFilesOfTheLastTimeGo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, _, err := write(options(dir), -1)
	if err != nil {
		t.Fatal(err)
	}
	beside := options(dir)
	beside.Key, beside.Size = "k2", 1<<20
	if _, _, err := write(beside, -1); err != nil {
		t.Fatal(err)
	}
	fewer := options(dir)
	fewer.Source, fewer.By, fewer.Size = "later", nil, 1<<20
	second, _, err := write(fewer, -1)
	if err != nil {
		t.Fatal(err)
	}
	have := all(t, dir)
	for _, f := range first.Files {
		if _, there := have[f.Path]; there {
			t.Errorf("%s is still there", f.Path)
		}
	}
	if len(second.Files) != 2 || len(have) != 2+2*60+3 {
		t.Errorf("%d files of the writer, %d in all", len(second.Files), len(have))
	}
	totals, err := ReadTotals(dir)
	if err != nil || totals.Writers != 2 || totals.Tables["one"].Rows != 2*rows {
		t.Errorf("%+v %v", totals, err)
	}
}

// A manifest lies in a directory that anybody may have written to. It names no file outside, and none of others.
func TestAManifestRemovesNothingOfOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kept := filepath.Join(dir, "precious-k1-")
	if err := os.WriteFile(kept, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	inside := filepath.Join(dir, "data")
	m := Manifest{Schema: ManifestSchema, Files: []File{{Path: "../precious-k1-"}, {Path: "README.md"}, {Path: "../../etc/k1-1"}}}
	raw, _ := json.Marshal(m)
	if err := os.MkdirAll(filepath.Join(inside, manifests), 0o755); err != nil {
		t.Fatal(err)
	}
	readme := filepath.Join(inside, "README.md")
	if err := errors.Join(os.WriteFile(readme, nil, 0o644),
		os.WriteFile(filepath.Join(inside, manifests, "k1.json"), raw, 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := write(options(inside), -1); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{kept, readme} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}

func TestOneWriterOfAKeyAtATime(t *testing.T) {
	t.Parallel()
	s, err := Begin(options(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Begin(s.Options); !errors.Is(err, ErrBusy) {
		t.Errorf("%v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if s, err = Begin(s.Options); err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
}

func TestLongAndOddNamesArePartitions(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"github.com/a/b": "github.com%2Fa%2Fb", "..": "%2E.", "é": "%C3%A9", "a=b": "a%3Db", "\x00\n": "%00%0A",
	} {
		if got := escaped(value); got != want {
			t.Errorf("%q is %s, want %s", value, got, want)
		}
	}
	long := strings.Repeat("é", 300)
	if a, b := escaped(long), escaped(long+"x"); a == b || len(a) > mostName+17 {
		t.Errorf("%s %s", a, b)
	}
}
