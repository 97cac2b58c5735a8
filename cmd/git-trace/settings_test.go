package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/upkeep/settings"
)

// docs/settings.md has the table of settings. SETTINGS_ACCEPT=1 writes it.
func TestTheSettingsAreDocumented(t *testing.T) {
	t.Parallel()
	const head = "| key | default | what it does |\n| --- | --- | --- |\n"
	var rows strings.Builder
	for _, s := range settings.All {
		byDefault := ""
		if s.Default != "" {
			byDefault = "`" + s.Default + "`"
		}
		fmt.Fprintf(&rows, "| `%s` | %s | %s |\n", s.Key, byDefault, s.Means)
	}
	page := document(t, "docs/settings.md")
	before, rest, found := strings.Cut(page, head)
	_, after, _ := strings.Cut(rest, "\n\n")
	made := before + head + rows.String() + "\n" + after
	if os.Getenv("SETTINGS_ACCEPT") != "" && found {
		if err := os.WriteFile(filepath.Join(moduleRoot, "docs", "settings.md"), []byte(made), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if page != made {
		t.Error("docs/settings.md is not the table of settings; SETTINGS_ACCEPT=1 writes it anew")
	}
}

// A key that a package reads is a setting that git trace config lists, and one that it lists is read somewhere.
func TestEverySettingThatIsReadIsListed(t *testing.T) {
	t.Parallel()
	key := regexp.MustCompile(`^(?i:trace\.[a-z]+|advice\.trace[a-z]+)$`)
	read := map[string]string{}
	for _, text := range ownTexts(t, moduleRoot) {
		if key.MatchString(text.text) && !strings.Contains(text.where, "upkeep/settings/") &&
			!strings.Contains(text.where, "cmd/git-trace/settings.go:") {
			read[strings.ToLower(text.text)] = text.where
		}
	}
	if len(read) < 10 {
		t.Fatalf("%d keys found", len(read))
	}
	for _, s := range settings.All {
		if _, known := read[strings.ToLower(s.Key)]; !known && !strings.HasPrefix(s.Key, "remote.") {
			t.Errorf("%s is listed, and nothing reads it", s.Key)
		}
		delete(read, strings.ToLower(s.Key))
	}
	for name, file := range read {
		t.Errorf("%s reads %s, which git trace config does not list", file, name)
	}
}
