package codec_test

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/codec"
)

type name string

// sample has a value of every kind.
type sample struct {
	Number int
	Wide   int64
	Small  uint32
	Text   string
	Name   name
	On     bool
	Share  float64
	Commit refs.OID
	None   refs.OID
	At     time.Time
	List   []string
	Signed []int
	There  *string
	Absent *string
}

func (s *sample) fields(f codec.Fields) {
	codec.Number(f, &s.Number)
	f.Integer(&s.Wide)
	codec.Number(f, &s.Small)
	codec.Texts(f, &s.Text)
	codec.Word(f, &s.Name)
	f.Flag(&s.On)
	f.Float(&s.Share)
	f.OID(&s.Commit)
	f.OID(&s.None)
	f.Moment(&s.At)
	codec.List(f, &s.List, func(one *string) { f.Text(one) })
	codec.SignedList(f, &s.Signed, func(one *int) { codec.Numbers(f, one) })
	codec.Optional(f, &s.There, func(one *string) { f.Text(one) })
	codec.Optional(f, &s.Absent, func(one *string) { f.Text(one) })
}

func full() *sample {
	text := "there"
	return &sample{
		Number: -1, Wide: math.MinInt64, Small: math.MaxUint32, Text: "é\x00", Name: "n", On: true, Share: 0.25,
		Commit: refs.SHA1.Hash(refs.BlobObject, nil), At: time.Unix(-1, 5).UTC(), List: []string{"a", ""},
		Signed: []int{64, -65}, There: &text,
	}
}

// The bytes are what is stored in timelines and caches.
const stored = "01" + "ffffffffffffffffff01" + "feffffff1f" + "03c3a900" + "016e" + "02" + "000000000000d03f" +
	"14e69de29bb2d1d6434b8b29ae775ad8c2e48c5391" + "00" + "010a" + "02016100" + "048001" + "8101" + "02057468657265" + "00"

func TestValuesComeBackAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	for _, want := range []*sample{full(), {At: time.Unix(0, 0).UTC()}} {
		var w codec.Writer
		want.fields(&w)
		if want.On && hex.EncodeToString(w.Out) != stored {
			t.Errorf("wrote %x", w.Out)
		}
		var got sample
		r := codec.Reader{In: string(w.Out)}
		if got.fields(&r); r.End() != nil || !reflect.DeepEqual(&got, want) {
			t.Errorf("got %+v, %v, want %+v", got, r.End(), want)
		}
		for n := range w.Out {
			r := codec.Reader{In: string(w.Out[:n])}
			if new(sample).fields(&r); !errors.Is(r.End(), codec.ErrDamaged) {
				t.Errorf("the first %d bytes are read", n)
			}
		}
		r = codec.Reader{In: string(w.Out) + "x"}
		if new(sample).fields(&r); r.Failed || r.End() == nil {
			t.Error("a byte too many is not told")
		}
	}
}

func TestNumbersAreThoseOfTheStandardLibrary(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"", "\x00", "\x7f", "\x80", "\x80\x01", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", "\x80\x00rest",
		strings.Repeat("\xff", 12),
	} {
		want, size := binary.Uvarint([]byte(raw))
		r := codec.Reader{In: raw}
		if got := r.Uvarint(); size > 0 && (got != want || r.Failed || r.In != raw[size:]) || size <= 0 && (got != 0 || !r.Failed) {
			t.Errorf("%x gives %d, failed %v, left %x; want %d of %d bytes", raw, got, r.Failed, r.In, want, size)
		}
	}
}

func TestNothingIsGivenThatTheBytesCannotHold(t *testing.T) {
	t.Parallel()
	huge := "\xff\xff\xff\xff\xff\xff\xff\xff\x7fabc"
	for what, read := range map[string]func(r *codec.Reader){
		"a text": func(r *codec.Reader) { var s string; r.Text(&s) },
		"a list": func(r *codec.Reader) { var l []string; codec.List(r, &l, func(s *string) { r.Text(s) }) },
		"a list with a sign": func(r *codec.Reader) {
			var l []string
			codec.SignedList(r, &l, func(s *string) { r.Text(s) })
		},
		"an id":  func(r *codec.Reader) { var o refs.OID; r.OID(&o) },
		"bytes":  func(r *codec.Reader) { r.Take(r.Uvarint()) },
		"a size": func(r *codec.Reader) { _ = r.Size() },
	} {
		r := codec.Reader{In: huge}
		if read(&r); !r.Failed || r.In != "" {
			t.Errorf("%s: failed %v, left %q", what, r.Failed, r.In)
		}
	}
	r := codec.Reader{In: "\x03abc"}
	var o refs.OID
	if r.OID(&o); !r.Failed || !o.IsZero() {
		t.Error("three bytes are an id")
	}
	if r.Byte() != 0 || r.Varint() != 0 || r.End() == nil {
		t.Error("something is read after a fault")
	}
}

func FuzzFields(f *testing.F) {
	raw, err := hex.DecodeString(stored)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(raw))
	f.Add("")
	f.Fuzz(func(t *testing.T, in string) {
		want, size := binary.Uvarint([]byte(in))
		if n := (&codec.Reader{In: in}).Uvarint(); size > 0 && n != want || size <= 0 && n != 0 {
			t.Fatalf("%x gives %d, want %d", in, n, want)
		}
		var s, again sample
		r := codec.Reader{In: in}
		if s.fields(&r); r.End() != nil {
			return
		}
		var w codec.Writer
		s.fields(&w)
		if again.fields(&codec.Reader{In: string(w.Out)}); !math.IsNaN(s.Share) && !reflect.DeepEqual(s, again) {
			t.Fatalf("%+v comes back as %+v", s, again)
		}
	})
}

func TestAValueListsTheFieldsOfItsType(t *testing.T) {
	t.Parallel()
	type part struct {
		Name name
		kept int
	}
	type whole struct {
		Number int
		Small  uint8
		Tall   uint64
		On     bool
		At     time.Time
		Commit refs.OID
		Parts  []part
		Raw    []byte
		There  *part
		Absent *part
		Table  map[name]*part
	}
	text := &whole{
		Number: -1, Small: 2, Tall: math.MaxUint64, On: true, At: time.Unix(-1, 5).UTC(),
		Commit: refs.SHA1.Hash(refs.BlobObject, nil), Parts: []part{{Name: "a"}, {}}, Raw: []byte{0, 255},
		There: &part{Name: "there"}, Table: map[name]*part{"b": nil, "a": {Name: "of a"}},
	}
	for _, want := range []*whole{text, {At: time.Unix(0, 0).UTC()}} {
		var w codec.Writer
		codec.Value(&w, want)
		var got whole
		r := codec.Reader{In: string(w.Out)}
		if codec.Value(&r, &got); r.End() != nil || !reflect.DeepEqual(&got, want) {
			t.Errorf("got %+v, %v, want %+v", got, r.End(), want)
		}
		for n := range w.Out {
			r := codec.Reader{In: string(w.Out[:n])}
			if codec.Value(&r, new(whole)); !errors.Is(r.End(), codec.ErrDamaged) {
				t.Errorf("the first %d bytes are read", n)
			}
		}
	}
	var plain, kept codec.Writer
	codec.Value(&plain, &part{Name: "a"})
	if codec.Value(&kept, &part{Name: "a", kept: 1}); !reflect.DeepEqual(plain, kept) {
		t.Errorf("%x, want %x: a field that is not exported is stored", kept.Out, plain.Out)
	}
}
