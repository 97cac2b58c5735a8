package sharing

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
)

// membersOf are the names in JSON of a type, with those of what is in it.
func membersOf(t reflect.Type, before string) []string {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || !strings.HasPrefix(t.PkgPath(), "github.com/git-trace/git-trace/events") &&
		!strings.HasPrefix(t.PkgPath(), "github.com/git-trace/git-trace/records") {
		return nil
	}
	var out []string
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		out = append(append(out, before+name), membersOf(t.Field(i).Type, before+name+".")...)
	}
	return out
}

// A member that is not on the list cannot leave by being forgotten: whoever adds one says at which level it does.
func TestEveryMemberIsOnTheList(t *testing.T) {
	t.Parallel()
	onList := map[string][]string{}
	for _, leaf := range Leaves() {
		of := []string{leaf.Of}
		if leaf.Of != everyEvent {
			of = strings.Fields(leaf.Of)
		}
		for _, one := range of {
			for name := range strings.FieldsSeq(leaf.Members) {
				if slices.Contains(onList[one], name) {
					t.Errorf("%s of %s is there twice", name, one)
				}
				onList[one] = append(onList[one], name)
			}
		}
	}
	same := func(of string, have []string) {
		t.Helper()
		for _, name := range have {
			if !slices.Contains(onList[of], name) {
				t.Errorf("%s: %s is not on the list of what leaves", of, name)
			}
		}
		for _, name := range onList[of] {
			if !slices.Contains(have, name) {
				t.Errorf("%s: there is no %s", of, name)
			}
		}
	}
	for of, data := range map[events.Type]any{
		events.LogStarted: events.LogStartedData{}, events.SessionStarted: events.SessionData{}, events.SessionEnded: events.SessionData{},
		events.PromptSubmitted: events.PromptData{}, events.WindowOpened: events.WindowData{}, events.WindowClosed: events.WindowData{},
		events.WindowAbandoned: events.WindowData{}, events.SnapshotTaken: events.SnapshotData{}, events.PatchRecorded: events.PatchData{},
		events.TurnEnded: events.TurnData{}, events.CaptureIncomplete: events.IncompleteData{}, events.CommitAnchored: events.CommitData{},
		events.CommitRewritten: events.RewriteData{}, events.CheckpointSigned: events.CheckpointData{}, events.RecordStored: events.RecordData{},
		events.LogPurged: events.PurgeData{}, events.OutcomeNoted: events.NoteData{},
	} {
		same(string(of), membersOf(reflect.TypeOf(data), ""))
	}
	same("record", membersOf(reflect.TypeFor[records.Record](), ""))
	for _, name := range membersOf(reflect.TypeFor[events.Draft](), "") {
		if name != "data" && !slices.Contains(onList[everyEvent], name) {
			t.Errorf("every event: %s is not on the list", name)
		}
	}
	for _, name := range membersOf(reflect.TypeFor[events.PublicationHead](), "") {
		if top, _, _ := strings.Cut(name, "."); !slices.Contains(onList["publication"], top) {
			t.Errorf("publication: %s is not on the list", name)
		}
	}
	for _, of := range digestTypes {
		if len(members(of)) == 0 {
			t.Errorf("nothing of %s may leave, and a digest has it", of)
		}
	}
}

// The page of the documents has the words of the list.
func TestThePageOfPrivacyIsMadeOfTheList(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/privacy.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "| level | leaves |\n| --- | --- |\n"
	for i, level := range Levels {
		more := "and "
		if i == 0 {
			more = ""
		}
		want += "| `" + string(level) + "` | " + more + strings.Join(Told(level), ", ") + " |\n"
	}
	_, rest, _ := strings.Cut(string(page), "<!-- leaves -->\n")
	if got, _, _ := strings.Cut(rest, "<!-- /leaves -->"); got != want {
		t.Errorf("docs/privacy.md has\n%s\nand the list says\n%s", got, want)
	}
}

// Attacks F9: no commit that is not published, no tree of the work tree, and nothing that a later version adds.
func TestADigestTellsWhatIsOnTheList(t *testing.T) {
	t.Parallel()
	for of, test := range map[events.Type][2]string{
		events.SessionStarted:  {`{"head":"11","model":"m","source":"startup","tree":"22"}`, `{"model":"m","source":"startup"}`},
		events.SessionEnded:    {`{"head":"11","tree":"22"}`, `{}`},
		events.RecordStored:    {`{"blob":"b","commit":"c","generation":1}`, `{"blob":"b","generation":1}`},
		events.LogPurged:       {`{"changed":1,"traces":["t"],"what":"text"}`, `{"changed":1,"what":"text"}`},
		events.PromptSubmitted: {`{"chars":3,"index":1,"kind":"user","text":"a later version"}`, `{"chars":3,"index":1,"kind":"user"}`},
		events.TurnEnded:       {`{"tree":"22"}`, `{}`},
	} {
		if got := string(listed(of, json.RawMessage(test[0]))); got != test[1] {
			t.Errorf("%s: %s leaves", of, got)
		}
	}
}
