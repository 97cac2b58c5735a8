package events

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// The own log needs no copy: its file has the form of one. A copy holds only what was checked when it was made. So this
// file is believed only up to where readers have checked it, which they note in the cache. The rest is checked.

// checkedPath is where readers note how far they have checked the file.
func (l *Log) checkedPath() string { return filepath.Join(l.cacheDir(), "checked") }

// checkedEnd is the end up to which this build of the file was checked; that of an empty log where nothing is known.
func (l *Log) checkedEnd(j *journal) flatEnd {
	none := flatEnd{offset: j.head}
	text, err := refs.ReadFile(l.checkedPath())
	if err != nil {
		return none
	}
	body, sum, _ := strings.Cut(strings.TrimSuffix(string(text), "\n"), "\n")
	if checkSum(body) != sum {
		return none
	}
	var gen, id string
	var end flatEnd
	n, err := fmt.Sscanf(body, "checked1 %s %d %d %s", &gen, &end.offset, &end.seq, &id)
	if end.id = ID(id); n != 4 || err != nil || gen != j.gen || end.offset > j.end.offset || end.offset < j.head {
		return none
	}
	return end
}

// noteChecked may fail: then it is checked again.
func (l *Log) noteChecked(gen string, end flatEnd) {
	body := fmt.Sprintf("checked1 %s %d %d %s", gen, end.offset, end.seq, end.id)
	_ = refs.WriteFileAtomic(l.checkedPath(), []byte(body+"\n"+checkSum(body)+"\n"), 0o666)
}

// copyOwn opens the own log's file as a copy. Of a damaged one it gives what is left, and notes the damage. Where there
// is none, it gives none.
func (l *Log) copyOwn(ctx context.Context) (*Copy, error) {
	j, broken := l.openJournal(os.O_RDONLY)
	if j == nil {
		return nil, broken
	}
	c := &Copy{keptEnd: keptEnd{ref: refs.EventsRef, gen: j.gen}, own: true, file: j.file}
	if broken != nil {
		j.end.offset = j.size
	}
	if j.gen == "" { // not even its first line is what it was
		j.head = 0
	}
	known := l.checkedEnd(j)
	end, err := j.check(ctx, known)
	if ctx.Err() != nil {
		c.Close()
		return nil, ctx.Err()
	}
	if c.end = end; end != known && j.gen != "" {
		l.noteChecked(j.gen, end)
	}
	if broken == nil {
		broken = err
	} else if !isBroken(err) {
		broken = brokenBy(end.seq+1, broken)
	}
	if broken != nil {
		c.Notes = append(c.Notes, broken.Error())
		c.tail, err = j.whatIsLeft(end)
	}
	return c, err
}

// check holds the batches behind an end against the chain, and gives the end of the last sound one. At the first that
// is not it stops with a brokenError. Reading the lines takes longest, and all processors do it.
func (j *journal) check(ctx context.Context, from flatEnd) (flatEnd, error) {
	var groups []*batchGroup // that are being read, the oldest first
	var wrong error
	chain := func(left int) error {
		for ; wrong == nil && len(groups) > left; groups = groups[1:] {
			if from, wrong = groups[0].chain(from); wrong == nil {
				wrong = ctx.Err()
			}
		}
		return wrong
	}
	next := newBatchGroup()
	err := j.oldestFirst(from, func(lines [][]byte, end flatEnd) error {
		next.lines, next.ends = append(next.lines, lines), append(next.ends, end)
		if end.offset-next.ends[0].offset < groupBytes {
			return nil
		}
		go next.read()
		groups, next = append(groups, next), newBatchGroup()
		return chain(runtime.GOMAXPROCS(0))
	})
	if wrong == nil {
		next.read()
		groups = append(groups, next)
		_ = chain(0)
	}
	if wrong != nil { // it stands before what could not be read
		err = wrong
	}
	if err != nil && !isBroken(err) && ctx.Err() == nil {
		err = brokenBy(from.seq+1, err)
	}
	return from, err
}

// groupBytes is how much of the file is read at a time by one processor.
const groupBytes = 1 << 20

// batchGroup are some batches of the file that follow each other.
type batchGroup struct {
	lines [][][]byte
	ends  []flatEnd

	done    chan struct{} // closed once they are read
	checked []checkedCommit
}

func newBatchGroup() *batchGroup { return &batchGroup{done: make(chan struct{})} }

// read reads the lines of each batch by itself.
func (g *batchGroup) read() {
	g.checked = make([]checkedCommit, len(g.lines))
	for i, lines := range g.lines {
		g.checked[i].lines(batch{lines: lines}, nil)
	}
	close(g.done)
}

// chain waits for the lines to be read, and gives the end up to which they are sound and follow an end.
func (g *batchGroup) chain(end flatEnd) (flatEnd, error) {
	<-g.done
	for i, lines := range g.lines {
		sound, broken := soundLines(g.checked[i], lines, end)
		if broken != nil {
			return end, broken
		}
		next := g.ends[i]
		if last := sound[len(sound)-1]; last.seq != next.seq || last.id != next.id {
			return end, &brokenError{seq: last.seq, why: "the end line of its batch names another event"}
		}
		end = next
	}
	return end, nil
}

// whatIsLeft takes the events behind an end that are sound in themselves.
func (j *journal) whatIsLeft(end flatEnd) (*copyTail, error) {
	var text bytes.Buffer
	var lines []soundLine
	at := end
	rest := *j
	rest.end.offset = j.size
	err := rest.lines(end.offset, func(_ int64, line []byte) error {
		if e, hash, err := readChecked(line); err == nil && hash == e.ID {
			lines = append(lines, soundLine{bytes.Clone(line), e.Seq, e.ID})
		}
		return nil
	})
	if errors.Is(err, ErrJournal) { // a line that is cut off, or none: the end of what can be read
		err = nil
	}
	if err == nil {
		err = writeBatch(&text, refs.OID{}, lines, &at)
	}
	return &copyTail{text: text.Bytes(), end: at}, err
}
