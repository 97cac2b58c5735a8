package search

import (
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/git-trace/git-trace/records"
)

// A segment consists of: the texts of its steps; the table of its steps; the lists of steps, one for each word; the
// words; the table of the words; the head. All numbers are little-endian. The head is at the end and gives the start of
// each part.

// headSize is the size of the head: magic, five offsets, three counts, a checksum of the head.
const (
	magic    = "GTSEARCH"
	headSize = 8 + 5*8 + 3*8 + 8
)

// document is a step; its entry in the table has 24 bytes.
type document struct {
	conversation uint32
	step         uint32 // the number of the step; the highest bit marks a prompt
	text         uint64
	size         uint32
	words        uint32
}

const (
	documentSize = 24
	// an entry in the table of words: word offset, list offset (8 bytes each), word length, list length (4 each)
	wordSize  = 24
	promptBit = 1 << 31
)

// builder builds a segment in memory.
type builder struct {
	texts         []byte
	documents     []document
	conversations uint32
	lists         map[string][]posting
}

// posting says how often a document contains a word, and in which parts.
type posting struct {
	document uint32
	count    uint32
	in       uint32 // bits inInput and inFile
}

// The parts of a step besides its text.
const (
	inInput  = 1 << iota // the input of a call
	inFile               // a file name in the input
	partBits = iota
)

func newBuilder() *builder { return &builder{lists: map[string][]posting{}} }

// add adds a conversation and returns its number in the segment.
func (b *builder) add(r *records.Record) uint32 {
	for i := range r.Steps {
		s := &r.Steps[i]
		step := uint32(s.StepIndex)
		if s.Role == records.RoleUser {
			step |= promptBit
		}
		b.document(step, textOf(s))
		for k := range s.ToolCalls {
			b.call(s.ToolCalls[k].ToolCallID)
		}
	}
	b.conversations++
	return b.conversations - 1
}

// callMark begins the index entries for ids of calls. No word of a text begins with it.
const callMark = "\x00"

// call adds the id of a call of the last added step.
func (b *builder) call(id string) {
	if id == "" || len(id) > longestWord || len(b.documents) == 0 {
		return
	}
	key, at := callMark+id, uint32(len(b.documents)-1)
	list := b.lists[key]
	if n := len(list); n == 0 || list[n-1].document != at {
		b.lists[key] = append(list, posting{at, 1, 0})
	}
}

// `calls` returns the ids of calls by step.
func (s *segment) calls() (map[uint32][]string, error) {
	out := map[uint32][]string{}
	for i := range int(s.counts[1]) { // the entries of calls come before all words
		w, err := s.word(i)
		if err != nil || !strings.HasPrefix(w.text, callMark) {
			return out, err
		}
		list, err := s.postings(w)
		if err != nil {
			return out, err
		}
		for _, p := range list {
			out[p.document] = append(out[p.document], w.text[len(callMark):])
		}
	}
	return out, nil
}

// eachPart splits the text of a step at its marks.
func eachPart(text string, yield func(part string, in uint32)) {
	for in := uint32(0); ; {
		at := strings.IndexAny(text, inputMark+fileMark)
		if at < 0 {
			yield(text, in)
			return
		}
		yield(text[:at], in)
		if in = inInput; text[at:at+1] == fileMark {
			in |= inFile
		}
		text = text[at+1:]
	}
}

// document adds a step of the conversation that is being added.
func (b *builder) document(step uint32, text string) {
	if text == "" {
		return
	}
	number := uint32(len(b.documents))
	d := document{conversation: b.conversations, step: step, text: uint64(len(b.texts)), size: uint32(len(text))}
	eachPart(text, func(part string, in uint32) {
		words(part, func(word string) {
			d.words++
			list := b.lists[word]
			if n := len(list); n > 0 && list[n-1].document == number {
				list[n-1].count++
				list[n-1].in |= in
				return
			}
			b.lists[strings.Clone(word)] = append(list, posting{number, 1, in})
		})
	})
	b.texts = append(b.texts, text...)
	b.documents = append(b.documents, d)
}

