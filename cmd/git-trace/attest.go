package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/checkpoint"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/span"
	"github.com/git-trace/git-trace/sharing"
	"github.com/git-trace/git-trace/view/exchange"
)

func attestCommand() *command {
	return &command{
		Name: "attest",
		Does: "sign a statement of who wrote a change",
		Form: "git trace attest [--key <key>] [-o <file>] [<branch> | <base>...<head> | <tag>..<tag>]",
		About: "Writes what report --audit answers, without the texts of prompts, as an in-toto statement in a DSSE\n" +
			"envelope: the subjects are the commits of the range and the tree at its end. It is signed with the\n" +
			"key that git signs with. The signature is a commit that git signed, and its message names the\n" +
			"SHA-256 of what DSSE signs. git trace verify --attestation checks it in another clone.",
		Options: options("key", "output"),
		Examples: []example{
			{"git trace attest -o change.att origin/main...HEAD", "a statement that another clone can check"},
		},
		Run:    (*app).attest,
		Traits: anew | seals,
		Tries:  []string{"", "nosuch"},
		Unseen: "it signs; attest.txtar holds it",
	}
}

// The types of a statement and of its envelope, from in-toto and DSSE.
const (
	statementType = "https://in-toto.io/Statement/v1"
	payloadType   = "application/vnd.in-toto+json"
	predicateType = "https://github.com/git-trace/git-trace/audit/1"
)

// statement is an in-toto statement.
type statement struct {
	Type          string      `json:"_type"`
	Subject       []subject   `json:"subject"`
	PredicateType string      `json:"predicateType"`
	Predicate     *span.Audit `json:"predicate"`
}

// subject is a commit, or the tree at the end.
type subject struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

// The names of in-toto for the digests of git's objects.
const (
	commitDigest = "gitCommit"
	treeDigest   = "gitTree"
)

// envelope is a DSSE envelope.
type envelope struct {
	PayloadType string      `json:"payloadType"`
	Payload     []byte      `json:"payload"` // base64 in JSON
	Signatures  []signature `json:"signatures"`
}

type signature struct {
	KeyID string `json:"keyid"`
	Sig   []byte `json:"sig"`
}

// sum returns the SHA-256 of the text that DSSE signs: the payload, its type, and the lengths of both.
func (e *envelope) sum() []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(e.PayloadType), e.PayloadType, len(e.Payload),
		e.Payload))
	return sum[:]
}

func (a *app) attest(c *call, ops operands) error {
	repo, about, err := a.namedRange(c, ops, "git trace attest <range>")
	if err != nil {
		return err
	}
	runner.Seal(c.Context, repo) // a clone that has only the refs must find the events that the statement names
	made, err := a.statementOf(c, repo, about)
	if err != nil {
		return err
	}
	switch {
	case made.Predicate.Proof.State == events.Broken:
		return exit.Fail(exit.Finding, errors.New("the log is damaged, and nothing was signed"),
			"git trace verify lists every fault")
	case made.Predicate.Commits == 0:
		return exit.Fail(exit.Finding, errors.New("there are no commits in the range"), span.OtherRange(c.Context, repo,
			about.To))
	}
	e := envelope{PayloadType: payloadType}
	if e.Payload, err = json.Marshal(made); err != nil {
		return err
	}
	signed, err := checkpoint.SignSum(c.Context, repo, e.sum(), c.String("key"))
	if err != nil {
		return exit.Fail(exit.Git, err, "git signs with gpg.format and user.signingKey, as for git commit -S")
	}
	e.Signatures = []signature{{signed.Key, signed.Raw}}
	var text strings.Builder
	if err := writeJSON(&text, e); err != nil {
		return err
	}
	if err := a.output("statement", c.String("output"), text.String()); err != nil {
		return err
	}
	if why := signed.Why(); why != "" {
		fmt.Fprintf(a.std.err, "git-trace: warning: verify will not count it here: %s\n", cells.Message(why))
	}
	return nil
}

