package checkpoint

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

const sampleID = "b3:00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

func TestAStatementHasOneForm(t *testing.T) {
	t.Parallel()
	want := "traces: checkpoint at 41\n\n{\"event\":\"" + sampleID + "\",\"seq\":41,\"v\":1,\"writer\":\"0123456789abcdef\"}\n"
	s := Statement{Event: sampleID, Seq: 41, Writer: "0123456789abcdef"}
	if s.message() != want {
		t.Errorf("written as %q", s.message())
	}
	if canonical, err := events.Canonical([]byte(want[strings.IndexByte(want, '{'):])); err != nil || string(canonical)+"\n" != want[strings.IndexByte(want, '{'):] {
		t.Errorf("not canonical: %s, %v", canonical, err)
	}
	if got, err := parseMessage(want); err != nil || got != s {
		t.Errorf("read as %+v, %v", got, err)
	}
	for name, replace := range map[string][2]string{
		"another number in the subject": {"at 41", "at 42"}, "a leading zero": {"41", "041"}, "a number beyond the format": {"41", "9007199254740992"},
		"a blank": {`"seq":`, `"seq": `}, "another version": {`"v":1`, `"v":2`}, "another member": {`{`, `{"a":1,`}, "nothing behind it": {"}\n", "}"},
		"more behind it": {"}\n", "}\n\nSigned-off-by: x\n"}, "upper case": {"aabb", "AABB"}, "another subject": {"traces: c", "traces: C"}, "bytes": {"b3", "b\xff"},
	} {
		if got, err := parseMessage(strings.ReplaceAll(want, replace[0], replace[1])); err == nil {
			t.Errorf("%s: read as %+v", name, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	tree := refs.SHA1.EmptyTree().String()
	message := Statement{Event: sampleID, Seq: 41, Writer: "0123456789abcdef"}.message()
	who := "author A <a> 1 +0000\ncommitter A <a> 1 +0000\n"
	f.Add([]byte("tree " + tree + "\n" + who + "gpgsig -----BEGIN SSH SIGNATURE-----\n x\n -----END SSH SIGNATURE-----\n\n" + message))
	f.Add([]byte("tree " + tree + "\nparent " + tree + "\n" + who + "gpgsig -----BEGIN PGP SIGNATURE-----\n\n" + message))
	f.Add([]byte("tree " + tree + "\nparent " + tree + "\nparent " + tree + "\n" + who + "\n" + message))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := parse(refs.SHA1, raw)
		if err == nil && (!strings.HasSuffix(string(raw), s.message()) || s.Seq < 1) {
			t.Errorf("%q was read as %+v", raw, s)
		}
	})
}
