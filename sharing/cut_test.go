package sharing_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/sharing"
)

// unsteady is a server that ends a connection after a number of bytes, or answers with a status of its own. It counts
// what it is asked.
type unsteady struct {
	http.Handler
	left     atomic.Int64 // bytes of both ways until it is cut; negative for no end
	status   atomic.Int32
	asked    atomic.Int64 // requests
	carried  atomic.Int64 // bytes
	silently atomic.Bool  // it never answers
}

func (u *unsteady) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u.asked.Add(1)
	if u.silently.Load() {
		<-r.Context().Done()
		return
	}
	if status := u.status.Load(); status != 0 {
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		http.Error(w, "not at http://user:s3cret@host/x", int(status))
		return
	}
	body, err := io.ReadAll(r.Body) // git's backend never ends when it gets less than was announced
	if err != nil || u.pass(len(body)) < len(body) {
		panic(http.ErrAbortHandler)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	u.Handler.ServeHTTP(&cut{w, u}, r)
}

func (u *unsteady) pass(n int) int {
	u.carried.Add(int64(n))
	if u.left.Load() < 0 {
		return n
	}
	left := u.left.Add(-int64(n))
	if left > 0 {
		return n
	}
	u.left.Store(0)
	return max(0, n+int(left))
}

type cut struct {
	http.ResponseWriter
	*unsteady
}

func (c *cut) Write(p []byte) (int, error) {
	n := c.pass(len(p))
	if n < len(p) {
		_, _ = c.ResponseWriter.Write(p[:n])
		panic(http.ErrAbortHandler)
	}
	return c.ResponseWriter.Write(p)
}

func (c *cut) Header() http.Header { return c.ResponseWriter.Header() }

// over serves a remote through such a server.
func over(t testing.TB, w *recording.World, remote string) *unsteady {
	t.Helper()
	gitIn(t, remote, "config", "http.receivepack", "true")
	u := &unsteady{Handler: httpBackend(t, remote)}
	u.left.Store(-1)
	served := httptest.NewUnstartedServer(u)
	served.Config.ErrorLog = nil
	served.Start()
	t.Cleanup(func() {
		served.CloseClientConnections()
		served.Close()
	})
	url := strings.Replace(served.URL, "http://", "http://user:s3cret@", 1)
	w.Git("remote", "set-url", "origin", url+"/"+filepath.Base(remote))
	return u
}

// S4: a connection that is cut anywhere, and a server that refuses, leave what is noted here as it was or true. The next
// push completes.
func TestAConnectionThatIsCut(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	w, remote := published(t)
	trace := talked(t, w, "one", "what was asked")
	u := over(t, w, remote)
	writer := testenv.WriterOf(t, w.Repo.WorkTree)
	ref := func() string {
		return w.Git("for-each-ref", "--format=%(objectname)", events.FetchedRef("origin", writer, "digest"))
	}
	more := func(n int) {
		w.Edit("one", "one.txt", "first\nsecond\n"+strings.Repeat("more\n", n))
		w.Commit("more")
		w.Anchor()
		gitIn(t, remote, "fetch", "-q", w.Repo.WorkTree, "main:main")
	}
	tryOnce := func() error {
		p, err := plan(t, w, sharing.LevelConversations)
		if err != nil {
			return err
		}
		defer p.Close()
		_, err = p.Push(t.Context(), true)
		return err
	}
	holds := func(what string, err error, before string) {
		t.Helper()
		there := gitIn(t, remote, "for-each-ref", "--format=%(objectname)", "refs/traces/writers/*/digest")
		if now := ref(); now != before && now != there {
			t.Errorf("%s: %s is noted, it was %s, and %s is there", what, now, before, there)
		}
		var said *sharing.RemoteError
		if errors.As(err, &said) && strings.Contains(strings.Join(said.Lines, "\n"), "s3cret") || err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: the credentials are told: %v", what, err)
		}
		if err != nil && !errors.Is(err, sharing.ErrUnreached) && said == nil {
			t.Errorf("%s: %v", what, err)
		}
		gitIn(t, remote, "rev-list", "--objects", "--quiet", "--glob=refs/traces/*") // it names nothing that is not there
	}
	push(t, w, sharing.LevelConversations)
	more(1)
	u.carried.Store(0)
	push(t, w, sharing.LevelConversations)
	whole := u.carried.Load()
	points := testenv.Pick(3, 8, 200)
	for i := range points {
		more(i + 2)
		talked(t, w, "one", strings.Repeat("what was asked ", i+2))
		before := ref()
		u.left.Store(whole * int64(i+1) / int64(points+1))
		err := tryOnce()
		u.left.Store(-1)
		holds("cut", err, before)
		if err := tryOnce(); err != nil {
			t.Errorf("after a cut at byte %d of %d: %v", whole*int64(i+1)/int64(points+1), whole, err)
		}
		if there := gitIn(t, remote, "for-each-ref", "--format=%(objectname)", "refs/traces/writers/*/digest"); ref() != there {
			t.Errorf("%s is noted, %s is there", ref(), there)
		}
	}
	for _, status := range []int32{http.StatusUnauthorized, http.StatusForbidden, http.StatusInternalServerError} {
		before := ref()
		u.status.Store(status)
		err := tryOnce()
		u.status.Store(0)
		if holds(http.StatusText(int(status)), err, before); err == nil {
			t.Errorf("%d is no error", status)
		}
	}
	u.silently.Store(true)
	patience, cancel := context.WithTimeout(t.Context(), time.Duration(testenv.Pick(1, 1, 90))*time.Second)
	defer cancel()
	s, err := sharing.ReadSettings(t.Context(), w.Repo)
	w.Check(err)
	r, err := s.Destination("origin")
	w.Check(err)
	before := ref()
	if _, err = sharing.MakePlan(patience, events.OpenLog(w.Repo), s, r, sharing.LevelCommits, sharing.Means{}); !errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "context") {
		t.Errorf("of a server that hangs: %v", err)
	}
	if u.silently.Store(false); ref() != before {
		t.Error("a server that hangs changed what is noted")
	}
	more(points + 3)
	push(t, w, sharing.LevelConversations)
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	if got := pull(t, fresh, sharing.What{Records: true}); got.LeftOut() != 0 || got.Writers[0].Records != 1 || said(t, fresh, trace) == "" {
		t.Errorf("at the end: %+v", got)
	}
}

// S5: nothing new costs two requests over HTTP, one that opens and one that lists. No pack goes either way.
func TestNothingNewIsOneQuestion(t *testing.T) {
	t.Parallel()
	w, remote := published(t)
	u := over(t, w, remote)
	push(t, w, sharing.LevelCommits)
	fresh := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", w.Git("remote", "get-url", "origin"), ".")
	pull(t, fresh, sharing.What{})
	for name, again := range map[string]func(){
		"push": func() { push(t, w, sharing.LevelCommits) },
		"pull": func() { pull(t, fresh, sharing.What{}) },
	} {
		u.asked.Store(0)
		again()
		if n := u.asked.Load(); n > 2 {
			t.Errorf("a second %s asks %d times", name, n)
		}
	}
}
