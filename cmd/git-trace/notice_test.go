package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const notice = "../../NOTICE"

// What is linked into git-trace is passed on with it, and its licences ask for their texts to go along: MIT, BSD and
// CC0 so far. NOTICE is made of the modules that `go list` says are linked, on every system; NOTICE_ACCEPT=1 writes it.
func TestTheNoticeHasTheLicenceOfAllThatIsLinked(t *testing.T) {
	t.Parallel()
	made := noticeOf(t)
	if os.Getenv("NOTICE_ACCEPT") != "" {
		if err := os.WriteFile(notice, []byte(made), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(notice)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range linkedModules(t) {
		if !strings.Contains(string(kept), "\n  "+m.path+"\n") {
			t.Errorf("%s is linked and stands not in NOTICE", m.path)
		}
	}
	if string(kept) != made {
		t.Error("NOTICE is not what is linked; NOTICE_ACCEPT=1 go test ./cmd/git-trace -run TestTheNotice writes it anew")
	}
}

type linkedModule struct{ path, dir string }

// linkedModules are the modules that any of the programs is made of.
func linkedModules(t *testing.T) []linkedModule {
	t.Helper()
	var found []linkedModule
	for _, system := range []string{"linux", "darwin", "windows"} {
		list := goList(t, "GOOS="+system, "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}", ".", "../git-trace-serve")
		for line := range strings.Lines(list) {
			if path, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
				found = append(found, linkedModule{path, dir})
			}
		}
	}
	slices.SortFunc(found, func(a, b linkedModule) int { return strings.Compare(a.path, b.path) })
	return slices.Compact(found)
}

var licenceFile = regexp.MustCompile(`^(?i:licen[cs]e|copying|notice|patents)([.-].*)?$`)

// noticeOf writes what has the same text once, under all its names.
func noticeOf(t *testing.T) string {
	t.Helper()
	var texts []string
	names := map[string][]string{}
	add := func(name, dir string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for _, e := range entries {
			if !licenceFile.MatchString(e.Name()) {
				continue
			}
			raw, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			text.WriteString("\n" + strings.Trim(strings.ReplaceAll(string(raw), "\r\n", "\n"), "\n") + "\n")
		}
		if text.Len() == 0 {
			t.Errorf("%s comes without a licence", name)
		}
		if names[text.String()] == nil {
			texts = append(texts, text.String())
		}
		names[text.String()] = append(names[text.String()], name)
	}
	for _, m := range linkedModules(t) {
		if m.path == "golang.org/x/sys" { // by the same authors, under the same licence, and always there as a file
			add("Go's standard library", m.dir)
		}
		add(m.path, m.dir)
	}
	add("the rules of github.com/zricethezav/gitleaks (records/redact/gitleaks/rules.json)", "../../records/redact/gitleaks")
	var out strings.Builder
	out.WriteString("git-trace\n\nLicensed under the Apache License, Version 2.0; its text is in the file LICENSE.\n\n" +
		"The program contains what follows, under these licences. A test makes this file (cmd/git-trace/notice_test.go).\n")
	for _, text := range texts {
		fmt.Fprintf(&out, "\n%s\n\n  %s\n%s", strings.Repeat("-", 80), strings.Join(names[text], "\n  "), text)
	}
	return out.String()
}
