package checkpoint

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/git-trace/git-trace/refs"
)

// Detached is a signature of data that are not a git object: a commit that git signed, whose message has the SHA-256 of
// the data. So every key that git signs with works, and git verify-commit judges it.
type Detached struct {
	Signature
	Raw []byte // the commit
}

var errNotOf = errors.New("the signature is for something else")

func detachedMessage(sum []byte) string {
	return "traces: signs SHA-256 " + hex.EncodeToString(sum) + "\n"
}

// SignSum lets git sign a SHA-256, with the given key or the one of git's configuration.
func SignSum(ctx context.Context, repo *refs.Repo, sum []byte, key string) (d Detached, err error) {
	commit, err := signedCommit(ctx, repo, detachedMessage(sum), refs.OID{}, key)
	if err != nil {
		return d, fmt.Errorf("sign: %w", err)
	}
	objects := repo.Objects()
	objects.Max = maxCommit
	_, raw, err := objects.Read(commit)
	if err = errors.Join(err, objects.Close()); err != nil {
		return d, err
	}
	s, err := CheckSum(ctx, repo, raw, sum)
	if err == nil && (s.Verdict == Unsigned || s.Verdict == Bad) {
		err = errors.New(s.Why())
	}
	return Detached{s, raw}, err
}

// CheckSum lets git judge a signature of a SHA-256. It leaves the commit among the objects, where git looks for it.
func CheckSum(ctx context.Context, repo *refs.Repo, raw, sum []byte) (Signature, error) {
	c, err := refs.DecodeCommit(raw)
	if err != nil || len(raw) > maxCommit || len(c.Parents) > 0 || c.Tree != repo.Format.EmptyTree() ||
		c.Message != detachedMessage(sum) {
		return Signature{Kind: kindOf(raw), Verdict: Bad}, errNotOf
	}
	commit, err := repo.WriteLoose(repo.MainObjects(), refs.CommitObject, raw)
	if err != nil {
		return Signature{}, err
	}
	return judge(ctx, repo, commit, kindOf(raw))
}
