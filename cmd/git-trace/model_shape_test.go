package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Forms of a line. A formatter changes quotation marks and semicolons, and it wraps and joins lines:
//
//	call_05_001('a_05_001', last);
//	call_05_001(
//	  "a_05_001", last)
//
// In each form it is the same line to the model.

// changedSigns are what formatters put in and take out.
var changedSigns = strings.NewReplacer(";", "", "'", "", `"`, "")

// argumentBegins begins the second half of a line that is wrapped.
const argumentBegins = "a_"

// halves are the two lines that a line becomes when it is wrapped, without white space and signs.
func halves(word string) (first, second string, ok bool) {
	first, second, ok = strings.Cut(word, "(")
	return first + "(", second, ok && strings.HasPrefix(second, argumentBegins)
}

// splits tells whether a place is between the halves of a line. Nobody takes one away and leaves the other.
func splits(lines []string, at int) bool {
	if at <= 0 || at >= len(lines) {
		return false
	}
	before, after := bare(lines[at-1]), bare(lines[at])
	return strings.HasSuffix(before, "(") && strings.HasPrefix(after, argumentBegins)
}

// wholeOf is the line that a half is of, or the line itself.
func (l *writers) wholeOf(word string) string {
	if whole := l.whole[word]; whole != "" {
		return whole
	}
	return word
}

// style is what a formatter makes of files, for sed -E.
func style(rng *rand.Rand) string {
	steps := []string{
		`s/\)(\r?)$/);\1/`, `s/\);(\r?)$/)\1/`,
		`s/'/"/g`, `s/"/'/g`,
		`s/^([ \t]*)([a-z]+_[0-9_]+\()(['"]a_.*)$/\1\2\n\1  \3/`,
		`/\(\r?$/{$!N;s/_([0-9_]+)\(\r?\n[ \t]*(['"]a_\1['"])/_\1(\2/;P;D}`,
	}
	var out strings.Builder
	for i := 0; i < len(steps); i += 2 {
		if kind := rng.IntN(4); kind < 2 {
			out.WriteString(steps[i+kind] + "\n")
		}
	}
	return out.String()
}

// formatted is a text in another form, with the line that each line was.
func (w *world) formatted(rules string, old []string) (text []string, from []int) {
	cmd := exec.Command("sed", "-E", "-f", filepath.Join(w.root, rules))
	cmd.Stdin = strings.NewReader(joinLines(old))
	out, err := cmd.Output()
	w.must(err)
	text = splitLines(string(out))
	at := 0
	for n := 0; n < len(text); n++ {
		key, was := bare(text[n]), bare(old[at])
		from = append(from, at)
		at++
		if key == was {
			continue
		}
		if first, second, _ := halves(was); key == first && bare(text[n+1]) == second {
			from = append(from, at-1)
			n++
			continue
		}
		if first, second, _ := halves(key); was != first || bare(old[at]) != second {
			w.must(fmt.Errorf("formatted %q into %q", old, text))
		}
		at++
	}
	return text, from
}

// format: a formatter is run, by hand, by an agent, or when a person or an agent saves what they wrote.
func format(w *world, rng *rand.Rand, dir string) bool {
	rules := w.keep(style(rng))
	some := w.paths(dir)
	if len(some) == 0 {
		return false
	}
	if rng.IntN(2) == 0 {
		some = []string{some[rng.IntN(len(some))]}
	}
	some = slices.DeleteFunc(some, func(path string) bool {
		return w.renamed[dir+"\x00"+path] || w.movedNow[dir+"\x00"+path] // moved and in another form: that is new
	})
	run := func(who string, edited bool) {
		for _, path := range some {
			old, _ := w.read(dir, path)
			if len(old) == 0 {
				continue
			}
			if edited && rng.IntN(2) == 0 {
				text, from := w.reshape(rng, old)
				w.writeAs(dir, path, from, text, who)
				old = text
			}
			if len(old) == 0 {
				continue
			}
			text, from := w.formatted(rules, old)
			w.writeAs(dir, path, from, text, who)
			w.shapedNow[dir+"\x00"+path] = true
			w.loosen(dir, path)
			w.put(dir, path)
		}
	}
	edited := rng.IntN(2) == 0
	if rng.IntN(3) > 0 {
		run(byHuman, edited)
		return true
	}
	s := w.session(rng)
	w.agentShell(dir, s, func() { run(s, edited) })
	return true
}

