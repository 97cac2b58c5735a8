package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// received are the requests that a collector got.
type received struct {
	mu     sync.Mutex
	bodies []string
	spans  int
}

// listening is a collector that answers with what reply gives for the number of the request, from 1.
func listening(t *testing.T, reply func(w http.ResponseWriter, r *http.Request, n int)) (*httptest.Server, *received) {
	t.Helper()
	got := &received{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		var d document
		if err != nil || json.Unmarshal(raw, &d) != nil {
			t.Errorf("a request of %d bytes: %v", len(raw), err)
		}
		got.mu.Lock()
		defer got.mu.Unlock()
		got.bodies = append(got.bodies, string(raw))
		for _, rs := range d.ResourceSpans {
			for _, s := range rs.ScopeSpans {
				got.spans += len(s.Spans)
			}
		}
		if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s with %v", r.Method, r.Header)
		}
		reply(w, r, len(got.bodies))
	}))
	t.Cleanup(server.Close)
	return server, got
}

// spans is a document of so many spans, each of so many bytes.
func spans(count, size int) string {
	list := make([]string, count)
	for i := range list {
		list[i] = fmt.Sprintf(`{"spanId":"%04d","name":%q}`, i, strings.Repeat("x", size))
	}
	return `{"resourceSpans":[{"resource":{"attributes":[]},"scopeSpans":[{"scope":{"name":"git-trace"},"spans":[` +
		strings.Join(list, ",") + `]}]}]}` + "\n"
}

func TestSpansAreSentToTheCollectorThatWasNamed(t *testing.T) {
	t.Parallel()
	server, got := listening(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if r.URL.Path != "/v1/traces" || r.Header.Get("X-Key") != "a b" || r.Header.Get("Tenant") != "one" {
			t.Errorf("%s with %v", r.URL, r.Header)
		}
		_, _ = io.WriteString(w, `{"partialSuccess":{}}`)
	})
	c, err := newCollector(server.URL, "x-key=a%20b, tenant=one,nothing")
	if err != nil {
		t.Fatal(err)
	}
	sent, err := c.sendAll(t.Context(), strings.NewReader(spans(2, 10)+"\n"+spans(3, 10)))
	if err != nil || sent != 2 || got.spans != 5 {
		t.Errorf("%d documents, %d spans, %v", sent, got.spans, err)
	}
	if want := spans(2, 10); got.bodies[0]+"\n" != want {
		t.Errorf("sent as %s, not %s", got.bodies[0], want)
	}
}

func TestALongConversationIsSentInPieces(t *testing.T) {
	t.Parallel()
	server, got := listening(t, func(http.ResponseWriter, *http.Request, int) {})
	c, err := newCollector(server.URL+"/otlp/v1/traces", "")
	if err != nil {
		t.Fatal(err)
	}
	if sent, err := c.sendAll(t.Context(), strings.NewReader(spans(10, 1<<20))); err != nil || sent != 1 || got.spans != 10 {
		t.Errorf("%d documents, %d spans, %v", sent, got.spans, err)
	}
	for _, body := range got.bodies {
		if len(body) > mostRequest+1<<10 {
			t.Errorf("a request has %d bytes", len(body))
		}
	}
	if len(got.bodies) != 4 {
		t.Errorf("%d requests", len(got.bodies))
	}
}

