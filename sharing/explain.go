package sharing

import (
	"context"
	"errors"

	"github.com/git-trace/git-trace/internal/exit"
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
	{[]error{ErrNoRemote}, exit.Misuse, "git remote -v lists the remotes; git trace push <remote> names one"},
	{[]error{ErrNoneThere}, exit.Misuse, "git remote add <name> <url> adds one"},
	{[]error{ErrUnknownRemote}, exit.Misuse, "git remote -v lists them; git remote add <name> <url> adds one"},
	{[]error{ErrNotChosen}, exit.Misuse, "git trace push <remote> shows what would leave, and asks"},
	{[]error{ErrNoLeave}, exit.Finding, "its owner sets trace.allowAdopt, and pushes once more"},
	{[]error{ErrUnknown}, exit.Finding, "git trace pull <url> fetches what is published in a fork"},
	{[]error{ErrThereItself, ErrNotKept, ErrNotArchive, ErrNothingLost,
		ErrOtherObjects}, exit.Finding, ""},
	{[]error{ErrNothing}, exit.Finding, "git trace init begins to record"},
	{[]error{ErrEmpty}, exit.Finding, "git trace push sends what agents and commits add from now on"},
	{[]error{ErrMoved}, exit.Finding,
		"if the new URL is right, git config --unset remote.<name>.traceUrl, and git trace push asks again"},
	{[]error{ErrUnredacted}, exit.Unchecked, "--to commits sends no texts"},
	{[]error{ErrBrokenLog}, exit.Finding, "git trace verify lists every fault"},
	{[]error{ErrDiverged}, exit.Finding,
		"git trace init --new-writer gives this one an id of its own; " + notOursHint},
	{[]error{ErrBehind}, exit.Finding, "after a backup git trace pull --own shows what is there, and asks; " +
		"of a copy git trace init --new-writer\ngit-trace: hint: gives this one an id of its own; " + notOursHint},
	{[]error{ErrNotOwn}, exit.Finding, notOursHint},
	{[]error{ErrNoWriter}, exit.Misuse, "git trace pull --json lists them"},
	{[]error{ErrTooMuch}, exit.Finding,
		"git config trace.maxFetched <bytes> sets the limit; --writer <id> fetches less"},
	{[]error{ErrTooMany}, exit.Finding, "--writer <id> chooses clones"},
	{[]error{ErrLocked}, exit.Unchecked, "git trace doctor --fix removes locks of killed processes"},
	{[]error{ErrUnreached, ErrBusy, context.DeadlineExceeded}, exit.Unchecked,
		"run the same command again: it continues"},
	{[]error{ErrHidden}, exit.Finding,
		"others cannot fetch them while uploadpack.hideRefs or transfer.hideRefs on the remote names them"},
	{[]error{ErrKept}, exit.Finding,
		"an administrator can give you the right to rewind and delete refs/traces/ (in gitolite: RW+)"},
	{[]error{ErrLogRefused}, exit.Finding,
		"its commits are not in your name: rules for mail, signature or message refuse them;\n" +
			"git-trace: hint: git config remote.<name>.traceShare conversations sends conversations, but not the log"},
}

// Explain gives an error of sharing its exit status and hint.
func Explain(err error) error {
	for _, row := range explanations {
		for _, known := range row.errs {
			if errors.Is(err, known) {
				return exit.Fail(row.status, err, row.hint)
			}
		}
	}
	if remote := (*RemoteError)(nil); errors.As(err, &remote) {
		return exit.Fail(exit.Finding, err, "the remote refused it; nothing was noted as sent")
	}
	return err
}
