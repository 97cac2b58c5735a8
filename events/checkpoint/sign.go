package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Checkpoint is a new checkpoint.
type Checkpoint struct {
	Statement
	Commit    refs.OID
	Signature Signature // the signature as this machine judges it
}

// Sign lets git sign the log's end, which the caller has verified. It uses the given key or, if that is empty, the key
// of git's configuration. Then it sets refs/traces/checkpoints and appends checkpoint_signed.
//
// An error that wraps events.ErrSpooled comes with the checkpoint: the checkpoint is valid, and the log will get its
// event later. Every other error leaves the ref unchanged. refs.ErrTipMoved: another process has signed in between.
func Sign(ctx context.Context, log *events.Log, last events.End, key string) (Checkpoint, error) {
	c, err := sign(ctx, log, last, key)
	if err != nil {
		return c, fmt.Errorf("sign checkpoint: %w", err)
	}
	data, err := events.Encode(events.CheckpointData{
		Seq: c.Seq, Event: c.Event, Commit: c.Commit, Kind: string(c.Signature.Kind), Key: c.Signature.Key,
	})
	if err != nil {
		return c, err
	}
	_, err = log.Append(ctx, []events.Draft{{Type: events.CheckpointSigned, Method: []events.Method{events.Manual},
		Data: data}})
	return c, err
}

func sign(ctx context.Context, log *events.Log, last events.End, key string) (Checkpoint, error) {
	repo := log.Repo()
	before, err := repo.ReadRef(refs.CheckpointsRef)
	if err != nil && !errors.Is(err, refs.ErrRefMissing) {
		return Checkpoint{}, err
	}
	c := Checkpoint{Statement: Statement{Event: last.Event, Seq: last.Seq, Writer: last.Writer}}
	if c.Commit, err = signedCommit(ctx, repo, c.message(), before, key); err != nil {
		return c, err
	}
	objects := repo.Objects()
	objects.Max = maxCommit
	_, raw, err := objects.Read(c.Commit)
	if err = errors.Join(err, objects.Close()); err != nil {
		return c, err
	}
	stored, err := parse(repo.Format, raw)
	if err != nil {
		return c, err // a commit encoding in the configuration, as a rule
	}
	if c.Signature, err = judge(ctx, repo, c.Commit, stored.kind); err != nil {
		return c, err
	}
	if c.Signature.Verdict == Unsigned || c.Signature.Verdict == Bad {
		return c, errors.New(c.Signature.Why())
	}
	if err := repo.SwapRef(ctx, refs.CheckpointsRef, before, c.Commit); err != nil {
		return c, err
	}
	if log.AwaitGC(ctx) { // it may have taken both objects
		_, _ = repo.WriteLoose(repo.MainObjects(), refs.TreeObject, nil)
		_, _ = repo.WriteLoose(repo.MainObjects(), refs.CommitObject, raw)
	}
	return c, nil
}

// signedCommit lets git write and sign the commit. Git may ask for a passphrase.
func signedCommit(ctx context.Context, repo *refs.Repo, message string, before refs.OID, key string) (refs.OID, error) {
	tree, err := repo.WriteLoose(repo.MainObjects(), refs.TreeObject, nil)
	if err != nil {
		return refs.OID{}, err
	}
	args := []string{"-c", "i18n.commitEncoding=UTF-8", "commit-tree", "-S" + key}
	if !before.IsZero() {
		args = append(args, "-p", before.String())
	}
	out, err := repo.Git(ctx, strings.NewReader(message), append(args, tree.String())...)
	if err != nil {
		return refs.OID{}, err
	}
	return refs.ParseOID(strings.TrimSpace(string(out)))
}
