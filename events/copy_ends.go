package events

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/codec"
	"github.com/git-trace/git-trace/version"
)

// A remote may have the logs of a thousand writers, most of them small. To look at the file of each would cost a
// command more than everything else, so two files beside the copies spare it that:
//
//	fetched/joined  joined <generation> · small copies, one behind the other; bytes in it never change
//	fetched/ends    of each log, in the order of their refs, where its copy ends · a check sum of all before
//
// Both are caches of caches. What is not in them is read from the copy itself.
//
// Of a log that is not sound the ends say why not. The commit names all that was read, so the next command need not
// read it again. Another version of the program may find otherwise, so its word counts for that version alone.

// keptEnds is what the file of ends says.
type keptEnds struct {
	gen    string // of the joined file
	by     string // the version that found logs not to be sound
	copies []Copy // not open; what is kept of them are the fields of keptEnd. Readers get these very ones
}

// keptEnd is where the stored copy of a log ends, or why the log is not read. It is about the log that this very commit
// holds. The zero value says nothing.
type keptEnd struct {
	ref     string
	gen     string // names the build of the copy's file
	end     flatEnd
	at      int64  // where the copy begins in the joined file; -1 where it is not there
	unsound string // why it is not read; "" for a sound log
}

// sound tells whether a copy is stored, which ends there.
func (e *keptEnd) sound() bool { return e.end.offset > 0 && e.unsound == "" }

// endsForm names the form of the file.
const endsForm = "ends 2"

func (k *keptEnds) fields(f codec.Fields) {
	form := endsForm
	if codec.Texts(f, &form, &k.gen, &k.by); form != endsForm {
		return
	}
	codec.List(f, &k.copies, func(c *Copy) {
		codec.Texts(f, &c.ref, &c.gen, (*string)(&c.end.id), &c.unsound)
		f.OID(&c.end.commit)
		codec.Numbers(f, &c.end.offset, &c.end.seq, &c.at)
	})
}

// tells tells whether all is known of these very logs, and nothing of others.
func (k *keptEnds) tells(logs []FetchedLog) bool {
	if len(k.copies) != len(logs) {
		return false
	}
	for i := range logs {
		if c := &k.copies[i]; c.end.commit != logs[i].Tip || c.ref != logs[i].Ref {
			return false
		}
	}
	return true
}

// encode leaves out the logs of which nothing is known.
func (k *keptEnds) encode() []byte {
	known := keptEnds{gen: k.gen, by: k.by}
	for i := range k.copies {
		if e := k.copies[i].keptEnd; e.sound() || e.unsound != "" {
			known.copies = append(known.copies, Copy{keptEnd: e})
		}
	}
	var w codec.Writer
	known.fields(&w)
	return append(w.Out, checkSum(string(w.Out))...)
}

// readEndsKept reads what encode wrote; anything else is nothing.
func (l *Log) readEndsKept() keptEnds {
	text, err := refs.ReadText(l.endsPath())
	if err != nil || len(text) < checkSumLength {
		return keptEnds{}
	}
	text, sum := text[:len(text)-checkSumLength], text[len(text)-checkSumLength:]
	if checkSum(text) != sum {
		return keptEnds{}
	}
	var k keptEnds
	r := codec.Reader{In: text}
	if k.fields(&r); r.End() != nil {
		return keptEnds{}
	}
	if k.by != version.Text() {
		k.copies = slices.DeleteFunc(k.copies, func(c Copy) bool { return c.unsound != "" })
	}
	return k
}

func (l *Log) endsPath() string   { return filepath.Join(l.cacheDir(), "fetched", "ends") }
func (l *Log) joinedPath() string { return filepath.Join(l.cacheDir(), "fetched", "joined") }

func joinedHeader(gen string) string { return "joined " + gen + "\n" }

// joinedCopy is the size up to which a copy is put with others into one file.
const joinedCopy = 1 << 20

