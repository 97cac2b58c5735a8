package purged

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/zeebo/blake3"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
)

const keySize = 32

// keyPlaces returns the files that a key may be in, the preferred one first. A repository that git shares with a group
// has a key of the group.
func keyPlaces(repo *refs.Repo) []string {
	inside := filepath.Join(dir(repo), "key")
	info, err := os.Stat(repo.TracesDir())
	state, noState := recorded.StateDir()
	if noState != nil || err == nil && info.Mode().Perm()&0o070 != 0 {
		return []string{inside}
	}
	return []string{filepath.Join(state, "purge-key"), inside}
}

// keyName says which key something was made with, and nothing else of it.
func keyName(key []byte) string {
	sum := blake3.Sum256(append([]byte("name\x00"), key...))
	return hex.EncodeToString(sum[:8])
}

// findKey finds the key of a name.
func findKey(repo *refs.Repo, name string) ([]byte, error) {
	for _, path := range keyPlaces(repo) {
		key, err := readKey(path)
		if err == nil && keyName(key) == name {
			return key, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("their key %s is gone from %s", name, keyPlaces(repo)[0])
}

func readKey(path string) ([]byte, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(string(raw[:min(len(raw), 2*keySize)]))
	if err != nil || len(key) != keySize {
		return nil, fmt.Errorf("%s holds no key", path)
	}
	return key, nil
}

// currentKey returns the key that the user has, or a new one, which is not kept yet.
func currentKey(repo *refs.Repo) ([]byte, error) {
	for _, path := range keyPlaces(repo) {
		key, err := readKey(path)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return key, err
		}
	}
	key := make([]byte, keySize)
	_, err := rand.Read(key)
	return key, err
}

// keepKey keeps a key where the first place takes it. One that another process kept meanwhile is not overwritten.
func keepKey(repo *refs.Repo, key []byte) error {
	if _, err := findKey(repo, keyName(key)); err == nil {
		return nil
	}
	var failed error
	for _, path := range keyPlaces(repo) {
		if _, err := os.Lstat(path); err == nil {
			failed = errors.Join(failed, fmt.Errorf("%s is another one", path))
			continue
		}
		if err := refs.MakeDirs(filepath.Dir(path), 0o700); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		err := refs.WriteFileDurable(path, []byte(hex.EncodeToString(key)+"\n"), 0o600)
		if err == nil {
			return nil
		}
		failed = errors.Join(failed, err)
	}
	return failed
}
