package ledger

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zeebo/blake3"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// A patch id is 16 bytes in hex: 8 bytes for the patch, then 8 for its owner. So the patch id alone leads to the owner
// of a line. An owner is stored once, however many patches a tool call makes.
const (
	ownerKeyStart  = 16 // start of the owner's key in hex digits
	patchIDLength  = 32
	ownerKeyDigits = patchIDLength - ownerKeyStart
)

// OwnerKey is the part of a patch id that names the owner.
type OwnerKey string

// Person is the key of a person. It has no record, because the key is enough.
const Person OwnerKey = "0000000000000000"

// NewOwnerKey computes the key of an owner from the texts that identify the owner.
func NewOwnerKey(parts []string) OwnerKey {
	sum := blake3.Sum256([]byte(strings.Join(parts, "\x00")))
	return OwnerKey(hex.EncodeToString(sum[:ownerKeyDigits/2]))
}

// OwnerKeyOf returns the owner's part of a patch id. The bool is false for text that is not a patch id.
func OwnerKeyOf(id events.PatchID) (OwnerKey, bool) {
	if len(id) != patchIDLength {
		return "", false
	}
	return OwnerKey(id[ownerKeyStart:]), true
}

// PatchOf computes the id of a patch from the seed that identifies it, and from its owner.
func PatchOf(seed []byte, owner OwnerKey) events.PatchID {
	sum := blake3.Sum256(seed)
	return events.PatchID(hex.EncodeToString(sum[:ownerKeyStart/2])) + events.PatchID(owner)
}

// WithOwner returns a patch id with its owner replaced. The id must contain an owner's key.
func WithOwner(id events.PatchID, owner OwnerKey) events.PatchID {
	return id[:ownerKeyStart] + events.PatchID(owner)
}

// Owners stores the owners that belong to this repository's owner keys, in <common git dir>/traces/contents/owners/XX,
// one line "KEY JSON" for each. Additions are in memory until Save. Every line can be derived again from the patches in
// the log.
type Owners struct {
	dir     string
	unsaved map[OwnerKey]events.AnchorOwner
}

// NewOwners returns the store of the repository. It opens no file before the first use.
func NewOwners(repo *refs.Repo) *Owners {
	return NewOwnersIn(filepath.Join(Dir(repo), "owners"))
}

// NewOwnersIn returns the store in a directory.
func NewOwnersIn(dir string) *Owners {
	return &Owners{dir: dir, unsaved: map[OwnerKey]events.AnchorOwner{}}
}

// Put stores an owner, once for each key.
func (o *Owners) Put(key OwnerKey, owner events.AnchorOwner) {
	if _, found := o.Get(key); !found {
		owner.Patch, owner.Previous = "", ""
		o.unsaved[key] = owner
	}
}

// Save writes the additions made since the last call.
func (o *Owners) Save() error {
	for _, key := range slices.Sorted(maps.Keys(o.unsaved)) {
		raw, err := json.Marshal(o.unsaved[key])
		if err != nil {
			return fmt.Errorf("encode owner: %w", err)
		}
		line := append(append([]byte(key), ' '), raw...)
		if err := appendFile(filepath.Join(o.dir, string(key[:2])), append(line, '\n')); err != nil {
			return fmt.Errorf("store owner: %w", err)
		}
		delete(o.unsaved, key)
	}
	return nil
}

func (o *Owners) Get(key OwnerKey) (events.AnchorOwner, bool) {
	if key == Person {
		return events.AnchorOwner{Kind: events.OwnerHuman, Evidence: events.Watched}, true
	}
	if len(key) != ownerKeyDigits {
		return events.AnchorOwner{}, false
	}
	if owner, put := o.unsaved[key]; put {
		return owner, true
	}
	raw, err := refs.ReadFile(filepath.Join(o.dir, string(key[:2])))
	if err != nil {
		return events.AnchorOwner{}, false
	}
	prefix := []byte(string(key) + " ")
	for line := range bytes.Lines(raw) {
		rest, ok := bytes.CutPrefix(line, prefix)
		if !ok || !bytes.HasSuffix(rest, []byte("\n")) {
			continue // another owner, or an incomplete line from a killed process
		}
		var owner events.AnchorOwner
		if json.Unmarshal(rest, &owner) == nil {
			return owner, true
		}
	}
	return events.AnchorOwner{}, false
}

// Describe returns the owner of a patch, or unknown if this repository does not know the patch.
func (o *Owners) Describe(id events.PatchID) events.AnchorOwner {
	key, ok := OwnerKeyOf(id)
	if !ok {
		return events.AnchorOwner{Kind: events.OwnerUnknown}
	}
	owner, found := o.Get(key)
	if !found {
		return events.AnchorOwner{Kind: events.OwnerUnknown, Patch: id}
	}
	owner.Patch = id
	return owner
}

// appendFile appends to a file in one write. It creates the file and its directory if they are missing. If a killed
// process left an incomplete line, appendFile ends that line first, so that the new line is complete.
func appendFile(name string, line []byte) error {
	if err := refs.MakeDirs(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		var last [1]byte
		if _, err := f.ReadAt(last[:], info.Size()-1); err == nil && last[0] != '\n' {
			line = append([]byte{'\n'}, line...)
		}
	}
	_, err = f.Write(line)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}
