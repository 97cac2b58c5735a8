package hooks

import "strings"

// Manual is what to write into the hooks by hand, for those who let nothing write there: one line a hook, at its top.
func Manual() string {
	var b strings.Builder
	b.WriteString("Add to each of these git hooks, before anything that ends or replaces the script:\n")
	for _, hook := range Names() {
		stdin := " </dev/null"
		if readsInput(hook) {
			stdin = ""
		}
		b.WriteString("\n# " + hook + "\ngit-trace git-hook " + hook + ` "$@"` + stdin + " >/dev/null 2>&1 || :\n")
	}
	b.WriteString("\npost-rewrite reads its standard input: where another program needs it too, give each a copy.\n")
	return b.String()
}
