package trails

import (
	"bytes"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/origin"
)

// What redoes says of files holds of lines where git merges: the pick of a commit that was not committed at once
// (git-cherry-pick(1), --no-commit) takes away and puts in what that commit did, in files that are not the same. A
// commit that changes line for line what another one changed, all of it and nothing else, counts as that one over
// again; a part of it may have been typed.

// How far it is looked for: in so many contents that a path had, for a commit of so many paths.
const (
	maxEarlier  = 8
	maxRepeated = 64
)

// tellingLine is how many characters, white space apart, one of the new lines must have: anybody types a brace.
const tellingLine = 8

// repeated finds what a path has in a commit that the one being anchored is over again.
func (s *step) repeated(f *file) (origin.Candidate, bool) {
	if s.commit.IsZero() || s.base.IsZero() || f.old.whole || f.new.whole || f.new.oid.IsZero() {
		return origin.Candidate{}, false
	}
	if tool, _ := s.reported(f.path); tool != nil {
		return origin.Candidate{}, false
	}
	holders := s.holders(f.path, f.old.oid, changeOf(f.old.lines, f.new.lines).added)
	// in this order: the second reads what the commits have, the first has it here
	if len(holders) == 0 || !s.mayRepeat() {
		return origin.Candidate{}, false
	}
	tries := 0
	for _, x := range s.facts.Newest() {
		blob, err := s.facts.Blob(x, f.path)
		if err != nil || !slices.Contains(holders, blob) || x == s.commit {
			continue
		}
		if s.repeats(x) {
			return origin.Candidate{Path: f.path, Blob: blob, Trust: origin.Far}, true
		}
		if tries++; tries == maxRedone {
			break
		}
	}
	return origin.Candidate{}, false
}

// mayRepeat tells whether the new lines of all paths of the commit were seen at those paths before. No program is
// started as long as they were not, as with nearly every commit.
func (s *step) mayRepeat() bool {
	if s.maybe == nil {
		maybe := s.seenBefore()
		s.maybe = &maybe
	}
	return *s.maybe
}

func (s *step) seenBefore() bool {
	if len(s.paths) > maxRepeated {
		return false
	}
	telling := false
	for _, path := range s.paths {
		before, now, err := s.inBoth(s.base, s.commit, path)
		if err != nil {
			return false
		}
		if now.oid.IsZero() {
			continue
		}
		if before.whole || now.whole {
			if _, known := s.known.Get(path, now.oid); !known {
				return false
			}
			continue
		}
		added := changeOf(before.lines, now.lines).added
		if len(s.holders(path, before.oid, added)) == 0 {
			return false
		}
		telling = telling ||
			slices.ContainsFunc(added, func(l []byte) bool { return len(linediff.StripSpace(l)) >= tellingLine })
	}
	return telling
}

// inBoth reads what two commits have at a path.
func (s *step) inBoth(a, b refs.OID, path string) (first, second text, err error) {
	var texts [2]text
	for i, commit := range [2]refs.OID{a, b} {
		blob, err := s.facts.Blob(commit, path)
		if err == nil {
			texts[i], err = s.read(0, blob)
		}
		if err != nil {
			return first, second, err
		}
	}
	return texts[0], texts[1], nil
}

// holders lists the contents that a path had, other than one, that have all of some lines.
func (s *step) holders(path string, other refs.OID, lines [][]byte) []refs.OID {
	var out []refs.OID
	for _, blob := range s.known.Blobs(path, maxEarlier) {
		if blob == other {
			continue
		}
		if t, err := s.read(0, blob); err == nil && !t.whole && holdsAll(t.lines, lines) {
			out = append(out, blob)
		}
	}
	return out
}

// repeats tells whether the commit being anchored changes what another commit changed, or what a whole branch did up to
// it.
func (s *step) repeats(x refs.OID) bool {
	if done, asked := s.repeating[x]; asked {
		return done
	}
	if s.repeating == nil {
		s.repeating = map[refs.OID]bool{}
	}
	s.repeating[x] = false
	commit, err := s.facts.Commit(x)
	if err != nil || len(commit.Parents) != 1 {
		return false
	}
	out, err := s.repo.Git(s.ctx, nil, "merge-base", s.commit.String(), x.String())
	if err != nil {
		return false
	}
	fork, err := refs.ParseOID(strings.TrimSpace(string(out)))
	if err != nil || fork == x {
		return false // it is in the history already
	}
	for _, before := range []refs.OID{commit.Parents[0], fork} {
		differs := func(path string) bool { return !s.sameChange(before, x, path) }
		if !slices.ContainsFunc(s.paths, differs) && s.wholeOf(x, before) {
			s.repeating[x] = true
			break
		}
	}
	return s.repeating[x]
}

// sameChange tells whether a path changes between two commits as it does in the one being anchored.
func (s *step) sameChange(before, x refs.OID, path string) bool {
	old, brought, err := s.inBoth(before, x, path)
	if err != nil {
		return false
	}
	base, now, err := s.inBoth(s.base, s.commit, path)
	if err != nil {
		return false
	}
	if old.oid == base.oid && brought.oid == now.oid {
		return true
	}
	if old.whole || brought.whole || base.whole || now.whole {
		return false
	}
	there, here := changeOf(old.lines, brought.lines), changeOf(base.lines, now.lines)
	return slices.EqualFunc(there.removed, here.removed, bytes.Equal) &&
		slices.EqualFunc(there.added, here.added, bytes.Equal)
}

// lineChange is what a change takes away and puts in, wherever that is.
type lineChange struct{ removed, added [][]byte }

func changeOf(from, to [][]byte) lineChange {
	var c lineChange
	for _, h := range linediff.Diff(from, to, linediff.Options{}).Hunks {
		c.removed = append(c.removed, from[h.OldStart:h.OldStart+h.OldCount]...)
		c.added = append(c.added, to[h.NewStart:h.NewStart+h.NewCount]...)
	}
	return c
}

// holdsAll tells whether a content has all of some lines.
func holdsAll(content, lines [][]byte) bool {
	there := make(map[string]bool, len(content))
	for _, l := range content {
		there[string(l)] = true
	}
	return !slices.ContainsFunc(lines, func(l []byte) bool { return !there[string(l)] })
}
