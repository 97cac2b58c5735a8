// Package codec writes values one after the other and reads them back: what hooks and caches keep beside the log.
//
// Integers are varints, zigzag as in Protocol Buffers; lengths are varints without a sign. A text or a list has its
// length in front. One list of a struct's fields serves both ways (Fields). encoding/json takes longer to learn the
// types, in each new process, than to do the rest.
//
// A reader has one mark for all faults: after the first it gives zeros, whatever it is asked for. It gives nothing that
// its bytes cannot hold, however long they claim it to be.
package codec
