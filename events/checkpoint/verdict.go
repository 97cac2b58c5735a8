package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// Verdict is git's judgement of a signature. Only a good one anchors a log.
type Verdict string

// The verdicts.
const (
	Good         Verdict = "good"         // made with a key that is trusted here
	Bad          Verdict = "bad"          // does not match the signed data, or is not a signature
	Untrusted    Verdict = "untrusted"    // matches, but this user does not trust the key
	Expired      Verdict = "expired"      // the signature or its key was good once
	Revoked      Verdict = "revoked"      // the key was revoked
	Unverifiable Verdict = "unverifiable" // the key is not here, or the program or the list of keys that git asks
	Unsigned     Verdict = "unsigned"
)

// Signature is a signature that git has checked.
type Signature struct {
	Kind    Kind
	Verdict Verdict
	Key     string // fingerprint, if git knows it
	Signer  string // the key's owner in the user's keys, if git knows it; may hold anything
	Hint    string // a remedy for a signature that cannot be verified
}

// allowedSigners is git's list of the SSH keys that are trusted; without it, git checks no SSH signature.
const allowedSigners = "gpg.ssh.allowedSignersFile"

// `judge` asks git for its verdict on a signature. Trusted keys are the user's own, keys in the list of allowed
// signers, and valid keys of the keyring. Git itself accepts every key of an OpenPGP keyring unless gpg.minTrustLevel
// is set. But a signature alone can add keys from a key server to a keyring. So other keys count here only if
// gpg.minTrustLevel is set.
func judge(ctx context.Context, repo *refs.Repo, commit refs.OID, kind Kind) (Signature, error) {
	s := Signature{Kind: kind, Verdict: Unsigned}
	if kind == "" {
		return s, nil
	}
	config, err := repo.Config(ctx)
	if err != nil {
		return s, err
	}
	out, err := ask(ctx, repo, "-c", "log.showSignature=false", "-c", "log.follow=false", "log", "--no-walk", "--no-color",
		"--encoding=UTF-8", "--format=%G?%x00%GF%x00%GS", commit.String(), "--")
	if ctx.Err() != nil {
		return s, ctx.Err()
	}
	if err != nil { // git failed: versions of git differ in this
		s.Verdict, s.Hint = Unverifiable, missing(config, kind)
		return s, nil //nolint:nilerr // the verdict has it
	}
	fields := strings.SplitN(strings.TrimSuffix(string(out), "\n"), "\x00", 3)
	if len(fields) != 3 {
		return s, fmt.Errorf("git log printed %d fields of a signature", len(fields))
	}
	s.Key, s.Signer = strings.ToValidUTF8(fields[1], "?"), strings.ToValidUTF8(fields[2], "?")
	s.Verdict = verdictOf(fields[0])
	if s.Verdict == Bad && kind == SSH && !canRunSSH(config) {
		s.Verdict = Unverifiable // git calls it bad
	}
	if s.Verdict == Unverifiable {
		s.Hint = missing(config, kind)
	}
	_, levelSet := config.Get("gpg.mintrustlevel")
	if s.Verdict == Good || s.Verdict == Untrusted && levelSet && kind != SSH {
		s.Verdict, err = accepted(ctx, repo, commit)
	}
	return s, err
}

// `ask` runs git, and runs it again if a signal ended it: if ssh-keygen refuses a signature before it has read the
// signed data, git may die of the broken pipe.
func ask(ctx context.Context, repo *refs.Repo, args ...string) (out []byte, err error) {
	const tries = 5
	for range tries {
		var failed *refs.GitError
		out, err = repo.Git(ctx, nil, args...)
		if !errors.As(err, &failed) || failed.Code >= 0 {
			break
		}
	}
	return out, err
}

// verdictOf reads the letters of git-log(1), %G?. Git has no letter for a check that it could not start: it then
// reports a missing signature, although there is one.
func verdictOf(letter string) Verdict {
	switch letter {
	case "G":
		return Good
	case "B":
		return Bad
	case "U":
		return Untrusted
	case "X", "Y":
		return Expired
	case "R":
		return Revoked
	}
	return Unverifiable
}

// `accepted` asks git for a verdict that takes gpg.minTrustLevel into account, which %G? ignores.
func accepted(ctx context.Context, repo *refs.Repo, commit refs.OID) (Verdict, error) {
	_, err := ask(ctx, repo, "verify-commit", commit.String())
	var refused *refs.GitError
	switch {
	case err == nil:
		return Good, nil
	case ctx.Err() == nil && errors.As(err, &refused):
		return Untrusted, nil
	}
	return Unverifiable, err
}

// canRunSSH reports whether git's program for SSH signatures exists.
func canRunSSH(config refs.Config) bool {
	program, set := config.Get("gpg.ssh.program")
	if !set {
		program = "ssh-keygen"
	}
	_, err := exec.LookPath(program)
	return err == nil
}

// `missing` returns the program or setting without which git cannot check a signature.
func missing(config refs.Config, kind Kind) string {
	if kind != SSH {
		return "the key is not in the keyring, or the program that checks it is not installed"
	}
	if file, set := config.Get(strings.ToLower(allowedSigners)); !set || file == "" {
		return "git's " + allowedSigners + " is not set"
	}
	return "git cannot run ssh-keygen"
}

// `Why` returns the reason why a signature does not count; "" for a good one.
func (s Signature) Why() string {
	switch s.Verdict {
	case Good:
		return ""
	case Bad:
		if s.Kind == SSH { // git does not distinguish the two
			return "the signature is bad, or its key was revoked"
		}
		return "the signature is bad"
	case Untrusted:
		return "the signature is by a key that is not trusted here" + named(s.Key)
	case Expired:
		return "the signature or its key has expired" + named(s.Key)
	case Revoked:
		return "the key of the signature was revoked" + named(s.Key)
	case Unverifiable:
		return "the signature could not be checked: " + s.Hint
	}
	return "it is not signed; git filter-repo and git filter-branch leave signatures out of what they rewrite"
}

func named(key string) string {
	if key == "" {
		return ""
	}
	return ": " + key
}

// `By` names the signer, if it is known.
func (s Signature) By() string {
	switch {
	case s.Signer != "" && s.Key != "":
		return s.Signer + " (" + s.Key + ")"
	case s.Key != "":
		return s.Key
	}
	return "a key that git does not name"
}

// OfCommit returns the signature of a commit, for instance of a publication, as git judges it here. It asks git only
// about signed commits.
func OfCommit(ctx context.Context, repo *refs.Repo, commit refs.OID) (Signature, error) {
	objects := repo.Objects()
	objects.Max = maxCommit
	typ, raw, err := objects.Read(commit)
	if err = errors.Join(err, objects.Close()); err != nil {
		return Signature{}, fmt.Errorf("signature of %s: %w", commit, err)
	}
	if typ != refs.CommitObject || repo.Format.Hash(refs.CommitObject, raw) != commit {
		return Signature{}, fmt.Errorf("signature of %s: it is not a commit", commit)
	}
	s, err := judge(ctx, repo, commit, kindOf(raw))
	if err != nil {
		return s, fmt.Errorf("signature of %s: %w", commit, err)
	}
	return s, nil
}