// attestable reads the facts about a range for a statement, without texts.
func (a *app) attestable(ctx context.Context, repo *refs.Repo, about span.Range) (*span.Report, error) {
	known, err := a.openConversations(ctx, repo)
	if err != nil {
		return nil, err
	}
	defer known.Close()
	return a.reportOf(ctx, repo, known, about, span.NoPrompts)
}

// statementOf makes the statement of a range.
func (a *app) statementOf(c *call, repo *refs.Repo, about span.Range) (*statement, error) {
	found, err := a.attestable(c.Context, repo, about)
	if err != nil {
		return nil, err
	}
	out := &statement{Type: statementType, PredicateType: predicateType, Predicate: span.NewAudit(found)}
	if err := out.Predicate.Proof.Add(c.Context, repo); err != nil {
		return nil, err
	}
	list, err := repo.Git(c.Context, nil, "rev-list", about.To.String(), "^"+about.From.String())
	if err != nil {
		return nil, exit.Fail(exit.Git, err, "")
	}
	for id := range strings.FieldsSeq(string(list)) {
		out.Subject = append(out.Subject, subject{"commit", map[string]string{commitDigest: id}})
	}
	tree, err := treeOf(repo, about.To)
	out.Subject = append(out.Subject, subject{"tree", map[string]string{treeDigest: tree}})
	return out, err
}

func treeOf(repo *refs.Repo, commit refs.OID) (string, error) {
	objects := repo.Objects()
	c, err := objects.Commit(commit)
	return c.Tree.String(), errors.Join(err, objects.Close())
}

// attested is the result of the check of a statement, in JSON.
type attested struct {
	Schema   string             `json:"schema"`
	Range    span.Range         `json:"range"`
	Commits  int                `json:"commits"`
	Signed   checkpoint.Verdict `json:"signed"`
	Signer   string             `json:"signer"`
	Key      string             `json:"key"`
	Log      attestedLog        `json:"log"`
	Findings []string           `json:"findings"`
}

const attestedSchema = "git-trace.verify-attestation/1"

// attestedLog is the answer to: is the log of the statement here?
type attestedLog string

// The answers.
const (
	logHeld    attestedLog = "held"     // the log has the event that the statement calls the last one
	logBeyond  attestedLog = "beyond"   // the log is longer; only a digest of a later event is here
	logNotHere attestedLog = "not_here" // nothing could be checked
)

// mostStatement is the size in bytes of the largest statement that is read.
const mostStatement = 64 << 20

// verifyAttestation checks a statement against this clone.
func (a *app) verifyAttestation(c *call, repo *refs.Repo, log *events.Log, name string) error {
	e, s, err := readStatement(name)
	if err != nil {
		return exit.Fail(exit.Unchecked, exchange.FileFault(name, refs.PathCause(err)), "")
	}
	out := attested{Schema: attestedSchema, Range: s.Predicate.Range, Commits: len(s.Subject) - 1, Log: logNotHere,
		Findings: []string{}}
	found := func(format string, args ...any) { out.Findings = append(out.Findings, fmt.Sprintf(format, args...)) }
	judged, err := checkpoint.CheckSum(c.Context, repo, e.Signatures[0].Sig, e.sum())
	out.Signed, out.Signer, out.Key = judged.Verdict, judged.Signer, judged.Key
	if err != nil {
		found("the signature: %s", err)
	} else if why := judged.Why(); why != "" {
		found("%s", why)
	}
	s.holdSubjects(repo, found)
	if err := s.holdLog(c.Context, log, &out, found); err != nil {
		return err
	}
	if len(out.Findings) == 0 {
		now, err := a.attestable(c.Context, repo, s.Predicate.Range)
		if err != nil {
			return err
		}
		switch was, is := s.Predicate.Lines, now.Result; {
		case was == is:
		case out.Log == logNotHere:
			found("the figures were not checked: git trace pull fetches the log")
		default:
			found("the figures differ now: agents %d, people %d, unknown %d lines; attested are %d, %d and %d", is.AI,
				is.Human, is.Unknown, was.AI, was.Human, was.Unknown)
		}
	}
	return a.tellAttested(c, &out)
}

