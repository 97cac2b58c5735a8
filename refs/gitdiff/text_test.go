package gitdiff

import (
	"bytes"
	"errors"
	"testing"
)

const patchText = ":100644 100644 4cb29ea38f70d7c61b2a3a25b02e3bdf44905402 0000000000000000000000000000000000000000 M\ta b\n" +
	":100644 100644 4cb29ea38f70d7c61b2a3a25b02e3bdf44905402 4cb29ea38f70d7c61b2a3a25b02e3bdf44905402 R100\t\"\\303\\244\"\tc\n" +
	"\n" +
	" 2 files changed\n\n" +
	"diff --git a/a b b/a b\nindex 4cb29ea..ca78660 100644\n--- a/a b\t\n+++ b/a b\t\n" +
	"@@ -1,2 +1,2 @@ head\n one\n---- a/x\n\\ No newline at end of file\n++++ b/x\n" +
	"diff --git \"a/\\303\\244\" b/c\nsimilarity index 100%\nrename from \"\\303\\244\"\nrename to c\n" +
	"Submodule s 123..456:\n  > diff\n"

func TestAPatchForPeopleIsReadToTheLastLine(t *testing.T) {
	t.Parallel()
	text, err := ParseText([]byte(patchText), "a/", "b/")
	if err != nil {
		t.Fatal(err)
	}
	if len(text.Records) != 2 || text.Records[1].OldPath != "ä" || string(text.Before) != " 2 files changed\n\n" || len(text.Sections) != 3 {
		t.Fatalf("%+v", text)
	}
	var again bytes.Buffer
	again.Write(text.Before)
	for _, s := range text.Sections {
		again.Write(s.Head)
		for _, p := range s.Passages {
			again.Write(p.Head)
			for _, l := range p.Lines {
				again.WriteByte(l.Sign)
				again.Write(l.Text)
			}
		}
	}
	if _, want, _ := bytes.Cut([]byte(patchText), []byte("\n\n")); again.String() != string(want) {
		t.Errorf("%q", again.String())
	}
	lines := text.Sections[0].Passages[0].Lines
	if lines[1].Old != 2 || lines[1].New != 0 || lines[2].Sign != '\\' || lines[3].New != 2 || string(lines[3].Text) != "+++ b/x\n" {
		t.Errorf("%+v", lines)
	}
	if text.Sections[0].Record != &text.Records[0] || text.Sections[1].Record != &text.Records[1] || text.Sections[2].Record != nil {
		t.Error("sections are of other records")
	}
}

func TestAPatchOfAnotherFormIsRefused(t *testing.T) {
	t.Parallel()
	const record = ":100644 100644 4cb29ea38f70d7c61b2a3a25b02e3bdf44905402 4cb29ea38f70d7c61b2a3a25b02e3bdf44905402 M\tf\n\n"
	for name, row := range map[string]struct {
		text string
		want error
	}{
		"of several versions":      {"::100644 100644 100644 a b c MM\tf\n", ErrCombined},
		"of a conflict":            {":100644 000000 4cb29ea38f70d7c61b2a3a25b02e3bdf44905402 0000000000000000000000000000000000000000 U\tf\n", ErrCombined},
		"of no record":             {record + "diff --git a/g b/g\n", ErrShape},
		"with other prefixes":      {record + "diff --git f f\n", ErrShape},
		"a hunk cut short":         {record + "diff --git a/f b/f\n@@ -1 +1 @@\n-a\n", ErrShape},
		"more lines than it says":  {record + "diff --git a/f b/f\n@@ -1,2 +0,0 @@\n-a\n b\n", ErrShape},
		"text behind a hunk":       {record + "diff --git a/f b/f\n@@ -1 +0,0 @@\n-a\nb\n", ErrShape},
		"a record that is cut off": {":100644 100644 4cb29ea M\n", ErrShape},
	} {
		if _, err := ParseText([]byte(row.text), "a/", "b/"); !errors.Is(err, row.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParseText(f *testing.F) {
	f.Add([]byte(patchText))
	f.Fuzz(func(t *testing.T, in []byte) {
		text, err := ParseText(in, "a/", "b/")
		if err != nil {
			return
		}
		for _, s := range text.Sections {
			for _, p := range s.Passages {
				old, now := 0, 0
				for _, l := range p.Lines {
					if l.Old > 0 {
						old++
					}
					if l.New > 0 {
						now++
					}
				}
				if old > p.OldCount || now > p.NewCount {
					t.Fatalf("hunk %+v has %d and %d lines", p.Hunk, old, now)
				}
			}
		}
	})
}
