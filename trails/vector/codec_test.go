package vector_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/git-trace/git-trace/trails/vector"
)

const (
	patchA = "00112233445566778899aabbccddeeff"
	patchB = "ffeeddccbbaa99887766554433221100"
)

// The binary form is stored: these bytes may not change within a format.
func TestBinaryForm(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, vector, hex string
	}{
		{"no lines", "", "010000"},
		{"one person", "human*300", "01010101ac0200"},
		{"an agent's patch has 16 bytes", patchA + "*2", "010106" + patchA + "010200"},
		{"a person over an agent", patchA + " human<" + patchA + " " + patchA, "010206" + patchA + "11" + patchA + "03010001010100"},
		{"a line in another form", patchA + "~ human", "010246" + patchA + "010201000101"},
		{"an id of another form is text", "S1 mixed:" + patchA + "<" + patchB, "01020a02533117" + patchA + patchB + "0201000101"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			v := parse(t, test.vector)
			if got := hex.EncodeToString(vector.Encode(v)); got != test.hex {
				t.Errorf("bytes %s, want %s", got, test.hex)
			}
			raw, err := hex.DecodeString(test.hex)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := vector.Decode(raw); err != nil || !got.Equal(v) {
				t.Errorf("decoded %s, %v", got, err)
			}
		})
	}
}

func TestDecodeRefusesWhatEncodeDoesNotWrite(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string]string{
		"nothing":                      "",
		"another format":               "020000",
		"bytes behind the end":         "01000000",
		"a cut owner":                  "01010600112233",
		"an owner without lines":       "01010100",
		"a run without lines":          "010101010000",
		"a run of no owner":            "010101010101",
		"two runs of one owner":        "0101010201000100",
		"one owner twice in the table": "01020101020100" + "0101",
		"owners out of order":          "010201020201010100",
		"a number longer than need be": "01010101810000",
		"a hex id written as text":     "01010a20" + hex.EncodeToString([]byte(patchA)) + "010100",
		"a text id that is empty":      "01010a00010100",
		"a fourth form":                "01010e010100",
		"more lines than can be":       "01010101ffffffff0f00",
		"a table larger than the data": "01ffffffff0f",
	} {
		bytes, err := hex.DecodeString(raw)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := vector.Decode(bytes); !errors.Is(err, vector.ErrCorrupt) {
			t.Errorf("%s: decoded %s, %v", name, v, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, form := range []string{"", "human*300", patchA + "*2 human<" + patchA + " S1", "mixed:" + patchB} {
		v, err := vector.Parse(form)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(vector.Encode(v))
	}
	f.Add([]byte{1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, err := vector.Decode(raw)
		if err != nil {
			if !errors.Is(err, vector.ErrCorrupt) {
				t.Errorf("error %v", err)
			}
			return
		}
		if again := vector.Encode(v); !bytes.Equal(again, raw) {
			t.Errorf("%x encodes as %x", raw, again)
		}
	})
}
