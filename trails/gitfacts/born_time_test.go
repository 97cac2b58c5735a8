package gitfacts

import (
	"strings"
	"testing"
	"time"
)

func TestHEADIsWhereItsReflogSaysItWas(t *testing.T) {
	t.Parallel()
	a, b := strings.Repeat("a", 40), strings.Repeat("b", 40)
	log := b + " HEAD@{2000}\n" + a + " HEAD@{1000}\n"
	for at, want := range map[int64]string{999: "", 1000: a, 1999: a, 2000: b, 9000: b} {
		got := parseHeads(log).At(time.Unix(at, 0))
		if got.IsZero() != (want == "") || !got.IsZero() && got.String() != want {
			t.Errorf("at %d: %s", at, got)
		}
	}
	if got := parseHeads(a + " HEAD@{0}\n" + b + " HEAD@{yesterday}\n").At(time.Unix(-5, 0)); !got.IsZero() {
		t.Errorf("a place without a time gives %s", got)
	}
}
