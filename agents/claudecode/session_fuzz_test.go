package claudecode_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/records"
)

// Whatever stands in a session file gives a sound record, and the same one when it is read in two parts.
func FuzzSession(f *testing.F) {
	files, err := filepath.Glob(filepath.Join(sessions, "*.jsonl"))
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, uint(len(data)/2))
	}
	f.Fuzz(func(t *testing.T, data []byte, cut uint) {
		path := filepath.Join(t.TempDir(), "fuzz.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		record, _ := parse(t, path, capability.ParseOptions{Session: "fuzz"})
		if faults := record.Check(); len(faults) > 0 {
			t.Fatal(faults)
		}
		want := encode(t, record)
		if again, err := records.Decode(want); err != nil || !bytes.Equal(encode(t, again), want) {
			t.Fatalf("the record is not read back: %v", err)
		}
		if cut := int(cut); cut < len(data) {
			suite().Grown(t, path, data, cut, want, "fuzz")
		}
	})
}

// watcher is a sink that forgets the steps and watches the memory.
type watcher struct {
	steps int
	most  uint64
}

func (w *watcher) Step(*records.Step) error {
	if w.steps++; w.steps%500 == 0 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		w.most = max(w.most, m.HeapInuse)
	}
	return nil
}

func (w *watcher) Late(int, records.Observation) error { return nil }

// long writes a session of one endless turn: no prompt ends it, so nothing but the limits lets steps go.
func long(t testing.TB, size int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "long.jsonl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	body := strings.Repeat(`\tfmt.Println(\"a line of a file\")\n`, 200)
	for n, written := 0, 0; written < size; n++ {
		count, err := fmt.Fprintf(file, `{"type":"assistant","uuid":"a%d","sessionId":"long","timestamp":"2026-03-02T09:00:00.000Z",`+
			`"message":{"id":"m%d","model":"claude-sonnet-4-5","content":[{"type":"tool_use","id":"t%d","name":"Edit","input":`+
			`{"file_path":"/home/dev/shop/f%d.go","new_string":"%s"}}],"usage":{"input_tokens":1,"output_tokens":2}}}`+"\n"+
			`{"type":"user","uuid":"u%d","sessionId":"long","timestamp":"2026-03-02T09:00:01.000Z","message":{"content":`+
			`[{"type":"tool_result","tool_use_id":"t%d","content":"%s"}]},"toolUseResult":{"filePath":"/home/dev/shop/f%d.go",`+
			`"newString":"%s","originalFile":null,"structuredPatch":[{"oldStart":1,"newStart":1,"lines":["+x"]}]}}`+"\n",
			n, n, n, n%100, body, n, n, body, n%100, body)
		if err != nil {
			t.Fatal(err)
		}
		written += count
	}
	return path
}

func TestALongSessionTakesLittleMemory(t *testing.T) {
	if testenv.Quick() {
		t.Skip("it reads 120 MB")
	}
	size := 120 << 20
	if os.Getenv("GITTRACE_LONG") != "" {
		size = 500 << 20
	}
	path := long(t, size)
	var sink watcher
	if _, err := parser().Parse(context.Background(), path, capability.ParseOptions{}, &sink); err != nil {
		t.Fatal(err)
	}
	if sink.steps < 4000 || sink.most > 100<<20 {
		t.Errorf("%d steps took %d MB", sink.steps, sink.most>>20)
	}
}

func TestReadingEndsWhenItIsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := parser().Parse(ctx, filepath.Join(sessions, "basic-0001.jsonl"), capability.ParseOptions{}, &watcher{}); err == nil {
		t.Error("it was read all the same")
	}
}

func BenchmarkParse(b *testing.B) {
	path := long(b, 50<<20)
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	for b.Loop() {
		if _, err := parser().Parse(context.Background(), path, capability.ParseOptions{}, &watcher{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkParseReal reads the real sessions: lines of every kind, most of them short.
func BenchmarkParseReal(b *testing.B) {
	files, _ := filepath.Glob(filepath.Join("..", "..", "..", "*", "corpus", "claude-code", "*.jsonl"))
	if len(files) == 0 {
		b.Skip("no real session files")
	}
	size := int64(0)
	for _, path := range files {
		info, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		size += info.Size()
	}
	b.SetBytes(size)
	for b.Loop() {
		for _, path := range files {
			if _, err := parser().Parse(context.Background(), path, capability.ParseOptions{}, &watcher{}); err != nil {
				b.Fatal(err)
			}
		}
	}
}
