package sharing

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Stray describes traces fetched from a remote that no longer exists. `git remote rename` does not change the refs of
// traces and their fetch lines; `git remote remove` leaves the refs.
type Stray struct {
	Label string // the name that the remote had
	To    string // present name of the remote; empty if it was removed
	Refs  int
}

// Strays lists the stray traces, by their names.
func Strays(ctx context.Context, log *events.Log) ([]Stray, error) {
	if !log.MayHaveFetched() {
		return nil, nil
	}
	s, err := ReadSettings(ctx, log.Repo())
	if err != nil {
		return nil, err
	}
	fetched, err := log.Fetched(ctx)
	if err != nil {
		return nil, err
	}
	of := map[string]int{}
	for _, f := range fetched {
		if !f.Aside && f.Writer != "" {
			of[f.Remote]++
		}
	}
	var out []Stray
	for label, n := range of {
		if !slices.Contains(s.names, label) && !strings.HasPrefix(label, "url-") && s.shared(log.Repo(), label) {
			out = append(out, Stray{Label: label, Refs: n})
		}
	}
	slices.SortFunc(out, func(a, b Stray) int { return strings.Compare(a.Label, b.Label) })
	var idle []string // remotes with a level and without fetched refs: one of them may be the former remote
	for _, name := range s.names {
		if of[name] == 0 && s.remote(name).Share != LevelNone {
			idle = append(idle, name)
		}
	}
	for i := range out {
		for _, name := range s.names {
			if len(s.fetching(name, out[i].Label)) > 0 {
				out[i].To = name
			}
		}
		if out[i].To == "" && len(out) == 1 && len(idle) == 1 {
			out[i].To = idle[0]
		}
	}
	return out, nil
}

// `shared` reports whether traces were pulled from, or pushed to, a remote of that name. Refs that somebody fetched to
// another place are not touched.
func (s *Settings) shared(repo *refs.Repo, label string) bool {
	if _, err := os.Lstat(seenPath(repo, Remote{Label: label})); err == nil {
		return true
	}
	return slices.ContainsFunc(s.names, func(name string) bool { return len(s.fetching(name, label)) > 0 })
}

// fetching returns the refspecs that fetch traces of a remote to the refs of a label.
func (s *Settings) fetching(name, label string) []string {
	var out []string
	for _, line := range s.always.All("remote." + name + ".fetch") {
		if strings.Contains(line, ":"+events.FetchedRef(label, "", "")) {
			out = append(out, line)
		}
	}
	return out
}

// Gather renames strays to the present name of their remote. It deletes the strays of a removed remote.
func Gather(ctx context.Context, log *events.Log, strays []Stray) error {
	s, err := ReadSettings(ctx, log.Repo())
	if err != nil {
		return err
	}
	for _, one := range strays {
		if err := gather(ctx, log.Repo(), s, one); err != nil {
			return fmt.Errorf("gather what was fetched from %s: %w", one.Label, err)
		}
	}
	return nil
}

func gather(ctx context.Context, repo *refs.Repo, s *Settings, one Stray) error {
	var lines strings.Builder
	for _, prefix := range []func(string, string, string) string{events.FetchedRef, events.ArchivedRef} {
		old := prefix(one.Label, "", "")
		list, err := repo.RefsUnder(ctx, old)
		if err != nil {
			return err
		}
		for _, r := range list {
			fmt.Fprintf(&lines, "delete %s %s\n", r.Name, r.OID)
			now := prefix(one.To, "", "") + strings.TrimPrefix(r.Name, old)
			if _, err := repo.ReadRef(now); one.To != "" && errors.Is(err, refs.ErrRefMissing) {
				fmt.Fprintf(&lines, "create %s %s\n", now, r.OID)
			}
		}
	}
	if _, err := repo.Git(ctx, strings.NewReader(lines.String()), "update-ref", "--stdin"); err != nil {
		return err
	}
	if one.To == "" {
		return removed(seenPath(repo, Remote{Label: one.Label}), autoPath(repo, Remote{Label: one.Label}))
	}
	for _, line := range s.fetching(one.To, one.Label) {
		now := strings.Replace(line, events.FetchedRef(one.Label, "", ""), events.FetchedRef(one.To, "", ""), 1)
		key := "remote." + one.To + ".fetch"
		if _, err := repo.Git(ctx, nil, "config", "--local", "--fixed-value", key, now, line); err != nil {
			return err
		}
	}
	return renameSeen(repo, one)
}

// renameSeen renames the notes about a remote's logs to the present names of their refs.
func renameSeen(repo *refs.Repo, one Stray) error {
	old, now := Remote{Label: one.Label}, Remote{Label: one.To}
	had, have := readSeen(repo, old), readSeen(repo, now)
	for ref, was := range had {
		name := events.FetchedRef(one.To, "", "") + strings.TrimPrefix(ref, events.FetchedRef(one.Label, "", ""))
		if _, known := have[name]; !known {
			have[name] = was
		}
	}
	if len(have) > 0 {
		if err := have.keep(repo, now); err != nil {
			return err
		}
	}
	return removed(seenPath(repo, old), autoPath(repo, old))
}

func removed(names ...string) error {
	for _, name := range names {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
