package purged_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/purged"
	"github.com/git-trace/git-trace/refs"
)

func newRepo(t *testing.T) *refs.Repo {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir := t.TempDir()
	repo := &refs.Repo{GitDir: dir, CommonDir: dir, Format: refs.SHA1}
	if err := repo.MakeTracesDir(); err != nil {
		t.Fatal(err)
	}
	return repo
}

func newSet(t *testing.T, repo *refs.Repo, texts ...string) *purged.Set {
	t.Helper()
	s, err := purged.Load(repo)
	if err == nil {
		err = s.Prepare(repo)
	}
	for _, text := range texts {
		if err == nil {
			_, err = s.AddText(text)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestATextIsKnownAgainThatIsNotKept(t *testing.T) {
	repo := newRepo(t)
	texts := []string{"xyzzy plugh", `a "quoted" one`, "four", strings.Repeat("long ", 500)}
	s := newSet(t, repo, texts...)
	if err := s.Save(repo); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(purged.Path(repo))
	if err != nil {
		t.Fatal(err)
	}
	again, err := purged.Load(repo)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range append(texts, `a \"quoted\" one`) {
		if strings.Contains(string(raw), text) {
			t.Errorf("%.20q is kept as it is", text)
		}
		for _, in := range []string{text, "before " + text, text + " behind", "x" + text + "x" + text} {
			found := again.Find(in)
			if len(found) == 0 || !again.Holds(in) {
				t.Errorf("%.20q is not found in %.40q", text, in)
				continue
			}
			for _, at := range found {
				if in[at[0]:at[1]] != text && len(text) == at[1]-at[0] {
					t.Errorf("%.20q was found for %.20q", in[at[0]:at[1]], text)
				}
			}
		}
		if other := text[:len(text)-1] + "#"; again.Holds(other) {
			t.Errorf("%.20q is taken for %.20q", other, text)
		}
	}
	if s.Fingerprint() == "" || s.Fingerprint() != again.Fingerprint() {
		t.Errorf("fingerprints %q and %q", s.Fingerprint(), again.Fingerprint())
	}
}

// The rolling hash is the same however the window came to where it is.
// Each repository has its own rules, and all have the user's key.
func TestSetsThatBeginTogetherHaveOneKey(t *testing.T) {
	repo, sets := newRepo(t), make([]*purged.Set, 8)
	var group sync.WaitGroup
	for i := range sets {
		group.Add(1)
		go func() {
			defer group.Done()
			sets[i], _ = purged.New(repo)
		}()
	}
	group.Wait()
	for i, s := range sets {
		if s == nil {
			t.Fatal("a set has no key")
		}
		if _, err := s.AddText(fmt.Sprintf("the text %d", i)); err != nil {
			t.Fatal(err)
		}
		known, err := purged.Load(repo)
		if err != nil {
			t.Fatal(err)
		}
		all, err := known.With(s, s.IDs())
		if err != nil {
			t.Fatal(err)
		}
		if err := all.Save(repo); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := purged.Load(repo); err != nil || len(all.IDs()) != len(sets) {
		t.Errorf("%d rules are kept: %v", len(all.IDs()), err)
	}
}

func TestEveryPlaceIsFound(t *testing.T) {
	repo := newRepo(t)
	random := rand.New(rand.NewPCG(1, 2))
	letters := "ab\x00\xff\n"
	text := make([]byte, 5000)
	for i := range text {
		text[i] = letters[random.IntN(len(letters))]
	}
	for range 60 {
		length := 4 + random.IntN(30)
		at := random.IntN(len(text) - length)
		wanted := string(text[at : at+length])
		want := 0
		for i := 0; i+length <= len(text); i++ {
			if string(text[i:i+length]) == wanted {
				want++
			}
		}
		s := &purged.Set{}
		if err := s.Prepare(repo); err != nil {
			t.Fatal(err)
		}
		if _, err := s.AddText(wanted); err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, place := range s.Find(string(text)) {
			if string(text[place[0]:place[1]]) == wanted {
				got++
			}
		}
		if got != want {
			t.Errorf("%q stands at %d places and was found at %d", wanted, want, got)
		}
	}
}

func TestRulesThatCannotBeAppliedAreAnError(t *testing.T) {
	repo := newRepo(t)
	if err := newSet(t, repo, "xyzzy plugh").Save(repo); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(os.Getenv("XDG_STATE_HOME"), "git-trace", "purge-key")
	info, err := os.Stat(key)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key has mode %v, %v", info, err)
	}
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	if _, err := purged.Load(repo); err == nil {
		t.Error("the rules were read without their key")
	}
	if err := os.WriteFile(purged.Path(repo), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := purged.Load(repo); err == nil {
		t.Error("damaged rules were read")
	}
}

func TestAPlanIsThereUntilItIsDone(t *testing.T) {
	repo := newRepo(t)
	p := &purged.Plan{Started: time.Unix(1, 0), Traces: []events.TraceID{"t"}, Paths: []string{"p"}}
	if err := p.Keep(repo); err != nil {
		t.Fatal(err)
	}
	p.Main = []refs.OID{refs.SHA1.EmptyTree()}
	if err := p.Keep(repo); err != nil {
		t.Fatal(err)
	}
	plans, err := purged.Plans(repo)
	if err != nil || len(plans) != 1 || len(plans[0].Main) != 1 || plans[0].Paths[0] != "p" || purged.Unfinished(repo) != 1 {
		t.Fatalf("%v, %v", plans, err)
	}
	if err := plans[0].Done(); err != nil {
		t.Fatal(err)
	}
	if purged.Unfinished(repo) != 0 {
		t.Error("it is still there")
	}
}

func TestAStreamIsSearchedAcrossItsPieces(t *testing.T) {
	repo := newRepo(t)
	s := newSet(t, repo, "xyzzy plugh")
	if _, err := s.AddExpression(`key=[0-9]+k`); err != nil {
		t.Fatal(err)
	}
	const mega = 1 << 20
	for _, secret := range []string{"xyzzy plugh", "key=" + strings.Repeat("7", 2000) + "k", ""} {
		for _, at := range []int{0, mega - 5, mega + 6, 2 * mega} {
			for _, piece := range []int{1 << 15, 100_003} {
				text := strings.Repeat("x", at) + secret + strings.Repeat("y", 2*mega-at)
				found, err := s.HoldsStream(func(w io.Writer) error {
					for from := 0; from < len(text); from += piece {
						if _, err := io.WriteString(w, text[from:min(len(text), from+piece)]); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil || found != (secret != "") {
					t.Fatalf("%.10q at %d in pieces of %d: found %v, %v", secret, at, piece, found, err)
				}
			}
		}
	}
}

func TestAStreamThatBreaksOffIsAnError(t *testing.T) {
	repo := newRepo(t)
	for _, s := range []*purged.Set{newSet(t, repo, "xyzzy plugh"), newSet(t, repo)} {
		if s.Empty() {
			if _, err := s.AddExpression("xyzzy"); err != nil {
				t.Fatal(err)
			}
		}
		_, err := s.HoldsStream(func(w io.Writer) error {
			_, _ = io.WriteString(w, "nothing")
			return io.ErrUnexpectedEOF
		})
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("it ended with %v", err)
		}
	}
}

// A text is found in base64 of either alphabet, wherever in what was encoded it stands.
func TestATextIsFoundBehindBase64(t *testing.T) {
	for _, text := range []string{"xyzzy plugh", "päßwörter?>~", "seven77", "1234567890abcdefghij"} {
		s := newSet(t, newRepo(t), text)
		for before := range 7 {
			for after := range 4 {
				plain := []byte(strings.Repeat("\xff", before) + text + strings.Repeat("\xfe", after))
				for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
					if encoded := "data:" + encoding.EncodeToString(plain) + " and more"; !s.Holds(encoded) {
						t.Errorf("%q is not found in %s", text, encoded)
					}
				}
			}
		}
		if s.Holds("what is " + base64.StdEncoding.EncodeToString([]byte("something else"))) {
			t.Errorf("%q is found where it is not", text)
		}
	}
}
