package check

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/git-trace/git-trace/internal/version"
)

// SARIF returns the result in the Static Analysis Results Interchange Format, version 2.1.0. Forges show it at the
// lines. Findings are errors, gaps are notes.
func (r *Result) SARIF() any {
	type object = map[string]any
	text := func(s string) object { return object{"text": s} }
	rules := []object{}
	for _, one := range []struct{ id, does string }{
		{ByAgent, "An agent wrote where the policy does not allow it."},
		{ByModel, "A model wrote where the policy does not allow it."},
		{NoReview, "No person reviewed the lines of an agent."},
		{Unknown, "Nothing tells who wrote the lines."},
		{Unsigned, "The log that tells the owner is not signed."},
		{Disputed, "Logs say different things of the owner."},
		{NoLines, "A file has no lines that can be checked."},
		{gapRule, "No evidence covers this part of the change."},
	} {
		rules = append(rules, object{"id": one.id, "shortDescription": text(one.does)})
	}
	place := func(path string, line, lines int) []object {
		physical := object{"artifactLocation": object{"uri": uriOf(path), "uriBaseId": "%SRCROOT%"}}
		if line > 0 {
			physical["region"] = object{"startLine": line, "endLine": line + max(lines, 1) - 1}
		}
		return []object{{"physicalLocation": physical}}
	}
	results := []object{}
	for i := range r.Findings {
		f := &r.Findings[i]
		results = append(results, object{
			"ruleId": f.Rule, "level": "error", "message": text(f.Message + ". To satisfy it: " + f.Satisfy + "."),
			"locations": place(f.Path, f.Line, f.Lines),
		})
	}
	for _, g := range r.Gaps {
		results = append(results, object{"ruleId": gapRule, "level": "note", "message": text(g.Why + "."),
			"locations": place(g.Path, 0, 0)})
	}
	run := object{
		"tool": object{"driver": object{"name": "git-trace", "version": version.Number,
			"informationUri": "https://github.com/git-trace/git-trace", "rules": rules}},
		"results": results, "columnKind": "utf16CodeUnits",
	}
	if r.LeftOff > 0 {
		run["invocations"] = []object{{"executionSuccessful": true, "toolExecutionNotifications": []object{
			{"level": "warning", "message": text(fmt.Sprintf("%d findings are left off", r.LeftOff))}}}}
	}
	return object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []object{run}}
}

// gapRule is the rule's name for gaps.
const gapRule = "not-covered"

// uriOf returns a path as a relative URI.
func uriOf(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	if strings.Contains(parts[0], ":") { // otherwise the part before it would be a scheme (RFC 3986, 4.2)
		parts[0] = "./" + parts[0]
	}
	return strings.Join(parts, "/")
}
