// Package codec encodes values one after another, and decodes them. It is for data of hooks, and for caches.
//
// Integers are varints in zigzag encoding, as in Protocol Buffers. Lengths are unsigned varints. A text or a list
// begins with its length. The same list of a struct's fields is used for writing and reading (Fields), or its type is
// the list (Value). encoding/json is not used, because each new process would spend more time on preparing for the
// types than on the rest.
//
// A reader has one flag for all errors: after the first error it returns zeros. It never returns more data than its
// bytes can contain, even if a length claims more.
package codec
