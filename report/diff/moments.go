package diff

import (
	"errors"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// Snapshot is the tree of a moment, or of the present work tree.
type Snapshot struct {
	Tree refs.OID
	Side Side
}

// ErrMergeBase is the error for a merge base of two moments of conversations.
var ErrMergeBase = errors.New("moments of a conversation have no merge base")

// MayNameMoments reports whether a word may name a prompt, a step or a call. Callers that need the log only for moments
// ask this first, because opening the log takes time.
func (o *Options) MayNameMoments() bool {
	return slices.ContainsFunc(o.words, func(word string) bool { return strings.ContainsAny(word, "#:_") })
}

// FindMoments resolves words that may name a prompt, a step or a call: M, M1..M2, and M^! for the changes from its
// beginning to its end. It leaves words that the function `find` does not know to git. The result `work` reports
// whether a moment is compared with the work tree: then the caller must call [Options.CompareWith].
func (o *Options) FindMoments(find func(word string, after bool) (s Snapshot, known bool, err error)) (
	work bool, err error,
) {
	moments, revs := 0, 0
	for _, word := range slices.Clone(o.words) {
		names, after := []string{word}, []bool{o.After}
		if whole, all := strings.CutSuffix(word, "^!"); all {
			names, after = []string{whole, whole}, []bool{false, true}
		} else if a, b, two := strings.Cut(word, ".."); two && a != "" && b != "" {
			names, after = []string{a, b}, []bool{o.After, o.After}
		}
		revs += len(names)
		var trees []string
		for i, name := range names {
			s, known, err := find(strings.TrimPrefix(name, "."), after[i])
			if err != nil {
				return false, err
			}
			if !known {
				trees = append(trees, name)
				continue
			}
			if strings.HasPrefix(name, ".") || o.mergeBase {
				return false, ErrMergeBase
			}
			moments++
			trees = append(trees, o.stand(s))
		}
		if !slices.Equal(trees, names) {
			o.replace(word, trees)
		}
	}
	return moments == 1 && revs == 1 && !o.cached, nil
}

// CompareWith compares with a snapshot of the work tree instead of the work tree, because git would leave out untracked
// files.
func (o *Options) CompareWith(now refs.OID) {
	for word := range o.moments {
		o.replace(word, []string{word, now.String()})
	}
	o.stand(Snapshot{now, Side{Kind: Work}})
}

// stand notes the snapshot of a moment, and returns its tree id as the word for git. Two moments with one tree have no
// difference.
func (o *Options) stand(s Snapshot) string {
	if o.moments == nil {
		o.moments = map[string]Side{}
	}
	o.moments[s.Tree.String()] = s.Side
	return s.Tree.String()
}

// replace replaces a word before the paths by other words.
func (o *Options) replace(word string, by []string) {
	for _, list := range []*[]string{&o.words, &o.git} {
		at := slices.Index(*list, word)
		*list = slices.Replace(slices.Clone(*list), at, at+1, by...)
	}
}
