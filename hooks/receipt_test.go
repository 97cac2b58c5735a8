package hooks

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestAReceiptNamesEachDirectoryOnce(t *testing.T) {
	t.Parallel()
	r := receipt{}.with(place{Dir: "/a", Made: []string{"/a"}}, "/old")
	more := r.with(place{Dir: "/b"}, "/bin")
	again := more.with(place{Dir: "/a", Shared: true}, "/bin")
	want := receipt{Version: receiptVersion, Binary: "/bin", Places: []place{{Dir: "/a", Shared: true, Made: []string{"/a"}}, {Dir: "/b"}}}
	if !reflect.DeepEqual(again, want) || len(r.Places) != 1 || more.Places[0].Shared {
		t.Errorf("%+v", again)
	}
	if other := again.with(place{Dir: "/a", Made: []string{"/x"}}, "/bin"); !slices.Equal(other.Places[0].Made, []string{"/x"}) {
		t.Errorf("made are %q", other.Places[0].Made)
	}
	for dir, found := range map[string]bool{"/a": true, "/b": true, "/c": false} {
		if at, ok := again.at(dir); ok != found || found && at.Dir != dir {
			t.Errorf("%s: %+v, %v", dir, at, ok)
		}
	}
	if r := decodeReceipt([]byte(`{"version":1,"binary":"/x","places":[{"dir":"h"}]}`)); r.Binary != "/x" || len(r.Places) != 1 {
		t.Errorf("%+v", r)
	}
	for _, text := range []string{`{"version":2,"binary":"/x"}`, `{"version":1,"binary":"/x"`} {
		if r := decodeReceipt([]byte(text)); !reflect.DeepEqual(r, receipt{}) {
			t.Errorf("%s: %+v", text, r)
		}
	}
}

func TestDirectoriesMadeForTheHooksGoAlsoAfterAMove(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.git("config", "core.hooksPath", "../x/hooks")
	w.install()
	w.remove()
	if present(filepath.Join(w.base, "x")) {
		t.Error("directories are left")
	}
	w.git("config", "core.hooksPath", "tools/hooks")
	w.install()
	if receipt := w.read(filepath.Join(w.dir, ".git", "traces", receiptName)); strings.Contains(receipt, w.dir) {
		t.Errorf("the receipt names where the repository is: %s", receipt)
	}
	before := w.dir
	w.dir = filepath.Join(w.base, "moved")
	must(t, os.Rename(before, w.dir))
	w.remove()
	if present(filepath.Join(w.dir, "tools")) {
		t.Error("directories are left after a move")
	}
}

func TestASharedDirectoryIsLeftByTheLastAlsoWithoutReceipts(t *testing.T) {
	one := newWorld(t)
	shared := filepath.Join(one.base, "shared")
	must(t, os.Mkdir(shared, 0o755))
	globally(t, one, "[core]\n\thooksPath = ~/shared\n")
	two := newWorld(t)
	two.binary = one.binary
	one.install()
	two.install()
	one.write(filepath.Join(shared, usersName), one.read(filepath.Join(shared, usersName))+"\n/gone/.git\n", 0o644)
	if got, err := readUsers(shared); err != nil || len(got) != 3 {
		t.Errorf("the users are %q, %v", got, err)
	}
	must(t, os.Remove(filepath.Join(one.dir, ".git", "traces", receiptName)))
	one.remove()
	if !present(filepath.Join(shared, "post-commit")) {
		t.Error("the hooks of the other repository are gone")
	}
	must(t, os.Remove(filepath.Join(two.dir, ".git", "traces", receiptName)))
	if r := two.remove(); !r.Changed() || present(filepath.Join(shared, "post-commit")) || present(filepath.Join(shared, usersName)) {
		t.Errorf("removal by the last did %v", r.Actions)
	}
}

func TestLeavingOthersInASharedDirectory(t *testing.T) {
	one := newWorld(t)
	shared := filepath.Join(one.base, "shared")
	must(t, os.Mkdir(shared, 0o755))
	globally(t, one, "[core]\n\thooksPath = ~/shared\n")
	two, three := newWorld(t), newWorld(t)
	for _, w := range []*world{one, two, three} {
		w.binary = one.binary
		w.install()
	}
	users := filepath.Join(shared, usersName)
	if one.install(); strings.Count(one.read(users), one.dir) != 1 {
		t.Errorf("after a second install the users are %q", one.read(users))
	}
	off := func(w *world) string { return filepath.Join(w.dir, ".git", "traces", offName) }
	r := one.remove()
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "since two other repositories share them") && !strings.Contains(r.Notes[0], "since 2 other repositories share them") {
		t.Errorf("notes are %q", r.Notes)
	}
	if strings.Contains(one.read(users), one.dir) || !strings.Contains(one.read(users), two.dir) || present(off(one)) || r.Changed() {
		t.Errorf("the users are %q, and removal did %v", one.read(users), r.Actions)
	}
	two.write(filepath.Join(two.dir, ".git", "traces", "events"), "", 0o644)
	if r := two.remove(); !present(off(two)) || len(r.Actions) != 1 || r.Actions[0].Path != off(two) {
		t.Errorf("removal where traces remain did %v", r.Actions)
	}
	if r := two.remove(); r.Changed() {
		t.Errorf("the second removal did %v", r.Actions)
	}
	two.install()
	if present(off(two)) {
		t.Error("the hooks stay silent after an install")
	}
}

func TestUsersThatCannotBeReadAreTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if got, err := readUsers(dir); err != nil || len(got) > 0 {
		t.Errorf("without a file the users are %q, %v", got, err)
	}
	must(t, os.Mkdir(filepath.Join(dir, usersName), 0o755))
	if _, err := readUsers(dir); err == nil {
		t.Error("a directory is read as no users")
	}
}

func TestAKeyIsSetUnsetAndPutBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	value := func() string {
		out, _ := w.gitIn(w.dir, "config", "--get", keepKey)
		return strings.TrimSpace(out)
	}
	for _, before := range []string{"", "old"} {
		for _, after := range []string{"", "new"} {
			if before != "" {
				w.git("config", keepKey, before)
			}
			set := &setConfig{in: w.installer(), ctx: t.Context(), scope: "local", key: keepKey, value: after}
			must(t, set.Apply())
			if got := value(); got != after {
				t.Errorf("%q set to %q is %q", before, after, got)
			}
			must(t, set.Revert())
			if got := value(); got != before {
				t.Errorf("%q put back is %q", before, got)
			}
		}
	}
	wrong := &setConfig{in: w.installer(), ctx: t.Context(), scope: "local", key: "nosection", value: "x"}
	if wrong.Apply() == nil {
		t.Error("a key that cannot be is set")
	}
}
