package refs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/zeebo/blake3"
)

// mostBorrowed limits the number of alternates of an object directory (gitrepository-layout(5)).
const mostBorrowed = 16

// ObjectState returns a text that changes when objects are added or removed. It contains the change times of the object
// directories, including alternates. It reads no object and starts no process.
func (r *Repo) ObjectState() string {
	sum := blake3.New()
	dirs := []string{r.MainObjects()}
	for i := 0; i < len(dirs); i++ {
		borrowed, _ := os.ReadFile(filepath.Join(dirs[i], "info", "alternates"))
		fmt.Fprintf(sum, "%q %q\n", dirs[i], borrowed)
		for line := range strings.Lines(string(borrowed)) {
			name := strings.TrimSuffix(line, "\n")
			if !filepath.IsAbs(name) {
				name = filepath.Join(dirs[i], name)
			}
			if len(dirs) < mostBorrowed {
				dirs = append(dirs, name)
			}
		}
		for n := -1; n < 256; n++ { // loose objects are in directories named by the first byte of their id
			name := "pack"
			if n >= 0 {
				name = fmt.Sprintf("%02x", n)
			}
			if info, err := os.Stat(filepath.Join(dirs[i], name)); err == nil {
				fmt.Fprintf(sum, "%s %d\n", name, info.ModTime().UnixNano())
			}
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:16])
}
