package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/checkpoint"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
)

func checkpointCommand() *command {
	return &command{
		Name: "checkpoint",
		Does: "sign the end of the event log",
		Form: "git trace checkpoint [--key <key>] [--force] [--json]",
		About: "Checks the log and signs its last event with your git signing key (gpg.format, user.signingKey),\n" +
			"as git signs a commit. From then on verify finds every change up to that event, even by somebody\n" +
			"who can write this repository, as long as one copy of the checkpoint exists: in\n" +
			"refs/traces/checkpoints here or elsewhere.",
		Options: append(options("key"), opt("force", "an older checkpoint, or a copy, disagrees with the log"),
			jsonFlag(), colorFlag()),
		Examples: []example{
			{"git trace checkpoint", "sign the end of the log"},
		},
		Run:    (*app).checkpoint,
		Traits: alone | seals,
		Tries:  []string{""},
		Unseen: "it signs, and says in a line what was signed; checkpoint.txtar holds it",
	}
}

const checkpointSchema = "git-trace.checkpoint/1"

// signedCheckpoint describes a new checkpoint, in the form of --json.
type signedCheckpoint struct {
	Schema  string             `json:"schema"`
	Seq     int64              `json:"seq"`
	Event   events.ID          `json:"event"`
	Commit  refs.OID           `json:"commit"`
	Kind    checkpoint.Kind    `json:"kind"`
	Key     string             `json:"key"`
	Signer  string             `json:"signer"`
	Verdict checkpoint.Verdict `json:"verdict"`
	Why     string             `json:"why,omitempty"` // the reason why verify will not count it here
}

func (a *app) checkpoint(c *call, _ operands) error {
	repo, err := a.repo()
	if err != nil {
		return err
	}
	log := events.OpenLog(repo)
	end, err := a.signable(c.Context, log, c.Bool("force"))
	if err != nil {
		return err
	}
	made, err := checkpoint.Sign(c.Context, log, end, c.String("key"))
	switch {
	case errors.Is(err, events.ErrSpooled):
		fmt.Fprintf(a.std.err, "git-trace: warning: the log does not name the checkpoint yet: %s\n",
			cells.Message(err.Error()))
	case errors.Is(err, refs.ErrTipMoved):
		return exit.Fail(exit.Unchecked, err, "another process has just signed a checkpoint; try again")
	case err != nil:
		return exit.Fail(exit.Git, err, "git signs with gpg.format and user.signingKey, as for git commit -S. "+
			"With a key of SSH: git config gpg.format ssh; git config user.signingKey ~/.ssh/id_ed25519.pub")
	}
	if c.Bool("json") {
		return writeJSON(terminal.Quietly(a.std.out), signedCheckpoint{
			Schema: checkpointSchema, Seq: made.Seq, Event: made.Event, Commit: made.Commit, Kind: made.Signature.Kind,
			Key: made.Signature.Key, Signer: made.Signature.Signer, Verdict: made.Signature.Verdict, Why: made.Signature.Why(),
		})
	}
	if _, err := fmt.Fprintf(terminal.Quietly(a.std.out), "event %d signed (%s): %s\n",
		made.Seq, made.Signature.Kind, cells.Safe(made.Signature.By())); err != nil {
		return err
	}
	if why := made.Signature.Why(); why != "" {
		fmt.Fprintf(a.std.err, "git-trace: warning: verify will not count it here: %s\n", cells.Message(why))
		fmt.Fprintf(a.std.err, "git-trace: hint: %s\n", trustHint(made.Signature.Kind))
	}
	return nil
}

// signable verifies the log and returns its end, because a signature of a broken log is worthless.
func (a *app) signable(ctx context.Context, log *events.Log, force bool) (events.End, error) {
	report, err := log.Verify(ctx, events.Verification{Anchors: checkpoint.Sources()})
	if err != nil {
		return events.End{}, exit.Fail(exit.Unchecked, err, "git fsck shows whether the repository is damaged")
	}
	if report.Empty() {
		return events.End{}, exit.Fail(exit.Git, errors.New("there is no log yet: nothing has been recorded"),
			"git trace init begins one")
	}
	if report.State != events.Broken || force && onlyAnchorsDisagree(report) {
		return report.End, nil
	}
	hint := "git trace verify lists every fault"
	if onlyAnchorsDisagree(report) {
		hint += "; --force signs the log as it is now"
	}
	return events.End{}, exit.Fail(exit.Finding, fmt.Errorf("the log is %s and was not signed", report.Summary()), hint)
}

// onlyAnchorsDisagree reports whether the log itself is sound.
func onlyAnchorsDisagree(report events.Report) bool {
	for _, fault := range report.Faults {
		if fault.Kind != events.FaultAnchor {
			return false
		}
	}
	return report.MoreFaults == 0
}

// trustHint explains how to trust a key.
func trustHint(kind checkpoint.Kind) string {
	if kind == checkpoint.SSH {
		return "list the key in the file that git's gpg.ssh.allowedSignersFile names; see ssh-keygen(1), ALLOWED SIGNERS"
	}
	return "make the key a valid one of your keyring; see gpg(1), --edit-key, trust"
}
