package codec

import (
	"time"

	"github.com/git-trace/git-trace/refs"
)

// Fields writes values one after the other, or reads them back in the same order: a Writer or a Reader.
type Fields interface {
	Integer(n *int64)
	Text(s *string)
	Flag(b *bool)
	Float(x *float64)
	OID(o *refs.OID)
	Moment(t *time.Time)
	// Count writes the length of a list, or returns the written one.
	Count(n int) int
}

// Number is Integer for all integers.
func Number[T ~int | ~int64 | ~uint32](f Fields, n *T) {
	wide := int64(*n)
	f.Integer(&wide)
	*n = T(wide)
}

// Numbers is Number for several integers.
func Numbers[T ~int | ~int64 | ~uint32](f Fields, list ...*T) {
	for _, n := range list {
		Number(f, n)
	}
}

// Word is Text for all kinds of strings.
func Word[T ~string](f Fields, s *T) {
	plain := string(*s)
	f.Text(&plain)
	*s = T(plain)
}

// Texts is Text for several texts.
func Texts(f Fields, list ...*string) {
	for _, s := range list {
		f.Text(s)
	}
}

// List reads or writes the items of a slice. An empty one is read as nil.
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

// Optional reads or writes the value of a pointer, if it is not nil.
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
