package main

import (
	"fmt"
	"slices"
	"strings"
)

// history lets conversations and people make commits, some of which are made anew. Of some no hook hears.
func (c *tale) history(talks []*talk, commits int) {
	for range commits {
		c.stretchOf(talks, "")
		c.unheard = c.live && c.rng.Intn(4) == 0
		c.commitAll()
		c.unheard = false
	}
	rewrites := []func(*tale, []*talk, string){(*tale).amends, (*tale).squashes, (*tale).rebases, (*tale).drops, (*tale).picks}
	for _, i := range c.rng.Perm(len(rewrites))[:2] {
		c.made++
		c.unheard = c.live && c.rng.Intn(4) == 0
		rewrites[i](c, talks, fmt.Sprintf("b%d/", c.made))
		if c.unheard {
			if c.unheard = false; c.rng.Intn(3) == 0 { // what is not written down has to be searched for
				c.do("git-trace", "reconcile", "--all")
			}
		}
	}
}

// stretchOf are some edits by conversations and perhaps a person.
func (c *tale) stretchOf(talks []*talk, prefix string) {
	for range 1 + c.rng.Intn(3) {
		t := talks[c.rng.Intn(len(talks))]
		switch c.rng.Intn(4) {
		case 0:
			t.ask()
		case 1:
			t.reads()
		case 2:
			t.fails()
		}
		if c.rng.Intn(4) == 0 {
			t.delegates(prefix)
			continue
		}
		t.writes(prefix)
	}
	if c.rng.Intn(2) == 0 {
		c.types(prefix)
	}
}

// types is a person who writes lines of their own.
func (c *tale) types(prefix string) {
	c.tick()
	for _, path := range c.files() {
		if before := c.get(path); strings.HasPrefix(path, prefix) && len(before) > 3 && c.rng.Intn(3) == 0 {
			at := 1 + c.rng.Intn(len(before)-2)
			c.put(path, slices.Concat(before[:at], []string{c.line("human"), c.line("human")}, before[at:]))
			return
		}
	}
	c.put(fmt.Sprintf("%shand/typed%d.go", prefix, c.count), []string{c.line("human"), c.line("human"), c.line("human")})
}

func (c *tale) commitAll() {
	c.tick()
	c.made++
	c.do("git", "add", "-A")
	c.do("git", "commit", "-q", "--allow-empty", "-m", fmt.Sprint("step ", c.made))
}

func (c *tale) amends(talks []*talk, _ string) {
	c.stretchOf(talks, "")
	c.tick()
	c.do("git", "add", "-A")
	// With the old author's date a backfill looks for whole blocks only (docs/backfill.md, 7): a person's lines may be
	// between.
	c.do("git", "commit", "-q", "--amend", "--reset-author", "-m", fmt.Sprint("amended ", c.made))
}

func (c *tale) branch() string { return strings.TrimSpace(c.run("git", "branch", "--show-current")) }

func (c *tale) squashes(talks []*talk, prefix string) {
	main := c.branch()
	c.do("git", "switch", "-q", "-c", "squash"+prefix[:len(prefix)-1])
	c.stretchOf(talks, prefix)
	c.commitAll()
	c.stretchOf(talks, prefix)
	c.commitAll()
	c.do("git", "switch", "-q", main)
	c.tick()
	c.do("git", "merge", "-q", "--squash", "squash"+prefix[:len(prefix)-1])
	c.do("git", "commit", "-q", "-m", "squashed "+prefix)
	c.do("git", "branch", "-q", "-D", "squash"+prefix[:len(prefix)-1])
}

func (c *tale) rebases(talks []*talk, prefix string) {
	main, topic := c.branch(), "topic"+prefix[:len(prefix)-1]
	c.do("git", "switch", "-q", "-c", topic)
	c.stretchOf(talks, prefix)
	c.commitAll()
	c.stretchOf(talks, prefix)
	c.commitAll()
	c.do("git", "switch", "-q", main)
	c.types("main" + prefix)
	c.commitAll()
	c.do("git", "switch", "-q", topic)
	c.tick()
	c.do("git", "rebase", "-q", main)
	c.do("git", "switch", "-q", main)
	c.do("git", "merge", "-q", "--ff-only", topic)
	c.do("git", "branch", "-q", "-d", topic)
}

func (c *tale) drops(talks []*talk, prefix string) {
	c.stretchOf(talks, prefix)
	c.commitAll()
	c.do("git", "reset", "-q", "--hard", "HEAD~1")
}

func (c *tale) picks(talks []*talk, prefix string) {
	main, side := c.branch(), "side"+prefix[:len(prefix)-1]
	c.do("git", "switch", "-q", "-c", side)
	c.stretchOf(talks, prefix)
	c.commitAll()
	c.do("git", "switch", "-q", main)
	c.types("main" + prefix)
	c.commitAll()
	c.tick()
	c.do("git", "cherry-pick", side)
	if c.rng.Intn(2) == 0 {
		c.do("git", "branch", "-q", "-D", side)
	}
}

// reachable are the commits that a branch leads to, or HEAD.
func (c *tale) reachable() []string {
	return strings.Fields(c.run("git", "rev-list", "HEAD", "--branches"))
}

// heldBy are the lines that commits hold: of each conversation, by commit.
func (c *tale) heldBy(commits []string) map[string]map[string]int {
	out := map[string]map[string]int{}
	c.eachAdded(commits, func(commit, _, writer string) {
		if out[writer] == nil {
			out[writer] = map[string]int{}
		}
		out[writer][commit]++
	})
	return out
}

// eachAdded gives the lines that commits added, with their writers. Those of merges are their parents'.
func (c *tale) eachAdded(commits []string, yield func(commit, path, writer string)) {
	commit, path := "", ""
	args := append([]string{"log", "--no-walk", "--no-merges", "--format=commit %H", "-p", "-U0", "--no-color"}, commits...)
	for line := range strings.Lines(c.run("git", args...)) {
		line = strings.TrimSuffix(line, "\n")
		if id, ok := strings.CutPrefix(line, "commit "); ok {
			commit = id
		} else if name, ok := strings.CutPrefix(line, "+++ b/"); ok {
			path = name
		} else if text, ok := strings.CutPrefix(line, "+"); ok && c.writers[text] != "" {
			yield(commit, path, c.writers[text])
		}
	}
}
