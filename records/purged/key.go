package purged

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/zeebo/blake3"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
)

const keySize = 32

// keyPlaces returns the files in which the key may be, the preferred one first. If a group shares the repository, the
// key is in the repository.
func keyPlaces(repo *refs.Repo) []string {
	inside := filepath.Join(dir(repo), "key")
	info, err := os.Stat(repo.TracesDir())
	state, noState := recorded.StateDir()
	if noState != nil || err == nil && info.Mode().Perm()&0o070 != 0 {
		return []string{inside}
	}
	return []string{filepath.Join(state, "purge-key"), inside}
}

// keyName returns an identifier of a key that reveals nothing about the key.
func keyName(key []byte) string {
	sum := blake3.Sum256(append([]byte("name\x00"), key...))
	return hex.EncodeToString(sum[:8])
}

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

// keyPatience limits the wait for another process that makes the key.
const keyPatience = 10 * time.Second

// currentKey returns the user's key. A new key is stored at once, so that purges that start at the same time use the
// same key.
func currentKey(repo *refs.Repo) ([]byte, error) {
	for _, path := range keyPlaces(repo) {
		key, err := readKey(path)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return key, err
		}
	}
	var failed error
	for _, path := range keyPlaces(repo) {
		key, err := makeKey(path)
		if err == nil {
			return key, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, fmt.Errorf("keep the key of purges: %w", failed)
}

// makeKey stores a new key in a file, or returns the key that another process stored there first.
func makeKey(path string) ([]byte, error) {
	if err := refs.MakeDirs(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	lock, err := refs.Flock(path+".lock", keyPatience)
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	defer func() { _ = os.Remove(path + ".lock") }()
	if key, err := readKey(path); !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	key := make([]byte, keySize)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	return key, refs.WriteFileDurable(path, []byte(hex.EncodeToString(key)+"\n"), 0o600)
}