// What a collector cannot take now is sent again; what it will not take is an error in its own words.
func TestWhatACollectorAnswersIsHeard(t *testing.T) {
	t.Parallel()
	for name, tried := range map[string]struct {
		reply func(w http.ResponseWriter, r *http.Request, n int)
		want  string
		asked int
	}{
		"busy for a moment": {func(w http.ResponseWriter, _ *http.Request, n int) {
			if n < 3 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		}, "", 3},
		"busy": {func(w http.ResponseWriter, _ *http.Request, _ int) {
			http.Error(w, "too much", http.StatusTooManyRequests)
		}, "429 Too Many Requests: too much", mostTries},
		"refused": {func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"code":3,"message":"no such field"}`)
		}, "400 Bad Request: no such field", 1},
		"sent elsewhere": {func(w http.ResponseWriter, r *http.Request, _ int) {
			http.Redirect(w, r, "/other", http.StatusTemporaryRedirect)
		}, "307 Temporary Redirect", 1},
		"taken in part": {func(w http.ResponseWriter, _ *http.Request, _ int) {
			_, _ = io.WriteString(w, `{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}`)
		}, "2 spans were not taken: too old", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, got := listening(t, tried.reply)
			c, err := newCollector(strings.Replace(server.URL, "http://", "http://user:secret@", 1), "")
			if err != nil {
				t.Fatal(err)
			}
			c.pause = time.Millisecond
			sent, err := c.sendAll(t.Context(), strings.NewReader(spans(2, 1)))
			if len(got.bodies) != tried.asked {
				t.Errorf("asked %d times", len(got.bodies))
			}
			if tried.want == "" {
				if err != nil || sent != 1 {
					t.Errorf("%d sent, %v", sent, err)
				}
				return
			}
			if err == nil || !strings.HasSuffix(err.Error(), ": "+tried.want) || strings.Contains(err.Error(), "secret") || sent != 0 {
				t.Errorf("%d sent, %v; want %q", sent, err, tried.want)
			}
		})
	}
}

func TestACollectorThatIsNotThereIsAnError(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "localhost:4318", "ftp://localhost", "http://", "http://%zz"} {
		if _, err := newCollector(address, ""); err == nil {
			t.Errorf("%q is taken for an address", address)
		}
	}
	server, _ := listening(t, func(http.ResponseWriter, *http.Request, int) {})
	server.Close()
	c, err := newCollector(strings.Replace(server.URL, "http://", "http://user:secret@", 1), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.sendAll(t.Context(), strings.NewReader(spans(1, 1))); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

// Spans leave when --endpoint says so, and never otherwise, whatever the environment holds.
func TestExportSendsSpansOnlyWhenAsked(t *testing.T) {
	program, home := built(t)
	server, got := listening(t, func(http.ResponseWriter, *http.Request, int) {})
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", server.URL)
	dir := testenv.TempDir(t)
	run := func(args ...string) (string, error) {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	row := filepath.Join(home, "row.jsonl")
	if err := os.WriteFile(row, []byte(`{"messages":[{"role":"user","content":"count"},{"role":"assistant","content":"one"}]}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"git", "init", "-q"}, {program, "import", "--from", "messages", row}} {
		if out, err := run(args...); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	plain, err := run(program, "export", "--format", "otlp")
	if err != nil || !strings.HasPrefix(plain, `{"resourceSpans"`) || len(got.bodies) > 0 {
		t.Fatalf("without --endpoint %d requests came: %v\n%s", len(got.bodies), err, plain)
	}
	out, err := run(program, "export", "--format", "otlp", "--endpoint", server.URL)
	if err != nil || out != "1 conversation sent to "+server.URL+"\n" || len(got.bodies) != 1 {
		t.Fatalf("%v: %s, %d requests", err, out, len(got.bodies))
	}
	var want, have any
	if json.Unmarshal([]byte(plain), &want) != nil || json.Unmarshal([]byte(got.bodies[0]), &have) != nil ||
		fmt.Sprint(want) != fmt.Sprint(have) {
		t.Errorf("sent was %s, not %s", got.bodies[0], plain)
	}
	server.Close()
	if out, err := run(program, "export", "--format", "otlp", "--endpoint", server.URL); err == nil ||
		!strings.Contains(out, "0 conversations sent") || !strings.Contains(out, "git-trace: error: send to "+server.URL) {
		t.Errorf("a collector that is gone: %v\n%s", err, out)
	}
	for _, args := range [][]string{{"--format", "atif", "--endpoint", server.URL}, {"--format", "otlp", "--endpoint", "localhost:4318"}} {
		if out, err := run(append([]string{program, "export"}, args...)...); err == nil || !strings.Contains(out, "--endpoint'") {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}