// openJoined opens the joined file if it is the one that the ends speak of, and long enough for them.
func (l *Log) openJoined(ends *keptEnds) *joined {
	if ends.gen == "" {
		return nil
	}
	var size int64
	for i := range ends.copies {
		if c := &ends.copies[i]; c.sound() && c.at >= 0 {
			size = max(size, c.at+c.end.offset)
		}
	}
	f, err := openBuild(l.joinedPath(), joinedHeader(ends.gen), size)
	if err != nil {
		return nil
	}
	return &joined{file: f, users: 1}
}

// openBuild opens a file that begins with a header line and has at least so many bytes; any other is damaged.
func openBuild(path, header string, size int64) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCopyDamaged, err)
	}
	head := make([]byte, len(header))
	info, err := f.Stat()
	if err == nil {
		_, err = f.ReadAt(head, 0)
	}
	if err != nil || string(head) != header || info.Size() < size {
		_ = f.Close()
		return nil, ErrCopyDamaged
	}
	return f, nil
}

// keepEnds joins the small copies that are not joined yet, and writes the ends. What cannot be written is left.
func (l *Log) keepEnds(ends *keptEnds) {
	lock, err := refs.Flock(l.joinedPath()+".lock", 0)
	if err != nil {
		return // another process does it
	}
	defer lock.Unlock()
	if f := l.growJoined(ends); f != nil {
		l.joinCopies(f, ends)
		_ = f.Close()
	}
	ends.by = version.Text()
	_ = refs.WriteFileAtomic(l.endsPath(), ends.encode(), 0o666)
}

// joinCopies puts the small copies behind what the joined file has, as far as they can be read and written.
func (l *Log) joinCopies(f *os.File, ends *keptEnds) {
	at, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return
	}
	for i := range ends.copies {
		c := &ends.copies[i]
		if !c.sound() || c.at >= 0 || c.end.offset > joinedCopy {
			continue
		}
		text, err := os.ReadFile(l.copyPath(c.ref))
		if err != nil || int64(len(text)) < c.end.offset {
			continue
		}
		if _, err := f.Write(text[:c.end.offset]); err != nil {
			return
		}
		c.at, at = at, at+c.end.offset
	}
}

// growJoined opens the joined file for more, or begins it anew when it is none or mostly of what is no longer wanted.
func (l *Log) growJoined(ends *keptEnds) *os.File {
	if join := l.openJoined(ends); join != nil {
		defer join.release()
		var live int64
		for i := range ends.copies {
			if c := &ends.copies[i]; c.sound() && c.at >= 0 {
				live += c.end.offset
			}
		}
		if info, err := join.file.Stat(); err == nil && info.Size() <= 2*live+joinedCopy {
			if f, err := os.OpenFile(l.joinedPath(), os.O_WRONLY, 0); err == nil {
				return f
			}
		}
	}
	for i := range ends.copies {
		ends.copies[i].at = -1
	}
	ends.gen = newGeneration()
	if err := refs.WriteFileAtomic(l.joinedPath(), []byte(joinedHeader(ends.gen)), 0o666); err != nil {
		ends.gen = ""
		return nil
	}
	f, err := os.OpenFile(l.joinedPath(), os.O_WRONLY, 0)
	if err != nil {
		return nil
	}
	return f
}

// joined is the open file of many copies, which the last of them closes.
type joined struct {
	file  *os.File
	users int
	lines int // that were read one by one
	text  []byte
}

// Where many lines of a file that is not large are read, it is read once.
const (
	manyLines = 64
	notLarge  = 8 << 20
)

// whole is the text of the file, once many lines of it were read; nil until then. Nobody writes in it.
func (j *joined) whole() []byte {
	if j.lines++; j.lines != manyLines {
		return j.text
	}
	if info, err := j.file.Stat(); err == nil && info.Size() <= notLarge {
		text := make([]byte, info.Size())
		if _, err := j.file.ReadAt(text, 0); err == nil {
			j.text = text
		}
	}
	return j.text
}

func (j *joined) release() {
	if j == nil {
		return
	}
	if j.users--; j.users == 0 {
		_ = j.file.Close()
	}
}