// loosen notes that nobody may know whose the common lines are that an edit wrote: where a file was formatted before
// anybody looked, the formatter may have put them there, beside the lines that it changed; and where a session file alone
// told of the edit.
func (w *world) loosen(dir, path string) {
	key := dir + "\x00" + path
	e, found := w.unseen[key]
	if !found || !w.shapedNow[key] && !w.clients.untold {
		return
	}
	for _, b := range w.ledger.blocks(e.text) {
		if b.key != "" && slices.ContainsFunc(e.from[b.first:b.last], func(at int) bool { return at < 0 }) {
			w.ledger.found(b.key, unsure)
		}
	}
}

// mostFormer is how many contents of a file are remembered.
const mostFormer = 8

// remember keeps the contents that a boundary sees.
func (w *world) remember(dir string, input map[string]any, full bool) {
	if !w.profile.shaped {
		return
	}
	paths := w.paths(dir)
	if !full {
		rel, _ := filepath.Rel(dir, input["file_path"].(string))
		paths = []string{rel}
	}
	for _, path := range paths {
		raw, err := os.ReadFile(filepath.Join(dir, path))
		key := dir + "\x00" + path
		if list := w.former[key]; err == nil && len(raw) > 0 && !slices.Contains(list, string(raw)) {
			w.former[key] = append(list[max(0, len(list)-mostFormer):], string(raw))
		}
	}
}

// undo: a client takes a turn back, or an editor undoes: a file has a content again that it had, or some of it.
func undo(w *world, rng *rand.Rand, dir string) bool {
	path, ok := w.pickPath(rng, dir)
	key := dir + "\x00" + path
	if list := w.former[key]; !ok || len(list) == 0 || w.renamed[key] || w.movedAndEdited(dir) {
		return false
	}
	text := splitLines(w.former[key][rng.IntN(len(w.former[key]))])
	now, _ := w.read(dir, path)
	if rng.IntN(3) == 0 {
		if text, ok = w.broughtBack(rng, dir, text, now); !ok {
			return false
		}
	}
	if slices.Equal(text, now) {
		return false
	}
	act := func() {
		w.store(dir, path, text)
		w.put(dir, path)
	}
	delete(w.unseen, key)
	if rng.IntN(3) > 0 {
		act()
		return true
	}
	w.agentShell(dir, w.session(rng), act)
	return true
}

// broughtBack is a text with a run of lines of a former one, none of which it has. Common lines are within the run only.
func (w *world) broughtBack(rng *rand.Rand, dir string, former, now []string) ([]string, bool) {
	here := map[string]bool{}
	for _, path := range w.paths(dir) {
		lines, _ := w.read(dir, path)
		for _, line := range lines {
			here[w.ledger.wholeOf(bare(line))] = true
		}
	}
	unique := func(line string) bool { return w.ledger.words[bare(line)] != "" }
	first, last := 0, 0
	for a := range former {
		b, words := a, 0
		for ; b < len(former) && (isCommon(former[b]) || unique(former[b]) && !here[w.ledger.wholeOf(bare(former[b]))]); b++ {
			if unique(former[b]) {
				words++
			}
		}
		for b > a && !unique(former[b-1]) {
			b--
		}
		if unique(former[a]) && words >= 4 && b-a > last-first {
			first, last = a, b
		}
	}
	at := rng.IntN(len(now) + 1)
	edge := func(i int) bool { return i < 0 || i >= len(now) || unique(now[i]) }
	if first == last || !edge(at-1) || !edge(at) {
		return nil, false
	}
	return slices.Concat(now[:at], former[first:last], now[at:]), true
}

