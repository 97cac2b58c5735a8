package agents_test

import (
	"regexp"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/treetrace"
)

// upstreamNode is what the rules of upstream's TreeTrace 0.10 say of a prompt. They are written from a description of
// them, and work on what our parsers read: the faults of upstream's own reading are left out, to its advantage.
type upstreamNode struct {
	kind    string
	signals []string
}

func pattern(list ...string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)` + strings.Join(list, "|"))
}

var (
	upstreamCorrection = pattern(`^(no|not|don'?t|stop|wrong|undo|revert|nope|that'?s not|that'?s wrong|why did you)\b`,
		`\b(didn'?t|doesn'?t) work\b`, `\bnot working\b`, `\bstill (failing|broken|wrong)\b`, `\bthat broke\b`,
		`\byou (missed|forgot|skipped|ignored)\b`, `\bredo this\b`, `\bgo back\b`, `\bthat'?s incorrect\b`,
		`\bnot what i (asked|meant|wanted)\b`, `\bundo this\b`, `\broll back\b`, `\byou (built|solved).* wrong\b`)
	upstreamScope = pattern(`^(also|now (add|build|make))\b`, `\bnew (feature|requirement|idea)\b`, `\blet'?s also\b`,
		`\bswitch to\b`, `\bpivot\b`, `\bchange of plans\b`, `\bfrom now on\b`, `\bgoing forward\b`, `\bnext phase\b`,
		`\binstead of .{1,40} (use|do)\b`, `\b(scrap|forget) that\b`, `\brather than\b`)
	upstreamCheckpoint = pattern(`^(commit|push|publish|ship|deploy|release)\b`, `\b(summary|readme)\b`, `\bsummari[sz]e\b`,
		`\bstatus update\b`, `\bwhere are we\b`, `\bwhat'?s left\b`, `\bwrap up\b`, `\bdocument this\b`, `\bhandoff\b`,
		`\bsave progress\b`)
	upstreamWeak  = pattern(`^(wait|actually|hold on|hmm+|instead)\b`)
	upstreamMenu  = pattern(`^(option )?[0-9a-f]\.?$`)
	upstreamLeads = pattern(`^((whoa|wait|hold on|hmm+|ugh|argh|actually|yikes)[ ,.!-]+)+`)

	upstreamDecline = pattern(`^(no|nope|stop|cancel|don'?t|do not|scrap it|revert|undo|roll back|rip that|back it out|`+
		`take it out|that'?s not it|not that one|not quite|scratch that|never mind)\b`,
		`(^|[.;,] )(stop|undo|revert|yank|rip|kill|scrap|nix|roll back|take it out)( (that|this|it)\b|$|[.!])`,
		`\bnot what i asked\b`, `\bthe whole point is\b`)
	upstreamPolite = pattern(`^(no (problem|worries|rush|need|thanks)|don'?t (forget|hesitate|worry|bother|stop)|` +
		`stop (being|saying|apologi[sz]ing))\b`)

	upstreamDeclined = pattern(`the user (doesn|didn)'t want to (proceed|take)`, `the user wants you to`,
		`user (rejected|declined|cancelled) (this|the|tool)`, `user chose to reject`)
	upstreamDenied = pattern(`permission denied`, `operation not permitted`, `\bEACCES\b`, `\bEPERM\b`, `command not found`,
		`operation cancelled`, `access is denied`, `requires elevation`)
)

// upstreamCues are words of corrections and the failures that they speak of, at most two a prompt, in this order.
var upstreamCues = []struct {
	kind string
	cue  *regexp.Regexp
}{
	{treetrace.IgnoredConstraint, pattern(`\bi said\b`, `\byou (forgot|ignored|skipped|missed)\b`, `\bi explicitly asked\b`)},
	{treetrace.HallucinatedPath, pattern(`hallucinat`, `doesn'?t exist`, `no such file`, `fake (file|api)`, `\bmade up\b`)},
	{treetrace.WrongToolChoice, pattern(`wrong (tool|library)`, `use \S+ instead`)},
	{treetrace.RepeatedFailedFix, pattern(`\bstill (failing|broken|wrong)\b`, `\bagain\b`, `same error`, `didn'?t fix`,
		`keeps failing`, `\bredo\b`)},
	{treetrace.ScopeDrift, pattern(`don'?t add`, `too much`, `overbuilt`, `over-?engineered`, `overkill`,
		`more than i wanted`, `not a (platform|framework)`, `rip it out`, `too complex`)},
	{treetrace.Overbuilt, pattern(`too much`, `overbuilt`, `too heavy`)},
	{treetrace.Underbuilt, pattern(`underbuilt`, `\bmissing\b`, `not enough`, `incomplete`, `you (skipped|missed)`)},
	{treetrace.DependencyMismatch, pattern(`wrong (tool|library)`, `use .{1,30} instead`, `don'?t use`, `dependenc`, `\bpackage\b`,
		`environment`, `(node|python) version`, `missing module`)},
	{treetrace.FormatViolation, pattern(`\bre?format\b`, `malformed`, `same structure`, `exact output`, `invalid (json|yaml)`)},
	{treetrace.Frustration, pattern(`sucks`, `awful`, `\bwtf\b`, `angry`, `frustrat`, `terrible`, `\bbad\b`)},
}

