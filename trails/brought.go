package trails

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// `git checkout REV -- PATH`, `git restore --source REV` and `git cherry-pick --no-commit REV` write to the work tree and say
// nowhere what REV was. It may be a commit that was fetched a moment ago, of which the timeline has seen nothing. So it is
// looked for among the newest commits of all refs.

// maxNewest is how many of the newest commits are looked at.
const maxNewest = 512

// newest lists the newest commits that refs lead to, the log and the stashes apart, and those that were fetched last. It is
// asked for where git wrote something that no commit explains which it names itself.
func (s *step) newest() []refs.OID {
	if s.recent != nil {
		return s.recent
	}
	s.recent = []refs.OID{}
	args := []string{
		"rev-list", "--ignore-missing", "--max-count=" + strconv.Itoa(maxNewest),
		"--exclude=refs/traces/*", "--exclude=refs/stash", "--all", "HEAD",
	}
	for _, oid := range operandFile(s.repo, "FETCH_HEAD") {
		args = append(args, oid.String())
	}
	raw, err := s.repo.Git(s.ctx, nil, args...)
	if err != nil {
		return s.recent // such as before the first commit: nothing is known then
	}
	for id := range strings.FieldsSeq(string(raw)) {
		if oid, err := refs.ParseOID(id); err == nil {
			s.recent = append(s.recent, oid)
		}
	}
	return s.recent
}

// foreign lists the newest commits that nobody made in this work tree since it was looked at. Without a reflog that
// cannot be told, and there are none.
func (s *step) foreign(w *gitWork) []refs.OID {
	if w.now.Log == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.newest()), func(oid refs.OID) bool { return w.typed(oid, s.commit) })
}

// maxFruitless is for how many contents no commit is found before the rest are not looked for: a build may write thousands of
// files.
const maxFruitless = 8

// broughtFrom finds a commit that has this very content at this path. Those that were found for other paths come first:
// one command brings many.
func (s *step) broughtFrom(w *gitWork, path string, blob refs.OID) (Source, bool) {
	has := func(commit refs.OID) bool {
		oid, err := s.inCommit(commit, path)
		return err == nil && oid == blob
	}
	if !slices.ContainsFunc(w.brought, has) {
		if w.fruitless == maxFruitless || !s.objects.MayBeStored(blob) { // what no commit has was typed
			return Source{}, false
		}
		list := s.foreign(w)
		i := slices.IndexFunc(list, has)
		if i < 0 {
			w.fruitless++
			return Source{}, false
		}
		w.brought = append(w.brought, list[i])
	}
	return Source{Path: path, Blob: blob, Far: true}, true
}

// maxNamesakes is how many commits with the same message are taken for the one that was picked.
const maxNamesakes = 4

// pickedLoose finds the commits that git may have picked, or taken back, without committing the result. It leaves their
// message for the commit to come (git-cherry-pick(1), --no-commit).
func (s *step) pickedLoose(w *gitWork) []refs.OID {
	if w.now.Message == 0 || w.now.Message == w.before.Message || w.now.Replays != "" || !s.now.Squash.IsZero() {
		return nil
	}
	raw, err := os.ReadFile(filepath.Join(s.repo.GitDir, "MERGE_MSG"))
	if err != nil {
		return nil
	}
	message := string(bytes.TrimSpace(raw))
	if oid := revertedBy(message); !oid.IsZero() {
		return []refs.OID{oid}
	}
	return s.namesakes(w, message, func(refs.Signature) bool { return true })
}

// pickedByHand finds the commits that one was picked from of which the reflog says that somebody committed a pick, for it had
// stopped (git-cherry-pick(1), --continue). Git keeps the author and his date then.
func (s *step) pickedByHand(w *gitWork, made logStep) []refs.OID {
	if made.verb != "commit (cherry-pick)" {
		return nil
	}
	commit, err := s.objects.Commit(made.new)
	if err != nil {
		return nil
	}
	return s.namesakes(w, commit.Message, sameAuthor(commit.Author))
}

// namesakes lists the newest foreign commits of whose message another one was made, by an author that will do.
func (s *step) namesakes(w *gitWork, message string, by func(refs.Signature) bool) []refs.OID {
	var out []refs.OID
	for _, oid := range s.foreign(w) {
		commit, err := s.objects.Commit(oid)
		if err != nil || !by(commit.Author) {
			continue
		}
		said := strings.TrimSpace(commit.Message)
		if said != "" && strings.HasPrefix(message, said) { // -x and conflicts add to it
			if out = append(out, oid); len(out) == maxNamesakes {
				break
			}
		}
	}
	return out
}
