package index

import (
	"bytes"
	"encoding/hex"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/refs"
)

func summarySample(t testing.TB) Trace {
	t.Helper()
	commit, err := refs.ParseOID(strings.Repeat("ab", 20))
	if err != nil {
		t.Fatal(err)
	}
	return Trace{
		ID: "4f2a8f60-1c3d-5e5f-8a9b-0c1d2e3f4a5b", Agent: "pi", Session: "s", Writer: "w", Models: []string{"a", "b"},
		First: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Last: time.Date(9999, 1, 2, 3, 4, 5, 999_999_999, time.UTC), Events: 7, Hooked: 5, Prompts: 2, Calls: 3,
		Patches: 4, Added: 500, Removed: 60, Paths: pathSet("abcdefgh"), Held: []Held{{commit, 1, 30}, {commit, 2, 4}},
	}
}

func TestASummaryComesBackAsItWasStored(t *testing.T) {
	t.Parallel()
	for _, want := range []Trace{summarySample(t), {ID: "x", First: time.Unix(0, 0).UTC(), Last: time.Unix(0, 0).UTC()}} {
		raw := appendTrace(nil, &want)
		got, err := parseTrace(raw)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
		for n := range raw {
			if _, err := parseTrace(raw[:n]); !errors.Is(err, errDamaged) {
				t.Errorf("the first %d bytes give %v", n, err)
			}
		}
	}
}

func FuzzSummary(f *testing.F) {
	whole := summarySample(f)
	f.Add(appendTrace(nil, &whole))
	f.Add([]byte(`{"id":"x"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := parseTrace(raw)
		if err != nil {
			return
		}
		again, err := parseTrace(appendTrace(nil, &got))
		if err != nil || !bytes.Equal(appendTrace(nil, &again), appendTrace(nil, &got)) {
			t.Fatalf("%+v comes back as %+v, %v", got, again, err)
		}
	})
}

func TestTheStoredBytesOfASummaryStay(t *testing.T) {
	t.Parallel()
	whole := summarySample(t)
	const want = "2434663261386636302d316333642d356535662d386139622d306331643265336634613562027069017301770401610162cad6b9950d0ccaaaa4e1df0efea7d6b9070e0a040608e807780861626364656667680414abababababababababababababababababababab023c14abababababababababababababababababababab0408"
	if got := hex.EncodeToString(appendTrace(nil, &whole)); got != want {
		t.Errorf("got %s", got)
	}
}
