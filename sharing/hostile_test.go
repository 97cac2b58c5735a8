package sharing_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/sharing"
)

// hostile makes publications that somebody spoiled in one of many ways, or that claim what they like.
type hostile struct {
	attacker
	t      testing.TB
	log    *events.Log
	rnd    *rand.Rand
	claims []events.Draft
	own    string // the id of the victim
}

// commit makes one, and tells the ref that it goes to.
func (h *hostile) commit() (ref string, id refs.OID) {
	h.t.Helper()
	writer := fmt.Sprintf("%016x", h.rnd.Uint64())
	if h.rnd.Intn(8) == 0 {
		writer = h.own
	}
	kinds := []string{"digest", "digest", "digest", "events", "records", "checkpoints", "archive/digest", "archive/records"}
	kind := kinds[h.rnd.Intn(len(kinds))]
	start, err := events.Encode(events.LogStartedData{Format: 1, Tool: "x", ObjectFormat: h.Repo.Format.String()})
	h.Check(err)
	drafts := []events.Draft{{Time: recordedAt, Type: events.LogStarted, Method: []events.Method{events.Manual}, Data: start}}
	for range 1 + h.rnd.Intn(4) {
		drafts = append(drafts, h.claims[h.rnd.Intn(len(h.claims))])
	}
	all, err := events.Follow(drafts, 0, "", writer)
	h.Check(err)
	if h.rnd.Intn(4) == 0 { // an event is missing
		all = append(all[:1], all[min(2, len(all)):]...)
	}
	var text []byte
	for _, e := range all {
		text = append(append(text, e.Raw()...), '\n')
	}
	text = h.spoil(text)
	file, err := h.Repo.WriteLoose(h.Repo.MainObjects(), refs.BlobObject, text)
	h.Check(err)
	last := all[len(all)-1]
	p := events.Publication{
		Files: []events.PublishedFile{{First: 1 + int64(h.rnd.Intn(20)/19), Blob: file}},
		Head: events.PublicationHead{
			Format: events.Version, Writer: writer, Level: []string{"commits", "log", "x"}[h.rnd.Intn(3)],
			ObjectFormat: h.Repo.Format.String(), Events: last.Seq, Last: last.ID,
			Source: events.Witness{Writer: writer, Seq: last.Seq + int64(h.rnd.Intn(3)*1000), Event: last.ID},
		},
		Records: map[events.TraceID]refs.OID{evil: file},
	}
	if h.rnd.Intn(10) == 0 {
		p.Head.Events = 1<<53 - 1
	}
	tree, err := h.log.WritePublication(p)
	h.Check(err)
	if h.rnd.Intn(12) == 0 {
		tree, err = h.log.EmptyTree()
		h.Check(err)
	}
	who := refs.Signature{Name: "git-trace", Email: "git-trace@localhost", When: time.Unix(0, 0).UTC()}
	messages := []string{
		fmt.Sprintf("git-trace: the log up to event %d\n", last.Seq), "x\n\narchive\n", "x\n\n" + h.own + "\n", "\a\x1b\n",
	}
	raw := refs.EncodeCommit(refs.Commit{Tree: tree, Author: who, Committer: who, Message: messages[h.rnd.Intn(len(messages))]})
	id, err = h.Repo.WriteLoose(h.Repo.MainObjects(), refs.CommitObject, raw)
	h.Check(err)
	return "refs/traces/writers/" + writer + "/" + kind, id
}

// spoil changes a text in one place, or makes much of it.
func (h *hostile) spoil(text []byte) []byte {
	at := h.rnd.Intn(len(text))
	switch h.rnd.Intn(8) {
	case 0:
		text[at] ^= byte(1 << h.rnd.Intn(8))
	case 1:
		text = text[:at]
	case 2:
		text = append(text[:at:at], append([]byte("\n"), text[at:]...)...)
	case 3:
		text = append(text[:at:at], append(bytes.Repeat([]byte("["), 5000), text[at:]...)...)
	case 4:
		text = append(text[:at:at], append(bytes.Repeat([]byte("A"), 1<<20), text[at:]...)...)
	case 5:
		text = bytes.ReplaceAll(text, []byte("1"), []byte("9999999999999999999"))
	}
	return text
}

// Whatever others publish, what this clone saw itself is told as before, and no pull fails or takes long.
func TestHostilePublicationsChangeNothing(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	many, batch := testenv.Pick(20, 100, 5000), 20*testenv.Pick(1, 1, 5)
	w, remote, writer, _ := victim(t, sharing.LevelCommits, false)
	h := hostile{attacker: attack(t, w, remote), t: t, rnd: rand.New(rand.NewSource(7)), own: writer}
	h.log = events.OpenLog(h.Repo)
	for _, c := range []string{"main", "main~1"} {
		h.claims = append(h.claims, h.claim(t, c, "one.txt")...)
	}
	h.claims = append(append(h.claims, h.claim(t, "main", "h.txt")...), letters(1)...)
	before := owners(t, w, "h.txt") + owners(t, w, "one.txt")
	for done := 0; done < many; done += batch {
		specs := []string{"push", "-q", "-f", "origin"}
		for range batch {
			ref, id := h.commit()
			specs = append(specs, id.String()+":"+ref)
		}
		h.Git(unlike(specs)...)
		began := time.Now()
		pull(t, w, sharing.What{Log: true, Records: true})
		if took := time.Since(began); took > testenv.Within(2*time.Minute) {
			t.Errorf("the pull behind %d took %v", done, took)
		}
		if now := owners(t, w, "h.txt") + owners(t, w, "one.txt"); strings.Contains(now, "evil") || now != before {
			t.Fatalf("behind %d it tells\n%s\nand told\n%s", done, now, before)
		}
		gone := []string{"push", "-q", "origin"}
		for line := range strings.Lines(gitIn(t, remote, "for-each-ref", "--format=:%(refname)", "refs/traces")) {
			gone = append(gone, strings.TrimSpace(line))
		}
		h.Git(gone...)
	}
	reader := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
	pull(t, reader, sharing.What{})
}

// unlike leaves out what would go to a ref a second time.
func unlike(specs []string) (out []string) {
	known := map[string]bool{}
	for _, s := range specs {
		_, ref, _ := strings.Cut(s, ":")
		if ref == "" || !known[ref] {
			out = append(out, s)
		}
		known[ref] = true
	}
	return out
}
