package redact

import (
	"math/rand/v2"
	"testing"
)

// A reading knows of each byte what it was made of, however it was put together.
func TestAReadingKnowsWhatEachByteWasMadeOf(t *testing.T) {
	t.Parallel()
	type origin struct{ from, to int }
	random := rand.New(rand.NewPCG(22, 7))
	for range 2000 {
		const text = "0123456789abcdefghijklmnopqrstuvwxyz"
		var v, of reading
		var want []origin
		for range 1 + random.IntN(12) {
			from := random.IntN(len(text) - 4)
			to := from + random.IntN(5)
			switch random.IntN(4) {
			case 0:
				for range 1 + random.IntN(3) {
					v.add('x', from, to)
					want = append(want, origin{from, to})
				}
			case 1:
				v.piece(text, from, to)
				for i := from; i < to; i++ {
					want = append(want, origin{i, i + 1})
				}
			case 2:
				v.drop()
				want = want[:max(0, len(want)-1)]
			default:
				of.reset(0)
				of.piece(text, from, from+2)
				of.add('y', to, to+3)
				n := 1 + random.IntN(3)
				v.head(&of, n)
				want = append(want, []origin{{from, from + 1}, {from + 1, from + 2}, {to, to + 3}}[:n]...)
			}
		}
		if len(v.text) != len(want) {
			t.Fatalf("%d bytes, want %d", len(v.text), len(want))
		}
		for i, o := range want {
			if from, to := v.madeOf(i); from != o.from || to != o.to {
				t.Fatalf("byte %d of %q was made of %d to %d, want %d to %d: %+v", i, v.text, from, to, o.from, o.to, v.parts)
			}
		}
	}
}

// A text without anything to resolve is not read a second time.
func TestResolvingReadsNothingWhereThereIsNothingToResolve(t *testing.T) {
	t.Parallel()
	var v reading
	for text, want := range map[string]string{
		"a & b, 5 % of 3+4": "", `one\ntwo`: "one\ntwo", "a%20b+c d+e": "a b c d+e", "x &lt; y": "x < y", `é\u00e9`: "éé", "": "",
	} {
		if changed := resolve(&v, text); changed != (want != "") || changed && string(v.text) != want {
			t.Errorf("%q became %q, changed %t; want %q", text, v.text, changed, want)
		}
	}
}
