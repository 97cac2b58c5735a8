package main

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/forge"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// S26: a push by itself comes after the user's push, which is as it would be: what it prints, how it ends, and but for 10
// ms of processor time how long it takes. Where the server then asks for a password, fails or hangs, nobody is asked and
// status tells it.
func TestReliabilityS26APushByItselfIsInNobodysWay(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	ways := map[string]http.HandlerFunc{
		"a password": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", "Basic")
			w.WriteHeader(http.StatusUnauthorized)
		},
		"a fault": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
	}
	if testenv.Long() {
		ways["a hang"] = func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	}
	for name, after := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, plain := newTwin(t, true), newTwin(t, false)
			var armed, failing atomic.Bool
			serve := func(w *twin) string {
				dir := filepath.Join(w.base, "remote.git")
				w.must("git", "-C", dir, "config", "http.receivepack", "true")
				backend, err := forge.HTTP(w.base)
				if err != nil {
					t.Fatal(err)
				}
				served := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
					if failing.Load() {
						after(out, r)
						return
					}
					backend.ServeHTTP(out, r)
					// It fails from the end of the user's push on: what the hook started waits for that.
					failing.Store(armed.Load() && strings.HasSuffix(r.URL.Path, "/git-receive-pack"))
				}))
				t.Cleanup(func() { served.CloseClientConnections(); served.Close() })
				w.must("git", "remote", "add", "web", served.URL+"/remote.git")
				w.must("git", "push", "-q", "--force", "web", "main")
				return served.URL
			}
			url, plainURL := serve(w), serve(plain)
			w.must("git", "config", "trace.autoPush", "true")
			w.must("../bin/git-trace", "init")
			w.must("../bin/git-trace", "push", "--to", "commits", "web")
			w.commit("more")
			plain.commit("more")
			push := func(w *twin, url string) string {
				cmd := exec.Command("git", "push", "web", "main")
				cmd.Dir, cmd.Env = w.dir, w.with("GIT_HTTP_USER_AGENT=x")
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Errorf("git push: %v %s", err, out)
				}
				lines := strings.Split(strings.ReplaceAll(string(out), url, "URL"), "\n")
				return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(l, "..") }), "\n") // ids differ
			}
			want := push(plain, plainURL)
			armed.Store(true)
			began := time.Now()
			got := push(w, url)
			if took := time.Since(began); took > testenv.Within(5*time.Second) {
				t.Errorf("the user's push takes %s", took)
			}
			if got != want {
				t.Errorf("the user's push says %q, without git-trace %q", got, want)
			}
			told := false
			for end := time.Now().Add(2 * time.Minute); !told && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
				told = strings.Contains(w.must("../bin/git-trace", "status"), "automatic pushes have failed")
			}
			if !told {
				t.Errorf("status does not tell: %s", w.must("../bin/git-trace", "status"))
			}
		})
	}
}

// S26: what the hook takes of the user's push, in processor time: the medians of pushes in turn.
func TestReliabilityS26ThePushHookIsShort(t *testing.T) { // alone: it measures
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	w, plain := newTwin(t, true), newTwin(t, true)
	t.Cleanup(w.untilQuiet)
	for _, one := range []*twin{w, plain} {
		one.must("git", "push", "-q", "--force", "origin", "main")
		one.must("../bin/git-trace", "push", "--to", "commits", "origin")
	}
	w.must("git", "config", "trace.autoPush", "true")
	w.must("../bin/git-trace", "init")
	took := map[*twin][]time.Duration{}
	for range testenv.Pick(5, 15, 60) {
		for _, one := range []*twin{w, plain} {
			cmd := exec.Command("git", "push", "-q", "origin", "main")
			cmd.Dir, cmd.Env = one.dir, one.with()
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v %s", err, out)
			}
			took[one] = append(took[one], cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		}
	}
	median := func(list []time.Duration) time.Duration { slices.Sort(list); return list[len(list)/2] }
	more := median(took[w]) - median(took[plain])
	t.Logf("a push takes %s of processor time, with the hook %s more", median(took[plain]), more)
	if more > testenv.Within(10*time.Millisecond) {
		t.Errorf("the hook takes %s", more)
	}
}

// untilQuiet waits until no process works in the repository: pushes by themselves go on when the user's has ended.
func (w *twin) untilQuiet() {
	if err := untilAlone(w.base); err != nil {
		w.t.Error(err)
	}
}
