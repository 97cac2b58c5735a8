package unseen

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/refs"
)

// Unheard lists the commits that HEAD or a ref reaches and that a search may explain. These are the commits newer than
// the beginning of some log. Commits that are known to have no findings are left out.
func (s *Search) Unheard(ctx context.Context) ([]refs.OID, error) {
	if s.untraced() {
		return nil, nil
	}
	if err := s.prepare(ctx); err != nil {
		return nil, fmt.Errorf("list commits: %w", err)
	}
	args := []string{"rev-list", "--ignore-missing", "--exclude=refs/traces/*", "--all"}
	all := len(args)
	if began := s.began(ctx); began != "" {
		args = append(args, "--not", began)
	}
	var raw bytes.Buffer
	err := s.repo.GitTo(ctx, nil, &raw, args...)
	if err != nil && len(args) > all && ctx.Err() == nil { // older commits may be damaged
		raw.Reset()
		err = s.repo.GitTo(ctx, nil, &raw, args[:all]...)
	}
	if err != nil && (ctx.Err() != nil || !refs.NamesUnread(err.Error())) {
		return nil, fmt.Errorf("list commits: %w", err)
	}
	var out []refs.OID
	lines := bufio.NewScanner(&raw) // the output ends at a damaged commit
	for lines.Scan() {
		if c, err := refs.ParseOID(lines.Text()); err == nil && !s.nothing(c) {
			out = append(out, c)
		}
	}
	return out, nil
}

// `began` returns a commit whose ancestors are all older than every log, or "" if there is none.
func (s *Search) began(ctx context.Context) string {
	if s.beginning != nil {
		return *s.beginning
	}
	s.beginning = new(string)
	var first []refs.OID
	for log := range s.digest.Logs() {
		if s.digest.Last(log) == 0 {
			continue // nothing was recorded in this clone
		}
		heads := s.digest.Heads(log)
		if len(heads) == 0 {
			return ""
		}
		if c := heads[0].Commit; !slices.Contains(first, c) {
			first = append(first, c)
		}
	}
	for _, c := range first { // git must not report missing or invented commits
		if !s.objects.MayBeStored(c) {
			return ""
		}
	}
	switch len(first) {
	case 0:
	case 1: // one commit needs no git process, unless it is missing
		if _, err := s.objects.Commit(first[0]); err == nil {
			*s.beginning = first[0].String()
		}
	default:
		args := []string{"merge-base", "--octopus"}
		for _, c := range first {
			args = append(args, c.String())
		}
		out, _ := s.repo.Git(ctx, nil, args...) // if a commit is missing, nothing is left out
		*s.beginning = strings.TrimSpace(string(out))
	}
	return *s.beginning
}

// `nothing` reports whether a stored answer says that a commit has no findings.
func (s *Search) nothing(c refs.OID) bool {
	for _, under := range []string{noPath, noPathElsewhere} {
		if found, ok := s.recallCommit(under, c); ok && found == nil {
			return true
		}
	}
	return false
}

// Settle stores that a commit with known anchors has no findings. This is valid until a log mentions the commit again.
func (s *Search) Settle(c *belief.Commit) error {
	if !c.Heard || c.Found || s.nothing(c.ID) {
		return nil
	}
	on, err := s.dependsOn(c.ID)
	if err == nil {
		s.rememberCommit(noPathElsewhere, c.ID, nil, on)
	}
	return err
}

// Passing reports whether an answer may change without a new event.
func (s *Search) Passing() bool { return s.passing || len(s.picked()) > 0 }

// Lacking reports whether an answer depends on a missing object: with the object it may change.
func (s *Search) Lacking() bool { return s.lacking }
