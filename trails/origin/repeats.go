package origin

import (
	"bytes"
	"slices"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// `again` caches the findings about commits that the anchored commit may repeat. Its fields are nil until they are
// needed.
type again struct {
	maybe   *bool
	repeats map[refs.OID]bool
}

// wholeOf reports whether the anchored commit changes all paths that an earlier commit changed.
func (c *Case) wholeOf(x, before refs.OID) bool {
	changed, err := c.Git.Changed(before, x)
	return err == nil && !slices.ContainsFunc(changed, func(one snapshot.Change) bool {
		return !slices.Contains(c.Paths, one.Path)
	})
}

// maxRedone limits the number of commits with one of the contents that are compared completely.
const maxRedone = 4

// A pick that is not committed at once (git-cherry-pick(1), --no-commit) leaves no trace if no look comes in between.
// It removes and adds the same lines as the picked commit, perhaps in other files. A commit repeats another one if it
// changes the same lines, all of them and no others. If only some of them are equal, they may have been typed.

// These bound the search: the contents of a path, and the paths of a commit.
const (
	maxHolders  = 8
	maxRepeated = 64
)

// tellingLine is the least number of characters, without white space, in one of the new lines: anybody may type a
// brace.
const tellingLine = 8

// `repeated` finds the content of the path in a commit that the anchored one repeats.
func repeated(q *Query) ([]Candidate, error) {
	if q.Commit.IsZero() || q.base().IsZero() || q.Old.Whole || q.New.Whole || q.New.OID.IsZero() || q.Reported {
		return nil, nil
	}
	holders := q.holders(q.Path, q.Old.OID, changeOf(q.Old.Lines, q.New.Lines).added)
	// in this order: mayRepeat reads the commits' contents, and holders are already known
	if len(holders) == 0 || !q.mayRepeat() {
		return nil, nil
	}
	tries := 0
	for _, x := range q.Git.Newest() {
		blob, err := q.Git.Blob(x, q.Path)
		if err != nil || !slices.Contains(holders, blob) || x == q.Commit {
			continue
		}
		if q.repeats(x) {
			return []Candidate{{Path: q.Path, Blob: blob, Trust: Far}}, nil
		}
		if tries++; tries == maxRedone {
			break
		}
	}
	return nil, nil
}

// mayRepeat reports whether the new lines of all paths of the commit were seen at those paths before. Nearly no commit
// passes this test, so git is seldom started.
func (c *Case) mayRepeat() bool {
	if c.again.maybe == nil {
		maybe := c.seenBefore()
		c.again.maybe = &maybe
	}
	return *c.again.maybe
}

func (c *Case) seenBefore() bool {
	if len(c.Paths) > maxRepeated {
		return false
	}
	telling := false
	for _, path := range c.Paths {
		before, now, err := c.inBoth(c.base(), c.Commit, path)
		if err != nil {
			return false
		}
		if now.OID.IsZero() {
			continue
		}
		if before.Whole || now.Whole {
			if _, known := c.Memory.Get(path, now.OID); !known {
				return false
			}
			continue
		}
		added := changeOf(before.Lines, now.Lines).added
		if len(c.holders(path, before.OID, added)) == 0 {
			return false
		}
		telling = telling ||
			slices.ContainsFunc(added, func(l []byte) bool { return len(linediff.StripSpace(l)) >= tellingLine })
	}
	return telling
}

// inBoth reads the contents of two commits at a path.
func (c *Case) inBoth(a, b refs.OID, path string) (first, second Text, err error) {
	var texts [2]Text
	for i, commit := range [2]refs.OID{a, b} {
		blob, err := c.Git.Blob(commit, path)
		if err == nil {
			texts[i], err = c.Text(blob)
		}
		if err != nil {
			return first, second, err
		}
	}
	return texts[0], texts[1], nil
}

// holders lists the earlier contents of a path, except `other`, that have all the given lines.
func (c *Case) holders(path string, other refs.OID, lines [][]byte) []refs.OID {
	var out []refs.OID
	for _, blob := range c.Memory.Blobs(path, maxHolders) {
		if blob == other {
			continue
		}
		if t, err := c.Text(blob); err == nil && !t.Whole && holdsAll(t.Lines, lines) {
			out = append(out, blob)
		}
	}
	return out
}

// `repeats` reports whether the commit being anchored makes the same change as another commit, or as a whole branch up
// to it.
func (c *Case) repeats(x refs.OID) bool {
	if done, asked := c.again.repeats[x]; asked {
		return done
	}
	if c.again.repeats == nil {
		c.again.repeats = map[refs.OID]bool{}
	}
	c.again.repeats[x] = false
	made, err := c.Git.Commit(x)
	if err != nil || len(made.Parents) != 1 {
		return false
	}
	fork, found := c.Git.MergeBase(c.Commit, x)
	if !found || fork == x {
		return false // the history already has it
	}
	for _, before := range []refs.OID{made.Parents[0], fork} {
		differs := func(path string) bool { return !c.sameChange(before, x, path) }
		if !slices.ContainsFunc(c.Paths, differs) && c.wholeOf(x, before) {
			c.again.repeats[x] = true
			break
		}
	}
	return c.again.repeats[x]
}

// sameChange reports whether the change of a path between two commits is the same as in the anchored commit.
func (c *Case) sameChange(before, x refs.OID, path string) bool {
	old, brought, err := c.inBoth(before, x, path)
	if err != nil {
		return false
	}
	base, now, err := c.inBoth(c.base(), c.Commit, path)
	if err != nil {
		return false
	}
	if old.OID == base.OID && brought.OID == now.OID {
		return true
	}
	if old.Whole || brought.Whole || base.Whole || now.Whole {
		return false
	}
	there, here := changeOf(old.Lines, brought.Lines), changeOf(base.Lines, now.Lines)
	return slices.EqualFunc(there.removed, here.removed, bytes.Equal) &&
		slices.EqualFunc(there.added, here.added, bytes.Equal)
}

// lineChange holds the lines that a change removes and adds, at any place.
type lineChange struct{ removed, added [][]byte }

func changeOf(from, to [][]byte) lineChange {
	var c lineChange
	for _, h := range linediff.Diff(from, to, linediff.Options{}).Hunks {
		c.removed = append(c.removed, from[h.OldStart:h.OldStart+h.OldCount]...)
		c.added = append(c.added, to[h.NewStart:h.NewStart+h.NewCount]...)
	}
	return c
}

// holdsAll reports whether a content has all of some lines.
func holdsAll(content, lines [][]byte) bool {
	there := make(map[string]bool, len(content))
	for _, l := range content {
		there[string(l)] = true
	}
	return !slices.ContainsFunc(lines, func(l []byte) bool { return !there[string(l)] })
}
