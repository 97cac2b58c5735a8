package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/docs/man"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
)

//go:embed completion/git-trace.bash completion/_git-trace completion/git-trace.fish
var completions embed.FS

// shells are the shells with completion, in the order in which they are listed. completionFiles are the files that
// these shells read.
var shells = []string{"bash", "zsh", "fish"}

var completionFiles = map[string]struct {
	name   string // name in package completion
	shared string // path below share
}{
	"bash": {"git-trace.bash", "bash-completion/completions/git-trace"},
	"zsh":  {"_git-trace", "zsh/site-functions/_git-trace"},
	"fish": {"git-trace.fish", "fish/vendor_conf.d/git-trace.fish"},
}

func completionCommand() *command {
	return &command{
		Name: "completion",
		Does: "print the completion for a shell",
		Form: "git trace completion <shell>",
		About: "Prints the completion for bash, zsh or fish. Packages include it. git trace install-docs puts it\n" +
			"where the shells look.",
		Examples: []example{
			{"git trace completion bash", "the completion for bash"},
		},
		Run: func(a *app, _ *call, ops operands) error {
			names := slices.Concat(ops.List, ops.Behind)
			if len(names) != 1 {
				return exit.Usage("name one shell: %s", strings.Join(shells, ", "))
			}
			file, known := completionFiles[names[0]]
			if !known {
				return exit.NoSuch("shell", names[0], shells)
			}
			text, err := completions.ReadFile("completion/" + file.name)
			if err == nil {
				_, err = terminal.Quietly(a.std.out).Write(text)
			}
			return err
		},
		Traits: verbatim | atOnce,
		Tries:  []string{"bash", "zsh", "fish", "nosuch"},
	}
}

func installDocsCommand() *command {
	return &command{
		Name: "install-docs",
		Does: "install the manual pages and completions after go install",
		Form: "git trace install-docs [--prefix <directory>] [--undo] [--dry-run]",
		About: "Writes the manual pages beside the directory in which git-trace lies, where man looks for the\n" +
			"pages of a program, and the completions for bash, zsh and fish into your own data directory. With\n" +
			"--prefix it writes all of them below share in that directory. It lists the files that it wrote.\n" +
			"Packages include these files.",
		Options: options("prefix", "undo", "dry-run"),
		Examples: []example{
			{"git trace install-docs --dry-run", "say where manual pages and completions would go"},
		},
		Run:    (*app).installDocs,
		Traits: alone | atOnce,
		Tries:  []string{"--help"},
	}
}

// docFile is a file of install-docs, below a directory that may have existed before.
type docFile struct {
	below string
	path  string
	text  []byte
}

func (a *app) installDocs(c *call, _ operands) error {
	pages, data, err := docPlaces(c.String("prefix"))
	if err != nil {
		return err
	}
	files, err := docFiles(pages, data)
	if err != nil {
		return err
	}
	done := "written"
	if c.Bool("undo") {
		done = "removed"
	}
	for _, file := range files {
		if !c.Bool("dry-run") {
			if err := file.put(c.Bool("undo")); err != nil {
				return exit.Fail(exit.Unchecked, err, "git trace install-docs --prefix <directory> chooses another place")
			}
		}
	}
	count := numbers.Count(len(files)-len(shells), "manual page")
	fmt.Fprintf(a.std.out, "%s %s: %s\n", count, done, filepath.Join(pages, "man", "man1"))
	for _, shell := range shells {
		fmt.Fprintf(a.std.out, "completion of %s %s: %s\n", shell, done, filepath.Join(data, completionFiles[shell].shared))
	}
	if done == "written" {
		dir := filepath.Join(data, "zsh", "site-functions")
		fmt.Fprintf(a.std.err, "git-trace: hint: zsh reads %s if .zshrc has, before compinit: fpath+=(%s)\n", dir, dir)
	}
	return nil
}

// docPlaces returns the directory that contains man, and the directory for the shells' data.
func docPlaces(prefix string) (pages, data string, err error) {
	if prefix != "" {
		prefix, err = filepath.Abs(prefix)
		return filepath.Join(prefix, "share"), filepath.Join(prefix, "share"), err
	}
	program, err := os.Executable()
	if err != nil {
		return "", "", exit.Fail(exit.Unchecked, err, "")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", "", exit.Fail(exit.Unchecked, err, "git trace install-docs --prefix <directory> needs no home")
	}
	if data = os.Getenv("XDG_DATA_HOME"); data == "" {
		data = filepath.Join(home, ".local", "share")
	}
	pages = filepath.Join(filepath.Dir(filepath.Dir(program)), "share") // man(1) derives this directory from PATH
	if filepath.Base(filepath.Dir(program)) != "bin" {
		pages = data
	}
	return pages, data, nil
}

func docFiles(pages, data string) ([]docFile, error) {
	names, err := fs.Glob(man.Pages, "man1/*.1")
	if err != nil {
		return nil, err
	}
	var out []docFile
	for _, name := range names {
		text, err := man.Pages.ReadFile(name)
		if err != nil {
			return nil, err
		}
		out = append(out, docFile{pages, filepath.Join(pages, "man", filepath.FromSlash(name)), text})
	}
	for _, shell := range shells {
		text, err := completions.ReadFile("completion/" + completionFiles[shell].name)
		if err != nil {
			return nil, err
		}
		out = append(out, docFile{data, filepath.Join(data, filepath.FromSlash(completionFiles[shell].shared)), text})
	}
	return out, nil
}

// put writes the file. With away it removes the file, and the directories inside f.below that become empty.
func (f docFile) put(away bool) error {
	if away {
		if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for dir := filepath.Dir(f.path); dir != f.below && os.Remove(dir) == nil; dir = filepath.Dir(dir) {
			continue // Remove fails for a directory that is not empty
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
		return err
	}
	next := f.path + ".new"
	if err := os.WriteFile(next, f.text, 0o644); err != nil {
		return err
	}
	return os.Rename(next, f.path)
}
