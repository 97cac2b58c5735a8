package codec

import (
	"time"

	"github.com/git-trace/git-trace/refs"
)

// Fields is a Writer or a Reader. It writes values one after another, or reads them in the same order.
type Fields interface {
	Integer(n *int64)
	Text(s *string)
	Flag(b *bool)
	Float(x *float64)
	OID(o *refs.OID)
	Moment(t *time.Time)
	// Count writes the length of a list. A Reader returns the length that it reads.
	Count(n int) int
}

// Number does the same as Integer, for every integer type.
func Number[T ~int | ~int64 | ~uint32](f Fields, n *T) {
	wide := int64(*n)
	f.Integer(&wide)
	*n = T(wide)
}

// Numbers does the same as Number, for several integers.
func Numbers[T ~int | ~int64 | ~uint32](f Fields, list ...*T) {
	for _, n := range list {
		Number(f, n)
	}
}

// Word does the same as Text, for every string type.
func Word[T ~string](f Fields, s *T) {
	plain := string(*s)
	f.Text(&plain)
	*s = T(plain)
}

// Texts does the same as Text, for several texts.
func Texts(f Fields, list ...*string) {
	for _, s := range list {
		f.Text(s)
	}
}

// List writes or reads the items of a slice. An empty list is read as nil.
func List[T any](f Fields, items *[]T, item func(*T)) { list(f, items, f.Count(len(*items)), item) }

// SignedList is a List whose length is written as an Integer.
func SignedList[T any](f Fields, items *[]T, item func(*T)) {
	n := len(*items)
	Number(f, &n)
	if r, reading := f.(*Reader); reading && (n < 0 || n > len(r.In)) {
		r.Fail()
		n = 0
	}
	list(f, items, n, item)
}

func list[T any](f Fields, items *[]T, n int, item func(*T)) {
	if len(*items) != n {
		*items = make([]T, 0, min(n, 1024))
	}
	for i := range n {
		if i == len(*items) {
			*items = append(*items, *new(T))
		}
		item(&(*items)[i])
		if r, reading := f.(*Reader); reading && r.Failed {
			return
		}
	}
}

// Optional writes or reads the value of a pointer, and whether the pointer is nil.
func Optional[T any](f Fields, p **T, value func(*T)) {
	there := *p != nil
	f.Flag(&there)
	if !there {
		return
	}
	if *p == nil {
		*p = new(T)
	}
	value(*p)
}
