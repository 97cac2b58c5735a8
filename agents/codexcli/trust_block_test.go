package codexcli

import "testing"

// What is taken out is what was allowed of one repository's hooks; another one's stays, though its path begins alike.
func TestTheHooksOfOneFileAreTakenOut(t *testing.T) {
	t.Parallel()
	table := func(path, hook string) string {
		return "[hooks.state." + quoteTOML(path+":"+hook) + "]\ntrusted_hash = \"" + hook + "\"\n"
	}
	a, again, longer, b := table("/a/hooks.json", "x"), table("/a/hooks.json", "y"), table("/a/hooks.json2", "x"), table("/b/hooks.json", "x")
	for name, tt := range map[string]struct{ block, want string }{
		"it alone":                   {a, ""},
		"all of its hooks":           {a + again, ""},
		"beside another's":           {a + b, b},
		"behind another's":           {b + a, b},
		"between others":             {b + a + longer, b + longer},
		"not one whose name goes on": {longer, longer},
		"nothing is there":           {"", ""},
	} {
		if got := withoutHooks(tt.block, "/a/hooks.json"); got != tt.want {
			t.Errorf("%s: %q is left, want %q", name, got, tt.want)
		}
	}
}
