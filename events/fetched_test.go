package events

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhatTheNameOfAFetchedRefTells(t *testing.T) {
	t.Parallel()
	const writer = "00000000000000ff"
	for ref, want := range map[string]FetchedLog{
		fetchedRefs + "origin/" + writer + "/events":         {Remote: "origin", Writer: writer},
		fetchedRefs + "origin/" + writer + "/digest":         {Remote: "origin", Writer: writer, Digest: true},
		fetchedRefs + "up/stream/" + writer + "/events":      {Remote: "up/stream", Writer: writer},
		fetchedRefs + "origin/events":                        {Remote: "origin"},
		fetchedRefs + "origin/somebody/events":               {Remote: "origin/somebody"},
		fetchedRefs + "/" + writer + "/events":               {Remote: "/" + writer},
		archivedRefs + "origin/" + writer + "/events":        {Remote: "origin", Writer: writer, Stored: true},
		fetchedRefs + "origin/" + writer + "/records":        {},
		fetchedRefs + "origin/" + writer + "/archive/events": {},
		fetchedRefs + "events":                               {},
		fetchedRefs + "origin/" + writer:                     {},
		"refs/heads/" + writer + "/events":                   {},
	} {
		got, ok := parseFetched(ref)
		if want.Remote != "" {
			want.Ref = ref
		}
		if got != want || ok != (want.Ref != "") {
			t.Errorf("%s: %+v, %v", ref, got, ok)
		}
	}
	for ref, want := range map[string]string{
		"refs/x/" + writer + "/archive/events": "events", "refs/x/" + writer + "/archive/": "", "refs/x/somebody/archive/events": "",
		"refs/" + writer + "/events": "", writer + "/archive/events": "", "x/" + writer + "/archive/records": "records", "archive": "", "": "",
	} {
		kind, ok := ArchiveOf(ref)
		if kind != want || ok != (want != "" || strings.HasSuffix(ref, "/archive/")) {
			t.Errorf("%s: %q, %v", ref, kind, ok)
		}
	}
	direct := FetchedLog{Ref: fetchedRefs + "origin/" + writer + "/events", Remote: "origin", Writer: writer}
	back := FetchedLog{Ref: archivedRefs + "origin/" + writer + "/events", Remote: "origin", Writer: writer, Stored: true}
	gone := FetchedLog{Ref: archivedRefs + "origin/00000000000000aa/events", Remote: "origin", Writer: "00000000000000aa", Stored: true}
	if got := withoutReturned([]FetchedLog{direct, back, gone}); len(got) != 2 || got[0] != direct || got[1] != gone {
		t.Errorf("of a clone that came back: %+v", got)
	}
	if got := withoutReturned([]FetchedLog{direct}); len(got) != 1 {
		t.Errorf("without archives: %+v", got)
	}
}

