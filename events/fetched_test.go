package events

import (
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
