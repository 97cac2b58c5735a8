package redact

import (
	"os/user"
	"slices"
	"testing"
)

func TestNamesThatTellWhoSomebodyIs(t *testing.T) {
	t.Parallel()
	in := []string{"bob", "al", "Root", "1000", "alice", `WORK\carol`, `A\B\dave`, "bob", "anna", "...", "./.", "", `X\`, "test"}
	if got, want := telling(in), []string{"alice", "carol", "anna", "dave", "bob"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestNamesAreWords(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, Options{Names: []string{"alice", "al.b"}})
	for text, want := range map[string]int{
		"alice": 1, "(alice)": 1, "alice, alice and alice": 3, "alicealice": 0, "malice": 0, "alices": 0, "alice7": 0, "7alice": 0,
		"éalice": 0, "aliceé": 0, "x_alice_y": 1, "al.b": 1, "al-b": 0, "Alice": 0, "": 0, "\xffalice\xff": 1, "malice or alice": 1,
	} {
		found := r.userNames(text)
		if len(found) != want {
			t.Errorf("%q: %+v", text, found)
		}
		for _, s := range found {
			if s.with != somebody || s.rule != "user" || text[s.start:s.end] != "alice" && text[s.start:s.end] != "al.b" {
				t.Errorf("%q: %+v", text, s)
			}
		}
	}
}

func TestTheNameOfTheAccountIsAmongTheSystemsNames(t *testing.T) {
	u, err := user.Current()
	if err != nil {
		t.Skip(err)
	}
	t.Setenv("LOGNAME", "quimby")
	t.Setenv("HOME", "/home/cecil")
	if got := SystemNames(); !slices.Contains(got, u.Username) || !slices.Contains(got, "quimby") || !slices.Contains(got, "cecil") {
		t.Errorf("%q", got)
	}
}
