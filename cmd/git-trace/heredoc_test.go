package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestHereDocumentsAreFoundInCommands(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"cat > a.go <<'EOF'\none\n\ttwo\nEOF":                            "a.go = one|\ttwo",
		"cat <<EOF >> 'b c.go'\none\nEOF\necho done":                     "b c.go + one",
		"cd sub && cat >x/y <<\"END\"\n1\nEND\ncat > z <<E\n2\nE":        "sub/x/y = 1; sub/z = 2",
		"tee /abs/f <<'E' >/dev/null\nq\nE":                              "/abs/f = q",
		"tee -a f <<'E'\nq\nE":                                           "f + q",
		"cat > $F <<'E'\nq\nE":                                           "",
		"python3 - <<'E'\nopen('x')\nE":                                  "",
		"cat > cut <<'E'\nno end":                                        "",
		"cat a > b":                                                      "",
		"apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: c\n+x\nEOF": "",
	} {
		var got []string
		for _, e := range hereTexts(command) {
			if len(e.Whole) > 0 {
				got = append(got, fmt.Sprintf("%s = %s", e.Path, strings.Join(e.Whole, "|")))
			} else {
				got = append(got, fmt.Sprintf("%s + %s", e.Path, strings.Join(e.Hunks[0].Lines, "|")))
			}
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%q gives %q, want %q", command, got, want)
		}
	}
}

func FuzzHereTexts(f *testing.F) {
	f.Add("cd sub && cat >x/y <<\"END\"\n1\nEND\ncat > z <<E\n2\nE")
	f.Add("tee -a f <<'E'\nq\nE")
	f.Fuzz(func(t *testing.T, command string) {
		for _, e := range hereTexts(command) {
			if e.Path == "" || len(e.Whole)+len(e.Hunks) == 0 {
				t.Fatalf("%q gives %+v", command, e)
			}
		}
	})
}

func FuzzReplacements(f *testing.F) {
	f.Add([]byte(`{"file_path":"a","old_string":"x","new_string":"y","replace_all":true}`))
	f.Add([]byte(`{"path":"a","edits":[{"oldText":"x","newText":"y"},{"edits":[]}]}`))
	f.Fuzz(func(_ *testing.T, input []byte) { _ = replacements(input) })
}
