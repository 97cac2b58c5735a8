package steering

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/records/treetrace"
)

// mostReferences limits the number of references in a conversation that are searched for in its earlier text.
const mostReferences = 200

// `hallucinated` finds calls that use a file which never existed. A read, a search, an edit or a command reports that
// the file is missing, and the newest earlier snapshot, if there is one, confirms it. No earlier call made the file,
// and neither the person nor a result mentioned it.
func (a *analysis) hallucinated(c *conversation) {
	at := places{roots: slices.Clone(c.places.roots)}
	at.add(c.above())
	made := map[string]bool{}
	looked := 0
	for _, t := range c.everyTurn() {
		for _, one := range t.calls {
			for _, word := range missingFiles(one) {
				file := at.relative(word)
				if looked == mostReferences || !inside(file) || made[file] || customary(file) ||
					c.prompted(t, func(text string) bool { return names(text, file) }) {
					continue
				}
				if looked++; !c.toldOf(one, file) {
					a.notThere(c, t, one, file)
				}
			}
			for _, ch := range one.changes {
				made[ch.path] = true
			}
		}
	}
}

// `above` returns the common directory of all files that the conversation used; "" if the files are too few or have no
// deep common directory.
func (c *conversation) above() string {
	const few, shallow = 3, 3
	dir, seen := "", 0
	for _, one := range c.all {
		at := path.Dir(clean(one.path))
		if !path.IsAbs(at) || !one.succeeded() || strings.HasPrefix(at, "/tmp") {
			continue
		}
		if seen++; seen == 1 {
			dir = at
		}
		for dir != "/" && at != dir && !strings.HasPrefix(at, dir+"/") {
			dir = path.Dir(dir)
		}
	}
	if seen < few || strings.Count(dir, "/") < shallow {
		return ""
	}
	return dir
}

// notThere checks a file that a call reports as missing against the snapshot from the start of the call.
func (a *analysis) notThere(c *conversation, t *turn, one *call, file string) {
	there, asked := false, ""
	if c.Known != nil && c.Known.There != nil {
		there, asked = c.Known.There(one.id, c.Known.Prompts[t.step], file)
	}
	confidence := 0.85 // only the call reports it
	if asked != "" {
		a.doc.Hallucinations.Verified = true
		confidence = 0.95
	}
	if there {
		return
	}
	evidence := one.what() + ": " + file + " was not there: " + oneLine(one.said(), 80)
	a.fail(failure{kind: treetrace.HallucinatedPath, turn: t, confidence: confidence, subject: file, evidence: evidence})
	a.missing(t, treetrace.HallucinatedPath, file, evidence, asked, treetrace.ReferenceCheck{
		Type: "reference_existence_check", Task: "Check that a file is there before it is read or edited.", Target: file,
	})
}

// missingFiles returns the files that a call reports as missing, in the call's spelling.
func missingFiles(c *call) []string {
	switch {
	case !c.failed():
		return nil
	case c.command == "" && c.path != "" && notFound(c.output):
		return []string{c.path}
	case c.command == "" || strings.Contains(c.command, "||"): // another command is the alternative
		return nil
	}
	commands := simpleCommands(c.command)
	dir := ""
	if first := commands; len(first) > 0 && first[0][0] == "cd" && len(first[0]) == 2 {
		dir = clean(first[0][1])
	}
	var out []string
	for _, m := range noSuchFile().FindAllStringSubmatch(firstLines(c.output, 200), 20) {
		word := m[1] + m[2]
		uses := slices.ContainsFunc(commands, func(words []string) bool {
			return !looks(words[0]) && slices.Contains(words, word)
		})
		if !uses || strings.ContainsAny(word, "*?[$~") {
			continue
		}
		if dir != "" && !path.IsAbs(word) && word != dir {
			word = path.Join(dir, word)
		}
		out = append(out, word)
	}
	return out
}

// noSuchFile finds the file name in a program's message about a missing file.
var noSuchFile = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)(?:^|[\s:])(?:['"‘]([^'"’\n]+)['"’]|([^\s:'"]+)):? ?(?:for reading: |: ?)?` +
		`(?:\[Errno 2\] )?No such file or directory`)
})

// `looks` reports whether a program checks for a file, removes it or makes it.
func looks(program string) bool {
	return slices.Contains([]string{"ls", "stat", "test", "[", "[[", "find", "file", "which", "command", "type", "du",
		"tree", "realpath", "readlink", "rm", "rmdir", "mkdir", "touch", "chmod", "kill"}, program)
}

// `customary` reports whether projects often have a file with that name. An agent that tries such a name has not
// invented it.
func customary(file string) bool {
	name := strings.ToLower(path.Base(file))
	hidden := slices.ContainsFunc(strings.Split(file, "/"), func(part string) bool { return strings.HasPrefix(part, ".") })
	known := slices.ContainsFunc([]string{"readme", "license", "changelog", "contributing", "makefile", "agents.md",
		"claude.md", "gemini.md", "tsconfig", "todo"}, func(known string) bool { return strings.HasPrefix(name, known) })
	return known || hidden || isManifest(file) || strings.Contains(name, ".local")
}

// toldOf reports whether the result of an earlier call contains a file's path, or its name alone as in a list.
func (c *conversation) toldOf(one *call, file string) bool {
	base := path.Base(file)
	for _, before := range c.all {
		if before == one {
			return false
		}
		if strings.Contains(before.output, file) || listed(before.output, base) {
			return true
		}
	}
	return false
}

// `listed` reports whether a text contains a name between white space.
func listed(text, name string) bool {
	for {
		i := strings.Index(text, name)
		if i < 0 {
			return false
		}
		after := text[i+len(name):]
		before, behind := i == 0 || isBlank(text[i-1]), after == "" || isBlank(after[0])
		if before && behind {
			return true
		}
		text = after
	}
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

func (a *analysis) missing(t *turn, category, reference, evidence, asked string, check treetrace.ReferenceCheck) {
	a.doc.Hallucinations.List = append(a.doc.Hallucinations.List, treetrace.Hallucination{
		Category: category, Reference: reference, NodeID: nodeID(t.number), Evidence: evidence, CheckedAt: asked,
		EvalCandidate: check,
	})
}

// `prompted` reports whether the prompt of a turn, or one of the up to 1,000 prompts before it, passes a test.
func (c *conversation) prompted(t *turn, kind func(text string) bool) bool {
	const far = 1000
	upTo := slices.Index(c.turns, t) + 1
	return slices.ContainsFunc(c.turns[max(upTo-far, 0):upTo], func(o *turn) bool { return kind(o.text) })
}

func notFound(output string) bool {
	return containsAny(strings.ToLower(firstLines(output, 10)), "no such file", "file does not exist",
		"path does not exist", "file doesn't exist", "file not found", "enoent", "cannot find the file")
}

// `names` reports whether a text contains a file's path or its last part.
func names(text, file string) bool {
	return strings.Contains(text, file) || strings.Contains(text, file[strings.LastIndexByte(file, '/')+1:])
}