// manager is a hook that looks after what is committed, as pre-commit, prek, lint-staged and husky do. The file
// "manager" says how, and with what rules.
const manager = `#!/bin/sh
# Hides what is not staged, formats what is, and brings the rest back.
[ -f "$WORK/manager" ] || exit 0
. "$WORK/manager"
status=0 patch=$WORK/unstaged
files=$(git diff --cached --name-only --diff-filter=ACMR)
[ -n "$files" ] || exit 0
case $kind in
pre-commit)
	meant=$(git diff --name-only --diff-filter=A)
	[ -z "$meant" ] || git rm -q --cached -- $meant
	git diff-index --ignore-submodules --binary --no-color --no-ext-diff "$(git write-tree)" -- >"$patch"
	[ ! -s "$patch" ] || git checkout -q -- .
	sed -i -E -f "$rules" $files
	git diff --quiet || status=1
	if [ -s "$patch" ]; then
		git apply --whitespace=nowarn "$patch" || { git checkout -q -- . && git apply --whitespace=nowarn "$patch"; }
	fi
	[ -z "$meant" ] || git add -N -- $meant
	;;
lint-staged)
	partly=
	for f in $files; do git diff --quiet -- "$f" || partly="$partly $f"; done
	backup=$(git stash create)
	[ -z "$backup" ] || git stash store -q -m lint-staged "$backup"
	: >"$patch"
	if [ -n "$partly" ]; then
		git diff --binary --unified=0 --no-color --no-ext-diff --patch --output="$patch" -- $partly
		git checkout -q --force -- $partly
	fi
	sed -i -E -f "$rules" $files
	git add -- $files
	if [ -s "$patch" ]; then
		git apply --whitespace=nowarn --recount --unidiff-zero "$patch" ||
			git apply --whitespace=nowarn --recount --unidiff-zero --3way "$patch" ||
			{ git reset -q --hard HEAD; git stash apply -q --index "$backup"; status=1; }
	fi
	[ -z "$backup" ] || git stash drop -q
	;;
husky)
	sed -i -E -f "$rules" $files
	git add -- $files
	;;
esac
exit $status
`

// installManager puts the hook in its place, before git-trace comes.
func (w *world) installManager(dir string) {
	if !w.profile.shaped {
		return
	}
	name := w.keep(manager)
	script := "cp $WORK/" + name + " .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit"
	w.run(dir, "sh", "-c", script)
	w.say("exec sh -c " + quoteWord(script))
}

// commitManaged: a commit of a part or of everything, under the hook manager. What it formats and does not stage is
// staged and committed once more.
func commitManaged(w *world, rng *rand.Rand, dir string) bool {
	if w.busy(dir) != "" || len(w.movedNow)+len(w.renamed) > 0 { // moved, and in another form: that is new
		return false
	}
	kind := []string{"pre-commit", "lint-staged", "husky"}[rng.IntN(3)]
	rules := w.keep(style(rng))
	how := w.keep(fmt.Sprintf("kind=%s rules=$WORK/%s\n", kind, rules))
	switch rng.IntN(3) {
	case 0:
		w.git(dir, "add", "-A")
	case 1:
		stage(w, rng, dir)
	default:
		w.stagePart(rng, dir)
	}
	staged, _ := w.ask(dir, "diff", "--cached", "--name-only", "--diff-filter=ACMR")
	if staged == "" {
		return false
	}
	w.enter(dir)
	w.run(dir, "cp", filepath.Join(w.root, how), filepath.Join(w.root, "manager"))
	w.say("cp $WORK/" + how + " $WORK/manager")
	w.managed = true
	for key := range w.unseen {
		w.shapedNow[key] = true
		w.loosen(dir, strings.TrimPrefix(key, dir+"\x00"))
	}
	done := w.git(dir, "commit", "-q", "-m", w.message())
	if !done {
		w.git(dir, append([]string{"add", "--"}, strings.Fields(staged)...)...)
		done = w.git(dir, "commit", "-q", "-m", w.message())
	}
	w.run(dir, "rm", filepath.Join(w.root, "manager"))
	w.say("rm $WORK/manager")
	return done
}