func readStatement(name string) (e envelope, s *statement, err error) {
	s = &statement{}
	file, err := os.Open(name)
	if err != nil {
		return e, s, err
	}
	defer func() { _ = file.Close() }()
	raw, err := io.ReadAll(io.LimitReader(file, mostStatement+1))
	switch {
	case err != nil:
		return e, s, err
	case len(raw) > mostStatement:
		return e, s, errors.New("it is too long")
	case json.Unmarshal(raw, &e) != nil || e.PayloadType != payloadType || len(e.Signatures) != 1:
		return e, s, errors.New("it is not a DSSE envelope with one signature of an in-toto statement")
	case json.Unmarshal(e.Payload, s) != nil || s.Type != statementType || s.PredicateType != predicateType ||
		s.Predicate == nil || len(s.Subject) == 0:
		return e, s, errors.New("it is not a statement of git trace attest")
	}
	return e, s, nil
}

// holdSubjects checks that the commits and the tree of a statement are here.
func (s *statement) holdSubjects(repo *refs.Repo, found func(string, ...any)) {
	objects := repo.Objects()
	defer func() { _ = objects.Close() }()
	missing, listed := 0, map[string]bool{}
	for _, one := range s.Subject {
		text := one.Digest[commitDigest]
		if text == "" {
			continue
		}
		listed[text] = true
		id, err := refs.ParseOID(text)
		if err == nil {
			_, err = objects.Commit(id)
		}
		if err != nil {
			missing++
		}
	}
	if missing > 0 {
		found("%s of %d are not here", numbers.Count(missing, "commit"), len(listed))
		return
	}
	if _, err := objects.Commit(s.Predicate.Range.From); err != nil {
		found("the commit before the range, %.10s, is not here", s.Predicate.Range.From)
		return
	}
	end := s.Predicate.Range.To
	tree, err := treeOf(repo, end)
	last := s.Subject[len(s.Subject)-1].Digest[treeDigest]
	if err != nil || !listed[end.String()] || tree != last {
		found("the tree at the end is not the attested one")
	}
}

// holdLog checks that the log has the event that the statement calls its last.
func (s *statement) holdLog(ctx context.Context, log *events.Log, out *attested, found func(string, ...any)) error {
	p := &s.Predicate.Proof
	fetched, err := sharing.Verify(ctx, log)
	if err != nil {
		return exit.Fail(exit.Unchecked, err, "git fsck shows whether the repository is damaged")
	}
	for _, f := range fetched {
		if f.Writer == p.Writer && f.Why == "" && f.Made.Seq >= p.Last {
			out.Log = logBeyond
		}
	}
	mine := false
	for e, err := range log.Walk(ctx, events.Range{}) {
		if err != nil {
			return exit.Fail(exit.Unchecked, err, "")
		}
		if mine = mine || e.Writer == p.Writer; e.Seq < p.Last {
			continue
		}
		if !mine {
			return nil
		}
		if out.Log = logHeld; string(e.ID) != p.Head {
			found("event %d of the log is not the attested one", p.Last)
		}
		return nil
	}
	if mine {
		found("the log has lost event %d", p.Last)
	}
	return nil
}

// tellAttested prints the result of a check.
func (a *app) tellAttested(c *call, out *attested) error {
	w := terminal.Quietly(a.std.out)
	if c.Bool("json") {
		if err := writeJSON(w, out); err != nil {
			return err
		}
	} else {
		for _, text := range out.Findings {
			fmt.Fprintln(w, cells.Safe(text))
		}
		if out.Signed == checkpoint.Good {
			fmt.Fprintf(w, "signed by %s\n", cells.Safe(out.Signer))
		}
		fmt.Fprintf(w, "%s of %s; %s\n", numbers.Count(out.Commits, "commit"), cells.Safe(out.Range.Dotted()),
			map[attestedLog]string{logHeld: "the log is here, and has the attested last event",
				logBeyond: "a digest of the log is here", logNotHere: "the log is not here and was not checked"}[out.Log])
	}
	if len(out.Findings) > 0 {
		return exit.Silent(exit.Finding)
	}
	return nil
}