// Parts of a copy are one log if each goes on from the one before.
func TestPartsOfACopyGoOnFromEachOther(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	for i := range 5 {
		mustAppend(t, log, promptDraft(i))
	}
	var lines []string
	for _, e := range readAll(t, log, Range{}) {
		lines = append(lines, string(e.raw)+"\n")
	}
	part := func(from, to int) linked {
		return relink([]byte(strings.Join(lines[from:to], "")), map[int64]bool{2: true, 4: true})
	}
	changed := func(from, to int, change func(*linked)) linked { p := part(from, to); change(&p); return p }
	for name, tt := range map[string]struct {
		parts []linked
		last  int64
		sound bool
		hits  int
	}{
		"one":                        {[]linked{part(0, 6)}, 6, true, 2},
		"two":                        {[]linked{part(0, 3), part(3, 6)}, 6, true, 2},
		"with none between them":     {[]linked{part(0, 3), part(3, 3), part(3, 6)}, 6, true, 2},
		"the first is missing":       {[]linked{part(3, 6)}, 3, false, 0},
		"one is missing":             {[]linked{part(0, 2), part(3, 6)}, 5, false, 1},
		"in another order":           {[]linked{part(3, 6), part(0, 3)}, 6, false, 0},
		"fewer than there are":       {[]linked{part(0, 3)}, 6, false, 1},
		"one that is not sound":      {[]linked{part(0, 3), changed(3, 6, func(p *linked) { p.ok = false })}, 6, false, 1},
		"one of two writers":         {[]linked{part(0, 3), changed(3, 6, func(p *linked) { p.sameWriter = false })}, 6, false, 1},
		"the next one's is another":  {[]linked{part(0, 3), changed(3, 6, func(p *linked) { p.lastWriter = "x" })}, 6, false, 1},
		"it names another before it": {[]linked{part(0, 3), changed(3, 6, func(p *linked) { p.firstPrev = "x" })}, 6, false, 1},
		"its number is another":      {[]linked{part(0, 3), changed(3, 6, func(p *linked) { p.firstSeq++ })}, 6, false, 1},
	} {
		s := &summary{last: tt.last, hits: map[Anchor]bool{}}
		err := chainUp(tt.parts, s)
		if (err == nil) != tt.sound || err != nil && !errors.Is(err, errCopyUnsound) || len(s.hits) != tt.hits {
			t.Errorf("%s: %v, %d hits", name, err, len(s.hits))
		}
	}
	text := func(which ...string) []byte { return []byte(strings.Join(which, "")) }
	for name, tt := range map[string]struct {
		text []byte
		ok   bool
	}{
		"in a row":                     {text(lines...), true},
		"with ends of batches":         {text(lines[0], "=\n", lines[1], "=\n"), true},
		"from one on":                  {text(lines[2:]...), true},
		"one left out":                 {text(lines[0], lines[2]), false},
		"one twice":                    {text(lines[0], lines[0]), false},
		"two in the other order":       {text(lines[1], lines[0]), false},
		"an empty line":                {text(lines[0], "\n", lines[1]), false},
		"a line that is cut off":       {text(lines[0], strings.TrimSuffix(lines[1], "\n")), false},
		"a changed line":               {text(lines[0], strings.Replace(lines[1], `"s1"`, `"s2"`, 1)), false},
		"no event":                     {text(lines[0], "{}\n"), false},
		"the number after a wrong one": {text(lines[0], reseal(t, strings.Replace(strings.TrimSuffix(lines[1], "\n"), `"seq":2`, `"seq":3`, 1)), "\n"), false},
	} {
		got := relink(tt.text, nil)
		if got.ok != tt.ok {
			t.Errorf("%s: sound %v", name, got.ok)
		}
	}
	all := part(0, 6)
	if first := part(0, 1); all.count != 6 || all.firstSeq != 1 || all.firstPrev != "" || len(all.hits) != 2 || all.hits[0].Seq != 2 || first.count != 1 ||
		part(1, 2).firstPrev != first.lastID || !all.sameWriter || all.lastWriter == "" {
		t.Errorf("all of it: %+v", all)
	}
}

// A word is found wherever it stands, also where it is read in two parts.
func TestAWordIsFoundInAFileThatIsReadInParts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	const word, size = `"signer"`, 1 << 16
	for at := range size - len(word) {
		if near := at % (4 << 10); at > 100 && near > len(word) && near < 4<<10-len(word) {
			continue // parts end at whole pages
		}
		text := []byte(strings.Repeat("x", size))
		copy(text[at:], word)
		check(t, os.WriteFile(path, text, 0o600))
		if !hasWord(path, word) {
			t.Fatalf("not found at %d", at)
		}
		text[at+3] = 'x'
		check(t, os.WriteFile(path, text, 0o600))
		if hasWord(path, word) {
			t.Fatalf("found at %d, where it does not stand", at)
		}
	}
	if hasWord(path+" that is not there", word) {
		t.Error("found in no file")
	}
}
