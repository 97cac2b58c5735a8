package process

import "strings"

// Elsewhere reports whether the system shows that all processes of a list work outside of a directory: each of them
// works elsewhere or serves others, and has no file in the directory open for writing. An example is the daemon of a
// build.
func Elsewhere(list []Process, dir string) bool {
	within := func(name string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }
	for _, p := range list {
		at := directoryOf(p.PID)
		if at == "" || within(at) && !listens(p.PID) {
			return false
		}
		for _, file := range filesOf(p.PID) {
			if file.writes && within(file.name) {
				return false
			}
		}
	}
	return len(list) > 0
}
