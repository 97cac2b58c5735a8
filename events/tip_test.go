package events

import (
	"errors"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

func TestWhatIsRememberedOfTheEndIsBelievedWholeOnly(t *testing.T) {
	t.Parallel()
	id := "b3:" + strings.Repeat("5e", 32)
	const writer = "00000000000000ff"
	summed := func(body string) string { return body + "\n" + checkSum(body) }
	for name, tt := range map[string]struct {
		text string
		ok   bool
	}{
		"as it is written":        {memory{end: tip{seq: 7, id: ID(id), writer: writer}}.String(), true},
		"the first event":         {summed("end1 1 " + id + " " + writer), true},
		"without a check sum":     {"end1 7 " + id + " " + writer, false},
		"with another check sum":  {summed("end1 7 "+id+" "+writer) + "0", false},
		"with no more than a sum": {"\n" + checkSum(""), false},
		"an older form":           {summed("end0 7 " + id + " " + writer), false},
		"a word too few":          {summed("end1 7 " + id), false},
		"a word too many":         {summed("end1 7 " + id + " " + writer + " x"), false},
		"no event":                {summed("end1 0 " + id + " " + writer), false},
		"a number below 0":        {summed("end1 -7 " + id + " " + writer), false},
		"no number":               {summed("end1 seven " + id + " " + writer), false},
		"a number that ends late": {summed("end1 7x " + id + " " + writer), false},
		"no id":                   {summed("end1 7 5e5e " + writer), false},
		"no writer":               {summed("end1 7 " + id + " somebody"), false},
	} {
		m, ok := parseMemory(tt.text)
		got := m.end
		if ok != tt.ok || ok && (got.id != ID(id) || got.writer != writer || got.seq != 1 && got.seq != 7) || !ok && got != (tip{}) {
			t.Errorf("%s: %v %v", name, got, ok)
		}
	}
}

func TestWhetherTheLogBeginsWithAnother(t *testing.T) {
	t.Parallel()
	log, other := OpenLog(newRepo(t)), OpenLog(newRepo(t))
	mustAppend(t, log, promptDraft(1))
	before, err := log.Tip(refs.EventsRef)
	check(t, err)
	mustAppend(t, log, promptDraft(2))
	_, err = log.Seal(t.Context())
	check(t, err)
	after, err := log.Tip(refs.EventsRef)
	check(t, err)
	mustAppend(t, other, promptDraft(1))
	foreign, err := other.Tip(refs.EventsRef)
	check(t, err)
	runGit(t, log.repo.WorkTree, "fetch", "-q", other.repo.WorkTree, refs.EventsRef)
	for name, tt := range map[string]struct {
		in     *Log
		commit refs.OID
		want   error
	}{
		"with what it was":    {log, before, nil},
		"with itself":         {log, after, nil},
		"with another log":    {log, foreign, ErrSealDiffers},
		"what is not there":   {log, log.repo.Format.Hash(refs.CommitObject, nil), refs.ErrMissing},
		"where there is none": {OpenLog(openRepo(t, emptyCopy(t, log))), after, ErrSealDiffers},
	} {
		if err := tt.in.BeginsWith(tt.commit); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
	cutJournal(t, log, 1)
	if err := log.BeginsWith(after); !errors.Is(err, ErrSealDiffers) {
		t.Errorf("with a longer one: %v", err)
	}
}

// emptyCopy is a clone that has the commits of a log and no file of it.
func emptyCopy(t *testing.T, log *Log) string {
	t.Helper()
	dir := t.TempDir()
	runGit(t, dir, "init", "-q", ".")
	runGit(t, dir, "fetch", "-q", log.repo.WorkTree, refs.EventsRef)
	return dir
}
