package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// A real Neovim tells what was typed and what was accepted: text of a register, a formatter and a reload is not typed.
func TestNeovimTellsWhatWasTypedAndAccepted(t *testing.T) {
	testenv.Needs(t, "nvim")
	program, dir := demo(t)
	client, err := filepath.Abs("../../packaging/editors/neovim")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	add := exec.Command("git", "add", "a.go")
	add.Dir = dir
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	look := exec.Command(program, "hook", "generic", "session-start")
	look.Dir, look.Stdin = dir, strings.NewReader(fmt.Sprintf(`{"session":"s1","cwd":%q}`, dir))
	if out, err := look.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	keys := strings.NewReplacer("CLIENT", fmt.Sprintf("%q", client), "PROGRAM", fmt.Sprintf("%q", program)).
		Replace(read(t, "testdata/told.lua"))
	script := filepath.Join(testenv.TempDir(t), "told.lua")
	if err := os.WriteFile(script, []byte(keys), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	nvim := exec.CommandContext(ctx, "nvim", "--headless", "-u", "NONE", "-i", "NONE", "-c", "luafile "+script)
	nvim.Dir = dir
	if out, err := nvim.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	blame := exec.Command(program, "blame", "--json", "a.go")
	blame.Dir = dir
	out, err := blame.Output()
	if err != nil {
		t.Fatal(err)
	}
	var told struct {
		Lines []struct{ Contributor, Agent, Evidence, Content string }
	}
	if err := json.Unmarshal(out, &told); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, l := range told.Lines {
		evidence := l.Evidence
		if l.Contributor != "human" {
			evidence = l.Agent
		}
		fmt.Fprintf(&got, "%s %s | %s\n", l.Contributor, evidence, l.Content)
	}
	want := `human watched | package a
mixed copilot | func add(a, b int) int {
ai copilot | 	return a + b
ai copilot | }
human reformatted | // typed  on
human seen_typing | a line
mixed codeium | func mul(x, y int, z float64) int {
ai codeium | 	return x * y
ai codeium | }
human seen_typing | no offer	here
human watched | package a // pasted
human watched | package a
human watched | 
human seen_typing | of the person, then accepted
human seen_typing | given
human watched | // by a formatter
human watched | // from elsewhere
human seen_typing | // typed last
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}
