// Package codec writes values one after the other and reads them back: data of hooks and caches beside the log.
//
// Integers are varints, zigzag as in Protocol Buffers; lengths are varints without a sign. A text or a list begins with
// its length. One list of a struct's fields serves both directions (Fields). encoding/json takes longer to learn the
// types, in each new process, than to do the rest.
//
// A reader has one mark for all faults: after the first it returns zeros. It never returns more than its bytes can
// hold, whatever length they claim.
package codec
