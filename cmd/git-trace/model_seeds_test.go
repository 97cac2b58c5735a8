package main

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// modelSeeds are runs in which somebody else's line was found once, and for which there is no shorter scenario. Where a
// process dies in them changes with what it does: those that killed processes are about have a story of killStories
// too.
var modelSeeds = map[string][]uint64{
	"killed": {7944, 8029, 8302, 8342, 8390},
	"living": {431},
	"shaped": {260, 1010, 1108, 1201, 1242},
}

func TestModelSeedsThatFailed(t *testing.T) {
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	for name, seeds := range modelSeeds {
		for _, seed := range seeds {
			t.Run(fmt.Sprintf("%s %d", name, seed), func(t *testing.T) {
				p := profiles[slices.IndexFunc(profiles, func(p profile) bool { return p.name == name })]
				reportRun(t, inScratch(t, seed, p, 40, func(int) bool { return true }), map[string]int{})
			})
		}
	}
}
