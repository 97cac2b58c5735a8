// Package version says which version of git-trace a program is, the same for each of its programs.
package version

import (
	"runtime/debug"
	"strings"
)

// Number is the version without a commit. A release sets it by the linker
// (-X github.com/git-trace/git-trace/internal/version.Number=…).
var Number = "0.1.0-dev"

// Text returns the number with the commit that the program was built from, where the build knew it: "0.2.0
// (4be77d1a2b3c)". In a checkout of a tag the number is the tag's. What `go install …@v0.2.0` built has no commit, and
// its module's version is the program's.
func Text() string {
	info, _ := debug.ReadBuildInfo() // nil where the build left none
	return text(info)
}

func text(info *debug.BuildInfo) string {
	if info == nil {
		return Number
	}
	commit, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = ", changed"
		}
	}
	number := Number
	asked, known := strings.CutPrefix(info.Main.Version, "v")
	asked, _, _ = strings.Cut(asked, "+") // what Go says of a changed checkout, vcs.modified says too
	switch tagged := known && !strings.HasSuffix(asked, "-"+commit); {
	case commit == "" && known:
		return asked
	case commit == "":
		return number
	case tagged && strings.HasSuffix(number, "-dev"):
		number = asked
	}
	return number + " (" + commit + changed + ")"
}
