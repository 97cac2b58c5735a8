package vector

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/linediff"
)

// Each old line has an owner of its own, by its number. The new ones name theirs: a number, or "." for a new line.
func TestALineIsItsWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, was, is, want string }{
		{"quotation marks, semicolons, commas", "a = ['x', 'y']\nuse(a)", "a = [\"x\", \"y\",];\nuse(a);", "0 1"},
		{"a long call is wrapped", "call(one, 'two', three)\nnext()", "call(\n  one,\n  \"two\",\n  three,\n);\nnext();", "0 0 0 0 0 1"},
		{"lines are joined", "call(\n  one,\n  two\n)", "call(one, two);", "0"},
		{"a joined line has the owner of most of it", "call(\n  oneLongArgument,\n  two\n)", "call(oneLongArgument, two);", "1"},
		{"escapes that the other quotation marks need", `say('it\'s "so"')`, `say("it's \"so\"")`, "0"},
		{"numbers in another form", "width = .5 + 0XFF + 1.50e+3", "width = 0.5 + 0xff + 1.5e3;", "0"},
		{"the prefix of a string", `name = U'text' + F"{name}"`, `name = "text" + f"{name}"`, "0"},
		{"brackets around an expression", "return first && second", "return (\n  first &&\n  second\n)", "0 0 0 0"},
		{"JSX between brackets", "return <Name of=\"x\">text</Name>", "return (\n  <Name of='x'>\n    text\n  </Name>\n)", "0 0 0 0 0"},
		{"a tag that is closed", "<br><img src='x'>", "<br />\n<img src=\"x\" />", "0 0"},
		{"a comment is wrapped", "// one two three four\nrun()", "// one two\n// three four\nrun();", "0 0 1"},
		{"a comment between stars", "/* one two\n * three four */", "/* one two three\n * four */", "0 1"},
		{"a comment behind a statement", "int count; // how many there are", "int count; // how many\n           // there are", "0 0"},
		{"prose", "- An entry with words, and more of them.", "- An entry with words,\n  and more of them.", "0 0"},
		{"a table", "| a | b |\n|---|---|\n| first | second |", "| a     | b      |\n| ----- | ------ |\n| first | second |", "0 1 2"},
		{"the first of several types", "type Name = 'one' | 'two'", "type Name =\n  | \"one\"\n  | \"two\";", "0 0 0"},
		{"a brace on a line of its own", "int main() {\n  return run(); }", "int main()\n{\n  return run();\n}", "0 0 1 0"},
		{"what goes on behind a line end", "first = one + \\\n  two", "first = (one +\n  two)", "0 1"},
		{"blank lines between", "def first():\n  return 'x'\ndef second():\n  return 'y'",
			"def first():\n  return \"x\"\n\n\ndef second():\n  return \"y\"", "0 1 1 1 2 3"},
		{"a new line above that begins as it does", "const first = 'one'\nconst last = 'two'",
			"const first = \"one\";\nconst mine = \"new\";\nconst last = \"two\";", "0 . 1"},
		{"a new line below that ends as it does", "first('x', done())\nlast('y', done())",
			"first(\"x\", done());\nmine(\"z\", done());\nlast(\"y\", done());", "0 . 1"},
		{"a line comes that equals one behind other lines", "first('a', one)\nsecond('b', two)\nthird('c', three)\nreturn nil\nlast('d', four)",
			"first(\"a\", one)\nreturn nil\nsecond(\"b\", two)\nthird(\"c\", three)\nreturn nil\nlast(\"d\", four)", "0 . 1 2 3 4"},
		{"one of such lines goes", "const first = 'one'\nconst gone = 'no'\nconst last = 'two'",
			"const first = \"one\";\nconst last = \"two\";", "0 2"},
		{"lines come between the parts of a wrapped line", "call(oneArgument, two)\nfirst(one)\nsecond(two)\nthird(three)\nlast(four)",
			"call(\nfirst(one)\nsecond(two)\nthird(three)\n\n  oneArgument, two);\nlast(four)", "0 1 2 3 3 0 4"},
		{"lines change places with a part of a wrapped line", "call(oneArgument, two)\nfirst(one)", "first(one)\ncall(\n  oneArgument, two);", "1 0 0"},

		{"one part of a wrapped line goes", "call(oneArgument, two)\nfirst(one)\nsecond(two)\nthird(three)\nlast(four)",
			"call(\nfirst(one)\nsecond(two)\nthird(three)\nlast(four)", ". 1 2 3 4"},
		{"the parts of a short line", "call(one)\nfirst(one)\nsecond(two)\nthird(three)\nlast(four)",
			"call(\nfirst(one)\nsecond(two)\nthird(three)\none)\nlast(four)", ". 1 2 3 . 4"},
		{"another name", "call(one, 'two')", "call(other, \"two\")", "."},
		{"another number", "wait = 10", "wait = 11;", "."},
		{"another operator", "if (first <= second) run()", "if (first < second) run();", "."},
		{"a negation goes", "if (!ready) { stop() }", "if (ready) {\n  stop();\n}", ". 0 ."},
		{"a negation comes", "if (ready) stop()", "if (!ready) stop();", "."},
		{"another text", "say('good day, all')", "say(\"good day all\");", "."},
		{"other brackets in a text", "match('[a-z]')", "match(\"(a-z)\");", "."},
		{"the end of a line goes", "total = first + second", "total = first;", "."},
		{"an argument in the middle of a wrapped call", "call(firstOne, second, third)", "call(\n  firstOne,\n  another,\n  second,\n  third,\n);",
			"0 0 . 0 0 0"},
		{"a statement becomes a comment", "run(one, two)", "// run(one, two)", "."},
		{"a comment becomes a statement", "# first = 1\n# second = 2", "# first = 1\nsecond = 2", "0 ."},
		{"words change places", "call(firstOne, secondOne)", "call(secondOne, firstOne);", "."},
		{"a block that a person puts around it", "run('all of it')", "if (ready) {\n  run(\"all of it\");\n}", ". 0 ."},
		{"a brace comes above a call whose semicolon goes", "\nvalue_18_003(\n  'a_18_003', last);", "\n}\nvalue_18_003(\n  'a_18_003', last)", "0 . 1 2"},
		{"a brace comes below a blank line, above a call that is broken", "first()\n\nvalue(one, two);", "first()\n\n}\nvalue(\n  one, two)", "0 1 . 2 2"},
		{"a part of a version", "go 'v1.20'", "go \"v1.2\"", "."},
	} {
		old := Content{Lines: linediff.Split([]byte(c.was))}
		var b Builder
		for i := range old.Lines {
			b.Add(Owner{Kind: events.OwnerAI, Patch: events.PatchID(fmt.Sprint(i))}, 1)
		}
		old.Owners = b.Vector()
		v := Carry(old, linediff.Split([]byte(c.is)), Owner{Kind: events.OwnerHuman}).Vector
		var got []string
		for i := range v.Len() {
			name := "."
			if o := v.At(i); o.Kind == events.OwnerAI {
				name = string(o.Patch)
			}
			got = append(got, name)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s:\n%s\n-- to --\n%s\n%v, want %s", c.name, c.was, c.is, got, c.want)
		}
	}
}

