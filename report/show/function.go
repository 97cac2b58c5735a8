package show

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/blame/trail"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/function"
	"github.com/git-trace/git-trace/view/lookup"
)

// function follows the functions that an argument names: "NAME", or "NAME:PATH" for one file.
func (f *patchFinder) function(arg string) error {
	name, paths, named, err := f.functionFiles(arg)
	if err != nil {
		return err
	}
	best, found := 0, map[string][]function.Function{}
	for _, path := range paths {
		list, err := f.tracker.Functions(path)
		if err != nil {
			return blame.Explain(err)
		}
		for i := range list {
			rank := list[i].Rank(name)
			if rank > best {
				best, found = rank, map[string][]function.Function{}
			}
			if rank > 0 && rank == best {
				found[path] = append(found[path], list[i])
			}
		}
	}
	if len(found) > 1 {
		several := &lookup.Ambiguous{ID: name}
		for _, path := range paths {
			for i := range found[path] {
				several.Candidates = append(several.Candidates, cells.Message(found[path][i].Name+":"+path))
			}
		}
		return several
	}
	for path, list := range found {
		for i := range list {
			one, err := f.tracker.Function(path, &list[i])
			if err != nil {
				return err
			}
			if err := f.addPrompts(one); err != nil {
				return err
			}
			f.functions = append(f.functions, one)
		}
	}
	if len(found) == 0 {
		return f.noFunction(name, paths, named)
	}
	return nil
}

// functionFiles splits an argument, and returns the files that may contain the function: the named file, or all files
// with a function line that contains the words.
func (f *patchFinder) functionFiles(arg string) (name string, paths []string, named bool, err error) {
	if at := strings.LastIndexByte(arg, ':'); at > 0 && at+1 < len(arg) && lookup.LooksLikePath(arg[at+1:]) {
		path, err := lookup.PathInside(f.Viewer.Repo, arg[at+1:])
		return arg[:at], []string{path}, true, err
	}
	words := arg
	if at := strings.LastIndex(arg, " ("); at > 0 && strings.HasSuffix(arg, ")") { // a number distinguishes equal names
		words = arg[:at]
	}
	if words == "" {
		return arg, nil, false, nil
	}
	contents, err := f.contentsWith("--fixed-strings", words)
	if err != nil {
		return arg, nil, false, err
	}
	for i := range contents { // only lines that contain the words are checked
		lines := bytes.SplitAfter(contents[i].Text, []byte("\n"))
		contents[i].Text = bytes.Join(slices.DeleteFunc(lines, func(l []byte) bool {
			return !bytes.Contains(l, []byte(words))
		}), nil)
	}
	finder := function.NewFinder(f.Viewer.ctx, f.Viewer.Repo)
	if err := finder.Learn(contents...); err != nil {
		return arg, nil, false, err
	}
	for _, c := range contents {
		if slices.ContainsFunc(finder.Functions(c), func(one function.Function) bool { return one.Rank(words) > 0 }) {
			paths = append(paths, c.Path)
		}
	}
	return arg, paths, false, nil
}

// mostSearched is the number of bytes that are searched for a function's name.
const mostSearched = 64 << 20

// contentsWith returns the files of the work tree that match a pattern of git-grep(1); in a bare repository, of HEAD.
func (f *patchFinder) contentsWith(kind, pattern string) ([]function.Content, error) {
	repo := f.Viewer.Repo
	args := []string{"grep", "--no-color", "--no-recurse-submodules", "--full-name", "-I", "-l", "-z", kind, "-e", pattern}
	if repo.Bare() {
		args = append(args, "HEAD")
	} else {
		args = append(args, "--untracked")
	}
	out, err := repo.Git(f.Viewer.ctx, nil, append(args, "--")...)
	var refused *refs.GitError
	if errors.As(err, &refused) && (refused.Code == 1 || repo.Bare()) { // no match, or no commit
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []function.Content
	size := 0
	for path := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		one := function.Content{Path: path}
		if repo.Bare() {
			one.Path = strings.TrimPrefix(path, "HEAD:")
			oid, _, err := f.Viewer.objects.Resolve(path)
			if err != nil {
				continue
			}
			if one.Text, err = f.Viewer.objects.Blob(oid); err != nil {
				continue
			}
		} else if one.Text, err = os.ReadFile(filepath.Join(repo.WorkTree, filepath.FromSlash(path))); err != nil {
			continue // it was deleted meanwhile
		}
		if size += len(one.Text); size > mostSearched {
			break
		}
		list = append(list, one)
	}
	return list, nil
}

