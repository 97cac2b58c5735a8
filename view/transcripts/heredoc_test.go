package transcripts

import (
	"encoding/json"
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

func TestPatchesOfModelsAreReplacements(t *testing.T) {
	t.Parallel()
	patch := "*** Begin Patch\n*** Update File: cart.go\n*** Move to: basket.go\n@@ func A\n package shop\n-type Cart struct{}\n+type Basket struct{}\n" +
		"@@\n-gone\n*** Add File: doc.go\n+new\n*** Update File: sub/cart.go\n+only\n*** End Patch\n"
	for path, want := range map[string]string{
		"/home/dev/cart.go":   `[{package shop|type Cart struct{}| package shop|type Basket struct{}| false} {gone|  false}]`,
		"/home/dev/basket.go": `[{package shop|type Cart struct{}| package shop|type Basket struct{}| false} {gone|  false}]`,
		"/home/dev/doc.go":    `[]`,
		"/home/sub/cart.go":   `[{package shop|type Cart struct{}| package shop|type Basket struct{}| false} {gone|  false}]`,
	} {
		raw, err := json.Marshal(map[string]any{"input": patch})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(fmt.Sprint(patchReplacements(raw, path)), "\n", "|")
		if got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func FuzzPatchReplacements(f *testing.F) {
	f.Add("*** Begin Patch\n*** Update File: a\n@@\n x\n-y\n+z\n*** End Patch", "/a")
	f.Fuzz(func(t *testing.T, patch, path string) {
		raw, err := json.Marshal(map[string]any{"patch": patch})
		if err != nil {
			t.Skip()
		}
		for _, r := range patchReplacements(raw, path) {
			if r.Old == "" {
				t.Fatalf("%q replaces nothing", patch)
			}
		}
	})
}
