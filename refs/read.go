package refs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Errors of reading and changing refs that callers check for.
var (
	ErrRefMissing = errors.New("no such ref")
	ErrBadRef     = errors.New("bad ref name")
)

// maxSymbolic is the depth up to which git follows symbolic refs.
const maxSymbolic = 5

// The ref storages that are read without git (git-init(1), --ref-format).
const (
	refFiles  = "files"
	refTables = "reftable"
)

// ReadRef returns the id of a ref, given by its full name ("refs/heads/main", "HEAD"), or ErrRefMissing. It follows
// symbolic refs. For an empty or incomplete file the error is ErrCorrupt: treating such a ref as missing would start a
// second history.
func (r *Repo) ReadRef(name string) (OID, error) {
	oid, _, err := r.followRef(name)
	if errors.Is(err, errAskGit) {
		return r.readRefByGit(name)
	}
	return oid, err
}

// Head returns HEAD's commit (zero on an unborn branch) and the full name of the branch ("refs/heads/main"; "" if HEAD
// is detached).
func (r *Repo) Head() (OID, string, error) {
	oid, last, err := r.followRef("HEAD")
	if errors.Is(err, errAskGit) {
		return r.headByGit()
	}
	if last == "HEAD" {
		last = ""
	}
	if errors.Is(err, ErrRefMissing) && last != "" {
		return OID{}, last, nil
	}
	return oid, last, err
}

// followRef follows symbolic refs. It also returns the name of the last ref.
func (r *Repo) followRef(name string) (OID, string, error) {
	for range maxSymbolic {
		if err := checkRefName(name); err != nil {
			return OID{}, name, err
		}
		oid, target, err := r.readOne(name)
		if err != nil {
			return OID{}, name, fmt.Errorf("read %s: %w", name, err)
		}
		if target == "" {
			return oid, name, nil
		}
		name = target
	}
	return OID{}, name, fmt.Errorf("read %s: %w: symbolic refs too deep", name, ErrCorrupt)
}

// readOne reads one ref without following it. The error is errAskGit if only git can read it.
func (r *Repo) readOne(name string) (OID, string, error) {
	if r.fileRef(name) {
		return r.readRefFile(name)
	}
	oid, target, _, err := r.tableRef(name)
	return oid, target, err
}

// readRefFile reads the loose file, otherwise the line in packed-refs. When git deletes a ref it removes the packed
// line first, and when it packs a ref it adds the line first. So this order never misses a ref.
func (r *Repo) readRefFile(name string) (OID, string, error) {
	path := r.refPath(name)
	if name == "HEAD" {
		if target, err := os.Readlink(path); err == nil { // old versions of git wrote symbolic refs in this form
			if target = filepath.ToSlash(target); strings.HasPrefix(target, "refs/") {
				return OID{}, target, nil
			}
		}
	}
	text, err := readSmall(path)
	switch {
	case err == nil:
		return r.parseLooseRef(text)
	case errors.Is(err, fs.ErrNotExist) && !strings.HasPrefix(name, "refs/"):
		return OID{}, "", ErrRefMissing // git does not pack such refs
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), isDir(path):
		oid, err := r.packedRef(name)
		return oid, "", err
	}
	return OID{}, "", err
}

func (r *Repo) parseLooseRef(text []byte) (OID, string, error) {
	if target, ok := bytes.CutPrefix(text, []byte("ref:")); ok {
		name := strings.TrimSpace(string(target))
		if name == "" {
			return OID{}, "", fmt.Errorf("%w: symbolic ref without a target", ErrCorrupt)
		}
		return OID{}, name, nil
	}
	digits := 2 * r.Format.Size()
	if len(text) < digits || len(text) > digits && !isSpace(int(text[digits])) && text[digits] != '\n' {
		return OID{}, "", fmt.Errorf("%w: ref file does not hold an object id", ErrCorrupt)
	}
	oid, err := ParseOID(string(text[:digits]))
	if err != nil {
		return OID{}, "", fmt.Errorf("%w: ref file does not hold an object id", ErrCorrupt)
	}
	return oid, "", nil
}

// refPath returns the path of the loose file of a ref. HEAD and similar refs, and a few namespaces, belong to one work
// tree (git-worktree(1), "REFS").
func (r *Repo) refPath(name string) string {
	dir := r.CommonDir
	if perWorktree(name) {
		dir = r.GitDir
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

func perWorktree(name string) bool {
	return !strings.HasPrefix(name, "refs/") || strings.HasPrefix(name, "refs/bisect/") ||
		strings.HasPrefix(name, "refs/worktree/") || strings.HasPrefix(name, "refs/rewritten/")
}

// checkRefName checks the rules of git-check-ref-format(1) that matter for safety. A name is a path below the git
// directory, so it must not lead elsewhere or collide with git's own files.
func checkRefName(name string) error {
	if !strings.HasPrefix(name, "refs/") {
		if name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == "" {
			return nil
		}
		return fmt.Errorf("%w: %q", ErrBadRef, name)
	}
	if !namesPath(name) {
		return fmt.Errorf("%w: %q", ErrBadRef, name)
	}
	return nil
}

// namesPath reports whether a name follows the rules. It reads the name once, because a remote may have thousands of
// refs.
func namesPath(name string) bool {
	start := 0 // start of the current component
	for i := range len(name) {
		switch c := name[i]; {
		case unnamed[c]:
			return false
		case c == '/':
			if i == start || strings.HasSuffix(name[start:i], ".lock") {
				return false
			}
			start = i + 1
		case c == '.' && (i == start || name[i-1] == '.'), c == '{' && i > 0 && name[i-1] == '@':
			return false
		}
	}
	last := name[start:]
	return last != "" && !strings.HasSuffix(last, ".lock") && !strings.HasSuffix(last, ".")
}

// unnamed holds the bytes that the name of a ref must not contain.
var unnamed = func() (bad [256]bool) {
	for c := range ' ' + 1 {
		bad[c] = true
	}
	for _, c := range []byte("\x7f~^:?*[\\") {
		bad[c] = true
	}
	return bad
}()

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (r *Repo) readRefByGit(name string) (OID, error) {
	if err := checkRefName(name); err != nil {
		return OID{}, err
	}
	out, err := r.Git(context.Background(), nil, "rev-parse", "--verify", "--quiet", "--end-of-options", name)
	var failed *GitError
	if errors.As(err, &failed) && failed.Code == 1 {
		return OID{}, fmt.Errorf("read %s: %w", name, ErrRefMissing)
	}
	if err != nil {
		return OID{}, fmt.Errorf("read %s: %w", name, err)
	}
	return ParseOID(strings.TrimSpace(string(out)))
}

func (r *Repo) headByGit() (OID, string, error) {
	branch := ""
	out, err := r.Git(context.Background(), nil, "symbolic-ref", "--quiet", "HEAD")
	var failed *GitError
	switch {
	case err == nil:
		branch = strings.TrimSuffix(string(out), "\n")
	case errors.As(err, &failed) && failed.Code == 1:
	default:
		return OID{}, "", fmt.Errorf("read HEAD: %w", err)
	}
	oid, err := r.readRefByGit("HEAD")
	if errors.Is(err, ErrRefMissing) && branch != "" {
		return OID{}, branch, nil
	}
	return oid, branch, err
}