// What two streams have in common: their beginning, their end, and then the heaviest run of what lies between, again
// and again.
func TestAlignedWordsAreThoseOfTheRule(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	some := func() (s stream) {
		for range random.IntN(24) {
			word := random.IntN(9)
			s.keys, s.weights = append(s.keys, uint64(word)), append(s.weights, word%5)
		}
		s.ends = []int{0, len(s.keys)}
		return s
	}
	for range 20_000 {
		a, b := some(), some()
		var want []wordRun
		alignedByTheRule(&a, &b, wordRun{}, wordRun{old: len(a.keys), new: len(b.keys)}, &want)
		want = slices.DeleteFunc(want, func(r wordRun) bool { return r.words == 0 })
		if got := alignWords(&a, &b); !slices.Equal(got, joined(want)) {
			t.Fatalf("%v\n%v\n%v, want %v", a.keys, b.keys, got, joined(want))
		}
	}
}

func alignedByTheRule(a, b *stream, from, to wordRun, out *[]wordRun) {
	same := func(i, j int) bool { return a.keys[i] == b.keys[j] }
	top, bottom := 0, 0
	for from.old+top < to.old && from.new+top < to.new && same(from.old+top, from.new+top) {
		top++
	}
	for to.old-bottom > from.old+top && to.new-bottom > from.new+top && same(to.old-bottom-1, to.new-bottom-1) {
		bottom++
	}
	*out = append(*out, wordRun{from.old, from.new, top})
	from, to = wordRun{old: from.old + top, new: from.new + top}, wordRun{old: to.old - bottom, new: to.new - bottom}
	best, most := wordRun{}, trivial-1
	for end := from.new + 1; end <= to.new; end++ {
		for j := from.new; j < end; j++ {
			for i := from.old; i+end-j <= to.old; i++ {
				longest := (i == from.old || j == from.new || !same(i-1, j-1)) && slices.Equal(a.keys[i:i+end-j], b.keys[j:end])
				if w := b.weigh(j, end); longest && (w > most || w == most && end == best.new+best.words && i+end-j < best.old+best.words) {
					best, most = wordRun{i, j, end - j}, w
				}
			}
		}
	}
	if best.words > 0 {
		alignedByTheRule(a, b, from, best, out)
		*out = append(*out, best)
		alignedByTheRule(a, b, wordRun{old: best.old + best.words, new: best.new + best.words}, to, out)
	}
	*out = append(*out, wordRun{to.old, to.new, bottom})
}

// A file that is written anew costs no more than in proportion to its length.
func TestALongTextWrittenAnewIsCompared(t *testing.T) {
	t.Parallel()
	text := func(n int, word string) (lines [][]byte) {
		for i := range n {
			lines = append(lines, fmt.Appendf(nil, "\t%s.call%d(value, %d) // of %d", word, i*7919%n, i%13, i))
		}
		return lines
	}
	old := Content{Lines: text(30_000, "first"), Owners: Uniform(30_000, Owner{Kind: events.OwnerAI, Patch: "a"})}
	v := Carry(old, text(30_000, "second"), Owner{Kind: events.OwnerHuman}).Vector
	if v.HasPatch("a") {
		t.Error("lines of other words are the agent's")
	}
}
