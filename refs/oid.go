package refs

import (
	"bytes"
	"cmp"
	"crypto/sha1" //nolint:gosec // git's object ids are SHA-1 unless the repository says otherwise
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"strconv"
)

// ObjectFormat is the hash function of a repository's object ids (extensions.objectFormat).
type ObjectFormat uint8

// The object formats that git knows.
const (
	SHA1 ObjectFormat = iota
	SHA256
)

// String returns git's name of the format, as in extensions.objectFormat.
func (f ObjectFormat) String() string {
	if f == SHA256 {
		return "sha256"
	}
	return "sha1"
}

// Size returns the length of a raw id in bytes: 20 or 32.
func (f ObjectFormat) Size() int {
	if f == SHA256 {
		return sha256.Size
	}
	return sha1.Size
}

// New returns a new hash of the format.
func (f ObjectFormat) New() hash.Hash {
	if f == SHA256 {
		return sha256.New()
	}
	return sha1.New() //nolint:gosec // see the import
}

// Zero returns the all-zero id of the format. Git prints it for "no object".
func (f ObjectFormat) Zero() OID { return OID{size: uint8(f.Size())} }

// EmptyTree returns the id of the tree without entries.
func (f ObjectFormat) EmptyTree() OID { return f.Hash(TreeObject, nil) }

// Hash returns the id of an object with the given type and content. It does not store the object.
func (f ObjectFormat) Hash(typ ObjectType, content []byte) OID {
	h := f.New()
	header := string(typ) + " " + strconv.Itoa(len(content)) + "\x00"
	_, _ = h.Write([]byte(header))
	_, _ = h.Write(content)
	oid, _ := OIDFromBytes(h.Sum(nil))
	return oid
}

// ObjectType is the type of an object, as its header names it.
type ObjectType string

// The object types that the project writes or reads.
const (
	BlobObject   ObjectType = "blob"
	TreeObject   ObjectType = "tree"
	CommitObject ObjectType = "commit"
	TagObject    ObjectType = "tag"
)

// OID is an object id of either format. The zero value means "no id". OIDs are comparable with ==.
type OID struct {
	raw  [sha256.Size]byte
	size uint8
}

// ErrBadOID is returned for text that is not a full hexadecimal object id.
var ErrBadOID = errors.New("not an object id")

// ParseOID parses a full id of 40 or 64 lower-case hexadecimal digits.
func ParseOID(text string) (OID, error) { return parseOID(text) }

func parseOID[T string | []byte](text T) (OID, error) {
	if len(text) != 2*sha1.Size && len(text) != 2*sha256.Size {
		return OID{}, fmt.Errorf("%w: %d digits", ErrBadOID, len(text))
	}
	oid := OID{size: uint8(len(text) / 2)}
	for i := range len(text) / 2 {
		high, low := hexDigits[text[2*i]], hexDigits[text[2*i+1]]
		if high|low > 15 {
			at := 2 * i
			if high <= 15 {
				at++
			}
			return OID{}, fmt.Errorf("%w: byte %d is not a lower-case hex digit", ErrBadOID, at)
		}
		oid.raw[i] = high<<4 | low
	}
	return oid, nil
}

// hexDigits maps lower-case hexadecimal digits to their values, and every other byte to 255.
var hexDigits = func() (values [256]byte) {
	for c := range values {
		values[c] = 255
	}
	for value, c := range []byte("0123456789abcdef") {
		values[c] = byte(value)
	}
	return values
}()

// OIDFromBytes converts a raw id of 20 or 32 bytes.
func OIDFromBytes[T ~string | ~[]byte](raw T) (OID, error) {
	if len(raw) != sha1.Size && len(raw) != sha256.Size {
		return OID{}, fmt.Errorf("%w: %d bytes", ErrBadOID, len(raw))
	}
	var oid OID
	oid.size = uint8(copy(oid.raw[:], raw))
	return oid, nil
}

// String returns the full id in lower-case hexadecimal, or "" for "no id".
func (o OID) String() string { return hex.EncodeToString(o.raw[:o.size]) }

// Compare orders ids in the same way as their texts.
func (o OID) Compare(other OID) int {
	return cmp.Or(bytes.Compare(o.raw[:], other.raw[:]), cmp.Compare(o.size, other.size))
}

// Bytes returns the raw id: 20 or 32 bytes, or none for "no id".
func (o OID) Bytes() []byte { return append([]byte(nil), o.raw[:o.size]...) }

// AppendTo appends the raw id to b.
func (o OID) AppendTo(b []byte) []byte { return append(b, o.raw[:o.size]...) }

// IsZero reports whether o is the zero value or an all-zero id.
func (o OID) IsZero() bool { return o.raw == [sha256.Size]byte{} }

// Format returns the object format of ids with o's length.
func (o OID) Format() ObjectFormat {
	if o.size == sha256.Size {
		return SHA256
	}
	return SHA1
}

// MarshalText makes an id a plain string in JSON. The zero id is the empty string.
func (o OID) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText parses the text of MarshalText.
func (o *OID) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*o = OID{}
		return nil
	}
	parsed, err := parseOID(text)
	if err != nil {
		return err
	}
	*o = parsed
	return nil
}
