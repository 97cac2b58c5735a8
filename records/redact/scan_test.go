package redact

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// One reading finds each place that a look at every place finds.
func TestOneReadingFindsEveryPlace(t *testing.T) {
	t.Parallel()
	p := newPatterns()
	pieces := []string{"pass", "PWD", "psk", "Pat", "seCret", "senha", "token", "KEY", "kennwort", "cred", "contrasena", "auth", "jwt", "Bearer",
		"basic ", "authorization", "home", "USERS", "Documents and Settings", "~", "://", " -", "|", " /p:", "IDENTIFIED", "identified", "asic ",
		"PRIVATE KEY", "\x1b", "\x00", "\b", "^[[", "^@", "\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "é", " ", "\n", "x", "p", "s", "-"}
	for _, list := range p.forms {
		for _, f := range list {
			pieces = append(pieces, f.begin)
		}
	}
	random := rand.New(rand.NewPCG(22, 3))
	for range 3000 {
		var b strings.Builder
		for range random.IntN(9) {
			piece := pieces[random.IntN(len(pieces))]
			if random.IntN(4) == 0 {
				piece = piece[:random.IntN(len(piece)+1)]
			}
			b.WriteString(piece)
		}
		text := b.String()
		s := p.begins.scan(text)
		has := func(family int, i int) bool { return slices.Contains(s.at[family], int32(i)) }
		for i := range len(text) {
			rest := text[i:]
			formed := slices.ContainsFunc(p.forms[text[i]], func(f form) bool { return strings.HasPrefix(rest, f.begin) })
			login := word(text, i, "bearer") || word(text, i, "basic") || word(text, i, "authorization")
			home := word(text, i, "home") || word(text, i, "users") || word(text, i, "documents and settings")
			argument := strings.HasPrefix(rest, " -p") || strings.HasPrefix(rest, " /p:") || rest[0] == '|' && len(rest) > 2
			sql := strings.HasPrefix(rest, "IDENTIFIED") || strings.HasPrefix(rest, "identified")
			for family, want := range map[int]bool{
				atStem: stem(text, i), atForm: formed, atLogin: login, atHome: home, atArgument: argument, atSQL: sql,
				atURL: strings.HasPrefix(rest, "://"), atBasic: strings.HasPrefix(rest, "asic "),
				atKey: strings.HasPrefix(rest, "PRIVATE KEY"),
			} {
				if want && !has(family, i) {
					t.Fatalf("%q: nothing of the kind %d is found at %d", text, family, i)
				}
			}
		}
		if hasUnseen(text) && !s.unseen {
			t.Fatalf("%q: nothing unseen is found", text)
		}
	}
}

// A line of words is none with a command: its spaces are no places.
func TestASpaceIsNoPlaceOfAnArgument(t *testing.T) {
	t.Parallel()
	s := newPatterns().begins.scan("func (s *marks) values() []span { return nil } // nothing, a-b, c - d, e")
	if n := len(s.at[atArgument]); n != 1 {
		t.Errorf("%d places, want that of the hyphen behind a space", n)
	}
}
