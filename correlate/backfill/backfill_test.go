package backfill

import "testing"

func TestLinesWithoutAWordOfTheirOwnAreCommon(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"return nil": true, "\tif err != nil {": true, "}": true, "import os": true, `if __name__ == "__main__":`: true,
		"def main():": true, "": true, "return 404": false, "return basket": false, "sum := openingBalance()": false,
		"x = 1": true, "// Größe": false, "func (s *Server) Close() error {": false,
	} {
		if got := isCommon(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

func TestRemotesAreComparedByHostAndPath(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"git@example.com:acme/shop.git", "https://example.com/acme/shop", "ssh://git@example.com/Acme/shop.git/", "https://user:pass@example.com/acme/shop",
	} {
		if !sameRemote(url, "https://example.com/acme/shop.git") {
			t.Errorf("%s is another remote: %s", url, remoteName(url))
		}
	}
	if sameRemote("https://example.com/acme/shop", "https://example.com/acme/shop2") {
		t.Error("two remotes are one")
	}
}

func TestReplacementsAreMadeAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		list []Replacement
		want string
		ok   bool
	}{
		{"a\nb\n", []Replacement{{Old: "b", New: "c"}}, "a\nc\n", true},
		{"a\na\n", []Replacement{{Old: "a", New: "b"}}, "b\na\n", true},
		{"a\na\n", []Replacement{{Old: "a", New: "b", All: true}}, "b\nb\n", true},
		{"a\n", []Replacement{{Old: "a", New: "b"}, {Old: "b", New: "c"}}, "c\n", true},
		{"a\n", []Replacement{{Old: "x", New: "b"}}, "", false},
		{"a\n", []Replacement{{Old: "", New: "b"}}, "", false},
		{"\n", []Replacement{{Old: "", New: "b\n"}}, "b\n", true},
	} {
		if got, ok := replaceAll([]byte(c.text), c.list); string(got) != c.want || ok != c.ok {
			t.Errorf("%q %v: %q, %v", c.text, c.list, got, ok)
		}
	}
}
