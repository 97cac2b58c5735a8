package gitfacts

import "strings"

// Kind is the kind of a move of HEAD or of a branch. It is derived from the message in the reflog (git-reflog(1)). Git
// does not translate these messages.
type Kind uint8

// The kinds. Each comment has an example of the message.
const (
	Unknown         Kind = iota // "fetch: storing head", or an empty message
	Committed                   // "commit: subject", "commit (initial): subject"
	Amended                     // "commit (amend): subject"
	MergeCommitted              // "commit (merge): subject": somebody committed a merge that had stopped at a conflict
	PickCommitted               // "commit (cherry-pick): subject": the same for a cherry-pick
	Merged                      // "merge topic: Merge made by the 'ort' strategy.", "pull: Merge made by …"
	FastForwarded               // "merge topic: Fast-forward", "cherry-pick: fast-forward"
	Picked                      // "cherry-pick: subject"
	Reverted                    // "revert: Revert "subject""
	Applied                     // "am: subject"
	RebaseStarted               // "rebase (start): checkout main"
	RebasePicked                // "rebase (pick): subject", "pull --rebase (pick): subject"
	RebaseContinued             // "rebase (continue): subject": somebody committed a step that had stopped at a conflict
	RebaseStep                  // "rebase (squash): subject", and the same with reword, fixup, edit
	RebaseEnded                 // "rebase (finish): returning to refs/heads/topic", "rebase (abort): …"
	Rebased                     // "rebase: subject": older git does not name the step
	CheckedOut                  // "checkout: moving from main to topic"
	Reset                       // "reset: moving to HEAD~1"
)

// traits holds the properties of a kind.
type traits struct {
	makes  bool // the command made the commit of the entry
	byHand bool // somebody made this commit from their work tree or index
	leaves bool // the files of the work tree do not change
	rebase bool // a step of a rebase
}

// kinds is the only table of the meanings of reflog messages.
var kinds = [...]traits{
	Unknown:         {},
	Committed:       {makes: true, byHand: true, leaves: true},
	Amended:         {makes: true, byHand: true, leaves: true},
	MergeCommitted:  {makes: true, byHand: true},
	PickCommitted:   {makes: true, byHand: true},
	Merged:          {makes: true},
	FastForwarded:   {},
	Picked:          {makes: true},
	Reverted:        {makes: true},
	Applied:         {makes: true},
	RebaseStarted:   {rebase: true},
	RebasePicked:    {makes: true, rebase: true},
	RebaseContinued: {makes: true, byHand: true, rebase: true},
	RebaseStep:      {makes: true, rebase: true},
	RebaseEnded:     {rebase: true},
	Rebased:         {rebase: true},
	CheckedOut:      {},
	Reset:           {},
}

// Makes reports whether the command made the commit. Other commands move HEAD to an existing commit.
func (k Kind) Makes() bool { return kinds[k].makes }

// ByHand reports whether somebody made the commit from their own work tree. This includes commits after a resolved
// conflict.
func (k Kind) ByHand() bool { return kinds[k].byHand }

// Rebases reports whether the move is a step of a rebase.
func (k Kind) Rebases() bool { return kinds[k].rebase }

// words maps the first word of a message to a kind, if no other part of the message matters.
var words = map[string]Kind{
	"commit": Committed, "cherry-pick": Picked, "revert": Reverted, "am": Applied, "rebase": Rebased,
	"checkout": CheckedOut, "reset": Reset,
}

// steps maps the word in parentheses after the command, as in "rebase (pick)", to a kind.
var steps = map[string]Kind{
	"start": RebaseStarted, "pick": RebasePicked, "continue": RebaseContinued, "finish": RebaseEnded, "abort": RebaseEnded,
}

// commitSteps maps the word in parentheses after the command commit.
var commitSteps = map[string]Kind{"amend": Amended, "merge": MergeCommitted, "cherry-pick": PickCommitted}

// KindOf classifies the message of a reflog entry.
func KindOf(message string) Kind {
	kind, _ := classify(message)
	return kind
}

// classify returns the kind of a message and the text after the colon.
func classify(message string) (Kind, string) {
	action, subject, _ := strings.Cut(message, ":")
	subject = strings.TrimSpace(subject)
	word, _, _ := strings.Cut(action, " ")
	_, step, _ := strings.Cut(action, " (")
	step, inSteps := strings.CutSuffix(step, ")")
	switch {
	case word == "commit":
		if kind, found := commitSteps[step]; found {
			return kind, subject
		}
	case inSteps:
		return stepKind(word, step), subject
	case word == "merge" || word == "pull":
		return mergeKind(message), subject
	case subject == "fast-forward" && words[word] != Unknown:
		return FastForwarded, subject
	}
	return words[word], subject
}

// stepKind returns the kind of a step of an operation. "pull" and "pull --rebase" can rebase too.
func stepKind(word, step string) Kind {
	if kind, found := steps[step]; found {
		return kind
	}
	if word == "rebase" || word == "pull" {
		return RebaseStep
	}
	return words[word]
}

// mergeKind decides, by the words of git-merge(1), whether the merge made a commit. It searches the whole message,
// because the address of a remote may contain a colon, as in "pull git@host:path: Fast-forward".
func mergeKind(message string) Kind {
	switch {
	case strings.Contains(message, ": Merge made by"), strings.Contains(message, ": In-index merge"):
		return Merged
	case strings.Contains(message, ": Fast-forward"):
		return FastForwarded
	}
	return Unknown
}
