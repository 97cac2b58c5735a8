// Package version has the version of git-trace, which is the same for all of its programs.
package version

import (
	"runtime/debug"
	"strings"
)

// Number is the version without the commit. A release sets it with the linker (-X
// github.com/git-trace/git-trace/internal/version.Number=…).
var Number = "0.1.0-dev"

// Text returns the number, and the commit of the build if it is known: "0.2.0 (4be77d1a2b3c)". In a checkout of a tag,
// the number is the tag's. A program of `go install …@v0.2.0` has no commit, and its version is that of the module.
func Text() string {
	info, _ := debug.ReadBuildInfo() // nil if the build stored none
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
	asked, _, _ = strings.Cut(asked, "+") // vcs.modified gives the same fact as this suffix
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