// noFunction returns the error for a name that no function has. The hint gives the nearest name.
func (f *patchFinder) noFunction(name string, paths []string, named bool) error {
	var words []string
	gather := func(list []function.Function) {
		for i := range list {
			words = append(words, list[i].Words()...)
		}
	}
	hint := "git trace log lists conversations, git trace blame --functions FILE the functions of a file"
	if named {
		list, err := f.tracker.Functions(paths[0])
		if err != nil {
			return blame.Explain(err)
		}
		if _, count, err := f.tracker.Line(paths[0], 1); err != nil || count == 0 {
			return errors.Join(err, noLines(paths[0]))
		}
		gather(list)
		hint = "git trace blame --functions " + cells.Message(paths[0]) + " lists its functions"
		return exit.Fail(exit.Git, fmt.Errorf("'%s' has no function '%s'", cells.Message(paths[0]), cells.Message(name)),
			exit.Meant(name, words, hint))
	}
	contents, err := f.contentsWith("--basic-regexp", ".")
	if err != nil {
		return err
	}
	finder := function.NewFinder(f.Viewer.ctx, f.Viewer.Repo)
	if err := finder.Learn(contents...); err != nil {
		return err
	}
	for _, c := range contents {
		gather(finder.Functions(c))
	}
	return exit.Fail(exit.Git, fmt.Errorf("nothing has the id '%s', and no function has the name", cells.Message(name)),
		f.Viewer.known.MeantID(name, exit.Meant(name, words, hint)))
}

// addPrompts adds the texts of the prompts.
func (f *patchFinder) addPrompts(one *trail.FunctionJSON) error {
	for i := range one.Changes {
		for k := range one.Changes[i].Writers {
			w := &one.Changes[i].Writers[k]
			if w.Prompt == nil || w.Trace == nil {
				continue
			}
			text, _, err := f.Viewer.known.Prompts().Get(*w.Trace, w.Prompt.Index)
			if err != nil {
				return err
			}
			w.Prompt.Text = text
		}
	}
	return nil
}

// function draws the changes of a function, newest first.
func (d *trackDrawer) function(f *trail.FunctionJSON) {
	if d.last != "" {
		d.line("")
	}
	d.last = f.Name
	place := placeText(trail.Run{Path: f.Raw, Start: f.Start, Count: f.Count})
	d.line(d.pen.Paint(cells.Bold, d.safe(f.Name)) + "  " + d.safe(place))
	for i := range f.Changes {
		c := &f.Changes[i]
		label := "changed"
		if i == len(f.Changes)-1 {
			label = "created"
		}
		if c.Commit == nil {
			d.entry("now", "not committed yet, "+counts(c.Added, 0))
		} else {
			text := moment(*c.Time) + "  " + d.pen.Paint(cells.HashColor, d.commit(*c.Commit)) + "  " + counts(c.Added,
				*c.Removed)
			if c.Raw != f.Raw {
				text += ", in " + d.safe(c.Raw)
			}
			d.entry(label, text)
			d.entry("", d.pen.Paint(cells.Faint, cells.Cut(cells.Safe(cells.Line(*c.Subject)), max(d.width-trackLabel-4, 20))))
		}
		for k := range c.Writers {
			w := &c.Writers[k]
			who := string(w.Contributor)
			switch {
			case w.Trace != nil:
				prompt, said := 0, ""
				if w.Prompt != nil {
					prompt = w.Prompt.Index
					if w.Prompt.Text != "" {
						said = `: "` + cells.Safe(cells.Line(w.Prompt.Text)) + `"`
					}
				}
				who = d.safe(*w.Agent) + " " + d.conversation(*w.Trace, prompt) + " " + strconv.Itoa(w.Lines) + said
			case w.Older:
				who = string(events.OwnerOlder) + " " + strconv.Itoa(w.Lines)
			case w.Author != nil:
				who = d.safe(*w.Author) + " " + strconv.Itoa(w.Lines)
			default:
				who += " " + strconv.Itoa(w.Lines)
			}
			d.wrapped("", who)
		}
	}
}