// write writes the segment.
func (b *builder) write(w io.Writer) error {
	out := &counting{w: w}
	var offsets [5]uint64
	out.bytes(b.texts)
	offsets[1] = out.n
	for _, d := range b.documents {
		out.numbers(uint64(d.conversation)|uint64(d.step)<<32, d.text, uint64(d.size)|uint64(d.words)<<32)
	}
	all := slices.Sorted(maps.Keys(b.lists))
	offsets[2] = out.n
	type place struct{ list, size uint64 }
	places := make([]place, len(all))
	for i, word := range all {
		places[i].list = out.n
		var raw []byte
		last := uint32(0)
		for _, p := range b.lists[word] {
			raw = binary.AppendUvarint(raw, uint64(p.document-last))
			raw = binary.AppendUvarint(raw, uint64(p.count)<<partBits|uint64(p.in))
			last = p.document
		}
		out.bytes(raw)
		places[i].size = uint64(len(raw))
	}
	offsets[3] = out.n
	for _, word := range all {
		out.bytes([]byte(word))
	}
	offsets[4] = out.n
	at := offsets[3]
	for i, word := range all {
		out.numbers(at, places[i].list, uint64(len(word))|places[i].size<<32)
		at += uint64(len(word))
	}
	head := append([]byte(magic), make([]byte, 0, headSize)...)
	for _, offset := range offsets {
		head = binary.LittleEndian.AppendUint64(head, offset)
	}
	for _, count := range []int{len(b.documents), len(all), int(b.conversations)} {
		head = binary.LittleEndian.AppendUint64(head, uint64(count))
	}
	out.bytes(binary.LittleEndian.AppendUint64(head, checksum(head)))
	return out.err
}

// checksum returns a checksum (FNV-1a) that shows whether a head was written completely.
func checksum(data []byte) uint64 {
	sum := uint64(14695981039346656037)
	for _, c := range data {
		sum = (sum ^ uint64(c)) * 1099511628211
	}
	return sum
}

// counting is a writer that counts bytes and keeps its first error.
type counting struct {
	w   io.Writer
	n   uint64
	err error
}

func (c *counting) bytes(data []byte) {
	if c.err == nil && len(data) > 0 {
		_, c.err = c.w.Write(data)
		c.n += uint64(len(data))
	}
}

func (c *counting) numbers(values ...uint64) {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, v)
	}
	c.bytes(raw)
}

type segment struct {
	from    io.ReaderAt
	offsets [5]uint64
	end     uint64
	counts  [3]uint64 // the numbers of documents, words, conversations
	dead    map[uint32]bool
	table   []byte // the table of steps, once it was read
}

// mostConversations limits the number of conversations in a segment; the limit on its text is reached much earlier.
const mostConversations = 1 << 22

// openSegment reads the head of a segment and checks it against the size.
func openSegment(from io.ReaderAt, size int64) (*segment, error) {
	if size < headSize {
		return nil, fmt.Errorf("%w: too short", errDamaged)
	}
	head := make([]byte, headSize)
	if _, err := from.ReadAt(head, size-headSize); err != nil {
		return nil, err
	}
	if string(head[:8]) != magic || checksum(head[:headSize-8]) != binary.LittleEndian.Uint64(head[headSize-8:]) {
		return nil, fmt.Errorf("%w: no head", errDamaged)
	}
	s := &segment{from: from, end: uint64(size - headSize), dead: map[uint32]bool{}}
	for i := range s.offsets {
		s.offsets[i] = binary.LittleEndian.Uint64(head[8+8*i:])
	}
	for i := range s.counts {
		s.counts[i] = binary.LittleEndian.Uint64(head[48+8*i:])
	}
	// Each number is compared with the size first, because a product of invalid numbers may overflow.
	if s.offsets[4] > s.end || s.counts[0] > s.end/documentSize || s.counts[1] > s.end/wordSize ||
		s.counts[2] > mostConversations {
		return nil, fmt.Errorf("%w: sizes do not fit", errDamaged)
	}
	if !slices.IsSorted(s.offsets[:]) || s.offsets[2]-s.offsets[1] != s.counts[0]*documentSize ||
		s.end-s.offsets[4] != s.counts[1]*wordSize {
		return nil, fmt.Errorf("%w: sizes do not fit", errDamaged)
	}
	return s, nil
}

