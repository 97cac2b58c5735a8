package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// awkward are directories whose names mean something to the formats of services.
var awkward = []string{"plain", "with spaces", "100%", "$HOME", `it's "quoted"`, `back\slash`, "<&>", "-- > ü"}

func TestTheUnitIsAcceptedBySystemd(t *testing.T) {
	t.Parallel()
	const program = "systemd-analyze" //nolint:misspell // that is its name
	analyse, err := exec.LookPath(program)
	if err != nil {
		t.Skip(program + " is not here")
	}
	for _, name := range awkward {
		top := testenv.TempDir(t)
		dir, run := filepath.Join(top, name), filepath.Join(top, "run")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(run, 0o700); err != nil {
			t.Fatal(err)
		}
		binary := filepath.Join(dir, "git-trace")
		if err := os.WriteFile(binary, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		unit := filepath.Join(top, serviceName(dir)+".service")
		if err := os.WriteFile(unit, []byte(systemdUnit(binary, dir)), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(analyse, "verify", "--user", "--man=no", unit)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+run)
		out, err := cmd.CombinedOutput()
		if strings.Contains(string(out), "Failed to initialize manager") {
			t.Skipf("%s does not run here: %s", program, out)
		}
		if err != nil || strings.Contains(string(out), filepath.Base(unit)+":") {
			t.Errorf("%q: %v: %s", name, err, out)
		}
	}
}

func TestThePropertyListNamesTheProgramAndTheDirectory(t *testing.T) {
	t.Parallel()
	for _, name := range awkward {
		dir := "/home/dev/" + name
		text := launchdList(dir+"/git-trace", dir)
		if !strings.HasPrefix(text, "<?xml ") {
			t.Errorf("%q: something stands before the declaration: %s", name, text)
		}
		keys, strs := plist(t, text)
		if want := []string{serviceName(dir), dir + "/git-trace", "-C", dir, "watch"}; !slices.Equal(strs, want) {
			t.Errorf("%q: strings are %q, want %q", name, strs, want)
		}
		if want := []string{"Label", "ProgramArguments", "RunAtLoad", "KeepAlive", "SuccessfulExit"}; !slices.Equal(keys, want) {
			t.Errorf("%q: keys are %q", name, keys)
		}
	}
}

// plist gives the keys and the strings of a property list, in order.
func plist(t *testing.T, text string) (keys, strs []string) {
	t.Helper()
	in := xml.NewDecoder(strings.NewReader(text))
	element := ""
	for {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			return keys, strs
		}
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		switch token := token.(type) {
		case xml.StartElement:
			element = token.Name.Local
		case xml.EndElement:
			element = ""
		case xml.CharData:
			switch element {
			case "key":
				keys = append(keys, string(token))
			case "string":
				strs = append(strs, string(token))
			}
		}
	}
}

func TestEachWorkTreeHasAServiceOfItsOwn(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, dir := range []string{"/a/x", "/b/x", "/a/x y", "/a/x-y", "/a/" + strings.Repeat("ü", 10), "/"} {
		name := serviceName(dir)
		if seen[name] != "" || !regexp.MustCompile("^git-trace-watch(-[A-Za-z0-9]+)*-[0-9a-f]{6}$").MatchString(name) {
			t.Errorf("%q is watched by %q, and so is %q", dir, name, seen[name])
		}
		seen[name] = dir
	}
}
