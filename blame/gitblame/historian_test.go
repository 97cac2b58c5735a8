package gitblame

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// historian makes history.
type historian struct {
	*repo
	ways
	rng    *rand.Rand
	number int // of lines and names made
	side   int // branches made
}

func newHistorian(t *testing.T, seed uint64) *historian {
	h := &historian{repo: newRepo(t), rng: rand.New(rand.NewPCG(seed, 1))}
	for i := range 3 {
		var text strings.Builder
		for range 12 {
			text.WriteString(h.line())
		}
		h.Write(fmt.Sprintf("f%d", i), text.String())
	}
	h.Commit("root")
	return h
}

func (w *ways) count(way string) {
	switch way {
	case "recalled":
		w.recalled++
	case "composed":
		w.composed++
	case "full":
		w.full++
	default:
		w.uncached++
	}
}

func (h *historian) line() string {
	h.number++
	if h.rng.IntN(4) == 0 {
		return "}\n" // a line that is there many times
	}
	return fmt.Sprintf("line %d of %x\n", h.number, h.rng.Uint32())
}

func (h *historian) files() []string {
	return strings.Fields(h.Git("ls-files"))
}

// edit changes a few lines of a file of the work tree, or of another one if it is gone.
func (h *historian) edit(file string) {
	if files := h.files(); !slices.Contains(files, file) {
		file = files[h.rng.IntN(len(files))]
	}
	lines := strings.SplitAfter(h.Read(file), "\n")
	for range 1 + h.rng.IntN(3) {
		at := h.rng.IntN(len(lines))
		switch h.rng.IntN(6) {
		case 0:
			lines = append(lines[:at:at], append([]string{h.line(), h.line()}, lines[at:]...)...)
		case 3:
			lines[at] = "  " + lines[at]
		case 4: // moved
			to := h.rng.IntN(len(lines))
			block := slices.Clone(lines[at:min(at+3, len(lines))])
			lines = slices.Insert(slices.Delete(lines, at, at+len(block)), min(to, len(lines)-len(block)), block...)
		case 1:
			lines[at] = h.line()
		case 2:
			if len(lines) > 4 {
				lines = append(lines[:at:at], lines[at+1:]...)
			}
		default:
			lines = append(lines[:at:at], append([]string{h.line()}, lines[at:]...)...)
		}
	}
	h.Write(file, strings.Join(lines, ""))
}

func (h *historian) step(n int) {
	files := h.files()
	file := files[h.rng.IntN(len(files))]
	switch h.rng.IntN(16) {
	case 0:
		h.number++
		name := fmt.Sprintf("d%d/f%d", h.number%3, h.number)
		if err := os.MkdirAll(filepath.Dir(filepath.Join(h.Dir, name)), 0o777); err != nil {
			h.T.Fatal(err)
		}
		h.Git("mv", file, name)
		h.Commit("rename")
	case 1, 2: // a branch from a while ago, merged
		h.side++
		branch := fmt.Sprintf("side%d", h.side)
		back := h.rng.IntN(8)
		if _, code := h.Try(h.Dir, "", "checkout", "-q", "-f", "-b", branch, fmt.Sprintf("HEAD~%d", back)); code != 0 {
			return
		}
		for range 1 + h.rng.IntN(3) {
			files := h.files()
			h.edit(files[h.rng.IntN(len(files))])
			h.Commit("side")
		}
		h.Git("checkout", "-q", "-f", "main")
		strategy := []string{"-Xours", "-Xtheirs"}[h.rng.IntN(2)]
		h.Tick++
		if _, code := h.Try(h.Dir, "", "merge", "-q", "--no-ff", strategy, "-m", "merge", branch); code != 0 {
			h.Git("merge", "--abort")
		}
	case 3: // the last commits are written anew
		if _, code := h.Try(h.Dir, "", "rev-parse", "-q", "--verify", "HEAD~3"); code != 0 {
			return
		}
		h.Git("reset", "-q", "--hard", "HEAD~2")
		h.edit(file)
		h.Commit("instead")
		h.Tick++
		h.Try(h.Dir, "", "cherry-pick", "-Xtheirs", "ORIG_HEAD")
		h.Try(h.Dir, "", "cherry-pick", "--abort")
		h.Git("reset", "-q", "--hard")
	case 4:
		h.edit(file)
		h.Tick++
		h.Git("commit", "-q", "-a", "--amend", "-m", "amended")
	case 5:
		h.Git("checkout", "-q", "-f", "--detach", fmt.Sprintf("HEAD~%d", h.rng.IntN(2)))
		h.edit(file)
		h.Commit("detached")
		h.Git("checkout", "-q", "-B", "main")
	case 6: // content as it was before
		if _, code := h.Try(h.Dir, "", "revert", "--no-edit", "HEAD"); code != 0 {
			h.Try(h.Dir, "", "revert", "--abort")
			h.Git("reset", "-q", "--hard")
		}
	case 7:
		h.edit(file) // not committed
	case 8:
		if n%4 == 0 {
			h.Git("gc", "-q", "--prune=now")
			return
		}
		h.Git("checkout", "-q", "-f", "HEAD")
	case 9: // a commit of another time
		tick := h.Tick
		h.Tick = h.rng.IntN(tick + 1)
		h.edit(file)
		h.Commit("clock set back")
		h.Tick = tick
	default:
		h.edit(file)
		h.Commit("edit")
	}
}