// read reads a part of the segment, which must lie between `low` and `high`.
func (s *segment) read(offset, size, low, high uint64) ([]byte, error) {
	if offset < low || offset > high || size > high-offset {
		return nil, fmt.Errorf("%w: a part lies outside", errDamaged)
	}
	raw := make([]byte, size)
	if _, err := s.from.ReadAt(raw, int64(offset)); err != nil {
		return nil, err
	}
	return raw, nil
}

// word is an entry in the table of words.
type word struct {
	text string
	list uint64
	size uint64
}

func (s *segment) word(i int) (word, error) {
	raw, err := s.read(s.offsets[4]+uint64(i)*wordSize, wordSize, s.offsets[4], s.end)
	if err != nil {
		return word{}, err
	}
	sizes := binary.LittleEndian.Uint64(raw[16:])
	text, err := s.read(binary.LittleEndian.Uint64(raw), sizes&0xffffffff, s.offsets[3], s.offsets[4])
	return word{string(text), binary.LittleEndian.Uint64(raw[8:]), sizes >> 32}, err
}

// mostBeginnings limits the number of words that begin with one word of a query.
const mostBeginnings = 50

// find returns the entries of the first words that begin with `prefix`, and of `prefix` itself.
func (s *segment) find(prefix string) ([]word, error) {
	var failed error
	first := sort.Search(int(s.counts[1]), func(i int) bool {
		w, err := s.word(i)
		if err != nil {
			failed = err
			return true
		}
		return w.text >= prefix
	})
	var out []word
	for i := first; failed == nil && i < int(s.counts[1]) && len(out) < mostBeginnings; i++ {
		var w word
		if w, failed = s.word(i); failed != nil || !strings.HasPrefix(w.text, prefix) {
			break
		}
		out = append(out, w)
	}
	return out, failed
}

// postings decodes the list of a word.
func (s *segment) postings(w word) ([]posting, error) {
	raw, err := s.read(w.list, w.size, s.offsets[2], s.offsets[3])
	if err != nil {
		return nil, err
	}
	out := make([]posting, 0, len(raw)/2)
	last := uint64(0)
	for len(raw) > 0 {
		delta, n := binary.Uvarint(raw)
		count, m := binary.Uvarint(raw[max(n, 0):])
		if n <= 0 || m <= 0 {
			return nil, fmt.Errorf("%w: a list ends early", errDamaged)
		}
		raw = raw[n+m:]
		if last += delta; last >= s.counts[0] {
			return nil, fmt.Errorf("%w: there is no step %d", errDamaged, last)
		}
		out = append(out, posting{uint32(last), uint32(min(count>>partBits, 1<<20)), uint32(count & (inInput | inFile))})
	}
	return out, nil
}

// documents returns the encoded table of steps. Entries are decoded one by one, because few entries of a long table are
// needed.
func (s *segment) documents() (table []byte, err error) {
	if s.table == nil {
		s.table, err = s.read(s.offsets[1], s.offsets[2]-s.offsets[1], s.offsets[1], s.offsets[2])
	}
	return s.table, err
}

func entry(table []byte, i uint32) document { return decodeDocument(table[int(i)*documentSize:]) }

func decodeDocument(raw []byte) document {
	who, sizes := binary.LittleEndian.Uint64(raw), binary.LittleEndian.Uint64(raw[16:])
	return document{
		conversation: uint32(who), step: uint32(who >> 32), text: binary.LittleEndian.Uint64(raw[8:]),
		size: uint32(sizes), words: uint32(sizes >> 32),
	}
}

// text returns the indexed text of a step.
func (s *segment) text(d document) (string, error) {
	raw, err := s.read(s.offsets[0]+d.text, uint64(d.size), s.offsets[0], s.offsets[1])
	return string(raw), err
}

func sortedNames(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
