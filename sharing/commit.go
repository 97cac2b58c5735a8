package sharing

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/git-trace/git-trace/refs"
)

// commit makes a commit in the person's name, signed if the person signs commits, so that it passes the remote's rules.
// Git makes it (git-commit-tree(1)), except in simple cases without a signature.
//
// The author's date is the time of the push. The committer's date is the epoch: git negotiates a fetch by this date,
// newest first, and code must come before publications. A signature of OpenPGP or X.509 has its own time. An SSH
// signature has none: git checks it at the committer's date (ssh-keygen(1), verify-time). So a commit signed with SSH
// has today's date.
func (s *Settings) commit(ctx context.Context, repo *refs.Repo, message string, tree refs.OID,
	parents []refs.OID) (refs.OID, error) {
	sign := s.signs()
	author, known := s.identity("author")
	committer, knownToo := s.identity("committer")
	if known && knownToo && !sign && utf8.ValidString(message) && !strings.Contains(message, "\x00") {
		author.When = time.Now()
		committer.When = time.Unix(0, 0).UTC()
		content := refs.EncodeCommit(refs.Commit{
			Tree: tree, Parents: parents, Author: author, Committer: committer, Message: message,
		})
		if id, err := repo.WriteLoose(repo.MainObjects(), refs.CommitObject, content); err == nil {
			return id, nil
		}
	}
	args := []string{"commit-tree", "-F", "-"}
	if sign {
		args = append(args, "-S")
	}
	for _, parent := range parents {
		args = append(args, "-p", parent.String())
	}
	var env []string
	if format, _ := s.always.Get("gpg.format"); !sign || format != "ssh" {
		env = []string{"GIT_COMMITTER_DATE=@0 +0000"}
	}
	out, err := repo.GitWith(ctx, strings.NewReader(message), env, append(args, tree.String())...)
	if err != nil {
		return refs.OID{}, fmt.Errorf("commit: %w", err)
	}
	return refs.ParseOID(strings.TrimSpace(string(out)))
}

// `signs` reports whether the publications of this clone are signed.
func (s *Settings) signs() bool {
	return s.own.Bool("trace.signpush", s.always.Bool("commit.gpgsign", false))
}

// identity returns the name that git would write as author or committer: from the environment, then author.* or
// committer.*, then user.* (git-config(1)). It returns false if git must be asked: nothing is set, git would change the
// name, or a date or an encoding is set.
func (s *Settings) identity(role string) (who refs.Signature, ok bool) {
	upper := "GIT_" + strings.ToUpper(role)
	if _, dated := os.LookupEnv("GIT_AUTHOR_DATE"); dated {
		return who, false
	}
	if _, encoded := s.always.Get("i18n.commitencoding"); encoded {
		return who, false
	}
	for field, into := range map[string]*string{"name": &who.Name, "email": &who.Email} {
		value, set := os.LookupEnv(upper + "_" + strings.ToUpper(field))
		for _, section := range []string{role, "user"} {
			if !set {
				value, set = s.always.Get(section + "." + field)
			}
		}
		if !set || !plainIdent(value) {
			return who, false
		}
		*into = value
	}
	return who, true
}

// plainIdent reports whether git writes a name unchanged. Git removes some signs at the ends, and characters that would
// end the field.
func plainIdent(text string) bool {
	const marks = ` .,:;"\'`
	return text != "" && utf8.ValidString(text) && strings.Trim(text, marks) == text &&
		!strings.ContainsFunc(text, func(r rune) bool { return r == '<' || r == '>' || unicode.IsControl(r) })
}