// upstream applies upstream's rules to prompts: words for kinds and failures, results of calls for rejections.
func upstream(r *records.Record, nodes []treetrace.Node) []upstreamNode {
	out := make([]upstreamNode, len(nodes))
	turn, at := map[string]int{}, -1
	for i := range r.Steps { // calls belong to the prompt that was typed last
		step := &r.Steps[i]
		if step.Role == records.RoleUser && step.Content != nil {
			for j := at + 1; j < len(nodes); j++ {
				if nodes[j].Text == *step.Content {
					at = j
					break
				}
			}
		}
		for j := range step.ToolCalls {
			turn[step.ToolCalls[j].ToolCallID] = max(at, 0)
		}
	}
	add := func(i int, kind string) {
		if i >= 0 {
			out[i].signals = append(out[i].signals, kind)
		}
	}
	seen := map[[2]any]bool{}
	for id, i := range turn {
		kind := map[string]string{
			treetrace.ToolError: treetrace.ToolFailed, treetrace.PermissionDenied: treetrace.Denied,
			treetrace.UserDeclinedTool: treetrace.UserRejected,
		}[upstreamRejection(r, id)]
		if kind != "" && !seen[[2]any{i, kind}] && len(nodes) > 0 {
			seen[[2]any{i, kind}] = true
			add(i, kind)
		}
	}
	for i := range nodes {
		text := strings.TrimSpace(nodes[i].Text)
		out[i].kind = upstreamKind(text, i)
		opener := upstreamLeads.ReplaceAllString(text, "")
		if len([]rune(text)) <= 240 && upstreamDecline.MatchString(opener) && !upstreamPolite.MatchString(opener) &&
			!seen[[2]any{i, treetrace.UserRejected}] {
			seen[[2]any{i, treetrace.UserRejected}] = true
			add(i, treetrace.UserRejected)
		}
		for j := range nodes[i].Rejections { // interruptions stand in the text, which upstream sees as we do
			if nodes[i].Rejections[j].Kind == treetrace.UserInterrupt && !seen[[2]any{i, treetrace.UserRejected}] {
				seen[[2]any{i, treetrace.UserRejected}] = true
				add(i, treetrace.UserRejected)
			}
		}
		if out[i].kind != treetrace.Correction || i == 0 {
			continue
		}
		n := 0
		for _, one := range upstreamCues {
			if n < 2 && one.cue.MatchString(text) {
				add(i-1, one.kind)
				n++
			}
		}
	}
	return out
}

func upstreamKind(text string, number int) string {
	lower := strings.ToLower(text)
	switch {
	case number == 0:
		return treetrace.Root
	case upstreamMenu.MatchString(lower):
		return treetrace.Direction
	case upstreamCorrection.MatchString(lower):
		return treetrace.Correction
	case upstreamScope.MatchString(lower):
		return treetrace.ScopeChange
	case upstreamCheckpoint.MatchString(lower):
		return treetrace.Checkpoint
	case upstreamWeak.MatchString(lower):
		return treetrace.Correction
	case strings.Count(text, "?") == 1 && len([]rune(text)) < 250:
		return treetrace.Question
	}
	return treetrace.Direction
}

// upstreamRejection is what upstream says of a failed result, "" for none.
func upstreamRejection(r *records.Record, call string) string {
	for i := range r.Steps {
		for j := range r.Steps[i].Observations {
			o := &r.Steps[i].Observations[j]
			if o.SourceCallID != call || o.Error == nil {
				continue
			}
			said := *o.Error
			if o.Content != nil {
				said = *o.Content
			}
			switch {
			case *o.Error == records.ErrorInterrupted:
				return treetrace.UserInterrupt
			case upstreamDeclined.MatchString(said):
				return treetrace.UserDeclinedTool
			case upstreamDenied.MatchString(said):
				return treetrace.PermissionDenied
			}
			return treetrace.ToolError
		}
	}
	return ""
}

func (l *labelled) otherRejection(call string) string { return upstreamRejection(l.record, call) }
