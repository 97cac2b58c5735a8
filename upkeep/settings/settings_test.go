package settings_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/upkeep/settings"
)

func TestASettingIsNamedInAnyCase(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"trace.autoPush": "trace.autoPush", "AUTOPUSH": "trace.autoPush", "remote.x.tracePrefix": "remote.<name>.tracePrefix",
	} {
		list, err := settings.Named([]string{name})
		if err != nil || len(list) != 1 || list[0].Key != want {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
	}
	if list, err := settings.Named(nil); err != nil || len(list) != len(settings.All) {
		t.Error(len(list), err)
	}
	if _, err := settings.Named([]string{"trace.autoPsh"}); err == nil {
		t.Error("a setting that is not there")
	}
	if list, err := settings.Named([]string{"autoPush", "trace.autopush", "prices"}); err != nil || len(list) != 2 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestValuesAreDrawnAndJudged(t *testing.T) {
	t.Parallel()
	w := recording.New(t)
	for _, pair := range [][2]string{
		{"trace.autoPush", "perhaps"}, {"trace.maxFetched", "2g"}, {"trace.snapshotExpire", "2.weeks.ago"},
		{"trace.ignoreAgent", "nosuch"}, {"remote.origin.traceShare", "commits"}, {"remote.other.traceShare", "everything"},
		{"trace.autoPsuh", "true"},
	} {
		w.Git("config", pair[0], pair[1])
	}
	config, err := w.Repo.Config(t.Context())
	w.Check(err)
	var out bytes.Buffer
	for _, s := range settings.All {
		s.Draw(&terminal.Screen{Out: &out}, config)
	}
	for _, text := range []string{"trace.autoPush  perhaps (default: false)", "origin: commits, other: everything", "trace.prices  not set",
		"trace.shareTimes  not set: exact"} {
		if !strings.Contains(out.String(), text) {
			t.Errorf("%q is missing:\n%s", text, &out)
		}
	}
	var found []string
	for _, f := range settings.Wrong(t.Context(), w.Repo, config) {
		found = append(found, f.Mend)
	}
	all := fmt.Sprint(found)
	for _, key := range []string{"trace.autopush", "trace.ignoreagent", "remote.other.traceshare", "trace.autopsuh"} {
		if !strings.Contains(all, key) {
			t.Errorf("%s is not found: %s", key, all)
		}
	}
	if len(found) != 4 {
		t.Errorf("%s", all)
	}
}
