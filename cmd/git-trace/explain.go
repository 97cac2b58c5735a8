package main

import (
	"context"
	"errors"

	"github.com/git-trace/git-trace/sharing"
)

// notOursHint is the hint if another clone may have written in this clone's name.
const notOursHint = "nothing was sent\ngit-trace: hint: if somebody else wrote it, " +
	"git trace push --rebuild-digest replaces it by this clone's records"

// explanations give the errors of sharing exit statuses and hints. The first matching row counts.
var explanations = []struct {
	errs   []error
	status int
	hint   string
}{
	{[]error{sharing.ErrNoRemote}, exitUsage, "git remote -v lists the remotes; git trace push <remote> names one"},
	{[]error{sharing.ErrNoneThere}, exitUsage, "git remote add <name> <url> adds one"},
	{[]error{sharing.ErrUnknownRemote}, exitUsage, "git remote -v lists them; git remote add <name> <url> adds one"},
	{[]error{sharing.ErrNotChosen}, exitUsage, "git trace push <remote> shows what would leave, and asks"},
	{[]error{sharing.ErrNoLeave}, exitFinding, "its owner sets trace.allowAdopt, and pushes once more"},
	{[]error{sharing.ErrUnknown}, exitFinding, "git trace pull <url> fetches what is published in a fork"},
	{[]error{sharing.ErrThereItself, sharing.ErrNotKept, sharing.ErrNotArchive, sharing.ErrNothingLost,
		sharing.ErrOtherObjects}, exitFinding, ""},
	{[]error{sharing.ErrNothing}, exitFinding, "git trace init begins to record"},
	{[]error{sharing.ErrEmpty}, exitFinding, "git trace push sends what agents and commits add from now on"},
	{[]error{sharing.ErrMoved}, exitFinding,
		"if the new URL is right, git config --unset remote.<name>.traceUrl, and git trace push asks again"},
	{[]error{sharing.ErrUnredacted}, exitUnchecked, "--to commits sends no texts"},
	{[]error{sharing.ErrBrokenLog}, exitFinding, "git trace verify lists every fault"},
	{[]error{sharing.ErrDiverged}, exitFinding,
		"git trace init --new-writer gives this one an id of its own; " + notOursHint},
	{[]error{sharing.ErrBehind}, exitFinding, "after a backup git trace pull --own shows what is there, and asks; " +
		"of a copy git trace init --new-writer\ngit-trace: hint: gives this one an id of its own; " + notOursHint},
	{[]error{sharing.ErrNotOwn}, exitFinding, notOursHint},
	{[]error{sharing.ErrNoWriter}, exitUsage, "git trace pull --json lists them"},
	{[]error{sharing.ErrTooMuch}, exitFinding,
		"git config trace.maxFetched <bytes> sets the limit; --writer <id> fetches less"},
	{[]error{sharing.ErrTooMany}, exitFinding, "--writer <id> chooses clones"},
	{[]error{sharing.ErrLocked}, exitUnchecked, "git trace doctor --fix removes locks of killed processes"},
	{[]error{sharing.ErrUnreached, sharing.ErrBusy, context.DeadlineExceeded}, exitUnchecked,
		"run the same command again: it continues"},
	{[]error{sharing.ErrHidden}, exitFinding,
		"others cannot fetch them while uploadpack.hideRefs or transfer.hideRefs on the remote names them"},
	{[]error{sharing.ErrKept}, exitFinding,
		"an administrator can give you the right to rewind and delete refs/traces/ (in gitolite: RW+)"},
	{[]error{sharing.ErrLogRefused}, exitFinding,
		"its commits are not in your name: rules for mail, signature or message refuse them;\n" +
			"git-trace: hint: git config remote.<name>.traceShare conversations sends conversations, but not the log"},
}

// explainSharing gives an error of sharing its exit status and hint.
func explainSharing(err error) error {
	for _, row := range explanations {
		for _, known := range row.errs {
			if errors.Is(err, known) {
				return fail(row.status, err, row.hint)
			}
		}
	}
	if remote := (*sharing.RemoteError)(nil); errors.As(err, &remote) {
		return fail(exitFinding, err, "the remote refused it; nothing was noted as sent")
	}
	return err
}
