package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
)

// filesPerDir is the average number of files in a directory. In large public repositories it is between two and ten.
const filesPerDir = 5

// fileName returns the path of file n.
func fileName(n int) string {
	dir := n / filesPerDir
	return fmt.Sprintf("pkg%02d/part%02d/unit%d/file%d.go", dir/1000, dir/50%20, dir%50, n)
}

// makeTree makes a repository with a number of files in one commit.
func (b *bench) makeTree(dir string, files int) error {
	return b.fastImport(dir, func(w *bufio.Writer) {
		rng := rand.New(rand.NewPCG(1, uint64(files)))
		fmt.Fprintf(w, "commit refs/heads/main\ncommitter A U Thor <author@example.com> 1700000000 +0000\n")
		data(w, "all files\n")
		for n := range files {
			fmt.Fprintf(w, "M 100644 inline %s\n", fileName(n))
			data(w, source(rng, n, 20+rng.IntN(40)))
		}
	})
}

// fastImport fills a new repository with a stream of git-fast-import(1), and checks it out.
func (b *bench) fastImport(dir string, write func(w *bufio.Writer)) error {
	if err := b.check(b.git(dir, "init", "-q")); err != nil {
		return err
	}
	cmd := b.git(dir, "fast-import", "--quiet", "--export-marks="+filepath.Join(dir, ".git", "marks"))
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	w := bufio.NewWriterSize(in, 1<<20)
	write(w)
	if err := errors.Join(w.Flush(), in.Close(), cmd.Wait()); err != nil {
		return fmt.Errorf("git fast-import: %w", err)
	}
	return b.check(b.git(dir, "checkout", "-q", "-f", "main"))
}

// data writes a data command.
func data(w io.Writer, text string) { fmt.Fprintf(w, "data %d\n%s\n", len(text), text) }

// source returns a text that looks like a program.
func source(rng *rand.Rand, n, lines int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "package unit%d\n\n", n)
	for i := range lines {
		text.WriteString(sourceLine(rng, i))
	}
	return text.String()
}

// sourceLine returns a line. As in programs, some lines are the same in all files.
func sourceLine(rng *rand.Rand, i int) string {
	switch i % 6 {
	case 0:
		return fmt.Sprintf("func step%d(input int) (int, error) {\n", rng.IntN(1<<20))
	case 3:
		return "\tif err != nil {\n\t\treturn 0, err\n"
	case 5:
		return "}\n"
	}
	return fmt.Sprintf("\tvalue%d := compute(input, %d)\n", i, rng.IntN(1<<30))
}
