package transcripts

import (
	"fmt"
	"testing"
)

func TestSubstitutionsOfTheShellAreMadeAsSedMakesThem(t *testing.T) {
	t.Parallel()
	const before = "one two two\n\tfoo(bar, baz)\na.b.c\n"
	for _, test := range []struct{ command, file, after string }{
		{`sed -i 's/two/2/' a.txt`, "a.txt", "one 2 two\n\tfoo(bar, baz)\na.b.c\n"},
		{`sed -i.bak -e s/two/2/g a.txt`, "a.txt", "one 2 2\n\tfoo(bar, baz)\na.b.c\n"},
		{`sed -i '' 's/ONE/1/I' ./a.txt`, "a.txt", "1 two two\n\tfoo(bar, baz)\na.b.c\n"},
		{`cd src && sed -i "s|foo(\(.*\), baz)|baz(\1)|" a.txt && go build ./...`, "src/a.txt", "one two two\n\tbaz(bar)\na.b.c\n"},
		{`sed -Ei 's/(ba)[rz]/[&\1]/g' a.txt`, "a.txt", "one two two\n\tfoo([barba], [bazba])\na.b.c\n"},
		{`sed -i -E 's/(ba)[rz]/[&\1]/g' a.txt`, "a.txt", "one two two\n\tfoo([barba], [bazba])\na.b.c\n"},
		{`sed -i 's/a\.b/x/;s/x.c/y/' a.txt`, "a.txt", "one two two\n\tfoo(bar, baz)\ny\n"},
		{`sed -i '3s/\./_/g' a.txt`, "a.txt", "one two two\n\tfoo(bar, baz)\na_b_c\n"},
		{`sed -i 's/b+/x/' a.txt`, "a.txt", before},
		{`sed -i 's/\<tw\|one/X/' a.txt`, "a.txt", "X two two\n\tfoo(bar, baz)\na.b.c\n"},
		{`perl -pi -e 's/(\w+), (\w+)/$2, $1/' a.txt`, "a.txt", "one two two\n\tfoo(baz, bar)\na.b.c\n"},
		{`sed -i 's/one/1/' a.txt; sed -i 's/1/uno/' a.txt`, "a.txt", "uno two two\n\tfoo(bar, baz)\na.b.c\n"},
		{`sed --regexp-extended --in-place=.bak --expression 's/[^[:alpha:]]+b/-/;s/[]z)]$/!/' a.txt`, "a.txt", "one two two\n\tfoo-ar, baz!\na-.c\n"},
		{`cd /src && sed -i -e 's/\./\t/' -e '1,2s/o/0/' "./a.txt"`, "/src/a.txt", "0ne two two\n\tf0o(bar, baz)\na\tb.c\n"},
		{`perl -ipe 's/two$/\n2/' a.txt`, "a.txt", "one two \n2\n\tfoo(bar, baz)\na.b.c\n"},
		{`sed -i s,a/b,x, f; sed -i 's|a\|b|x|' a.txt`, "f", before},
		// What the command does is not known.
		{`perl -pi -e 's/two/@list/' a.txt`, "", ""},
		{`perl -pi -e 's{two}{2}' a.txt`, "", ""},
		{`sed --posix -i 's/two/2/' a.txt`, "", ""},
		{`sed -i 's/two' a.txt`, "", ""},
		{`sed -i 's/two/\1/' a.txt`, "", ""},
		{`sed -i 's/two/2/' 'a.txt`, "", ""},
		{`sed 's/two/2/' a.txt`, "", ""},
		{`sed -i "s/two/$NEW/" a.txt`, "", ""},
		{`sed -i 's/two/2/' *.txt`, "", ""},
		{`sed -i '/two/d' a.txt`, "", ""},
		{`sed -i 's/\(a\)\1/b/' a.txt`, "", ""},
		{`sed -i 's/two/2/e' a.txt`, "", ""},
		{`sed -n -i 's/two/2/p' a.txt`, "", ""},
		{`sed -i 's/x*/-/g' a.txt`, "", ""},
		{`sed -i 's/two/\U&/' a.txt`, "", ""},
		{`perl -pi -e 's/two/uc($1)/e' a.txt`, "", ""},
		{`sed -i`, "", ""},
	} {
		edits := shellRewrites(test.command)
		if test.after == "" {
			if len(edits) > 0 {
				t.Errorf("%s: tells %s", test.command, edits[0].Path)
			}
			continue
		}
		if len(edits) == 0 || edits[0].Path != test.file {
			t.Errorf("%s: %d files", test.command, len(edits))
			continue
		}
		if after := string(edits[0].Rewrite([]byte(before))); after != test.after {
			t.Errorf("%s: gives %q, want %q", test.command, after, test.after)
		}
	}
}

func TestASubstitutionThatGrowsWithoutEndIsNotMade(t *testing.T) {
	t.Parallel()
	long := make([]byte, 2000)
	for i := range long {
		long[i] = 'x'
	}
	edits := shellRewrites(fmt.Sprintf("sed -i 's/a/%s/g' f", long))
	text := make([]byte, 10_000)
	for i := range text {
		text[i] = 'a'
	}
	if after := edits[0].Rewrite(text); len(after) != len(text) {
		t.Errorf("%d bytes of %d", len(after), len(text))
	}
}
