package snapshot

// fileStat holds the fields of lstat(2) that show whether a path changed. The zero value means "not known".
type fileStat struct {
	mtime, ctime int64 // nanoseconds since 1970
	size         int64
	ino          uint64
	mode         uint32 // st_mode: type and permissions
}

// File types in st_mode. The values are the same on all systems on which git runs.
const (
	typeMask uint32 = 0o170000
	typeDir  uint32 = 0o040000
	typeFile uint32 = 0o100000
	typeLink uint32 = 0o120000
	// linked is added to the mode of a file that has several names.
	linked uint32 = 1 << 31
)

func (s fileStat) isDir() bool  { return s.mode&typeMask == typeDir }
func (s fileStat) isFile() bool { return s.mode&typeMask == typeFile }
func (s fileStat) isLink() bool { return s.mode&typeMask == typeLink }
func (s fileStat) known() bool  { return s.mode != 0 }

// fineSlack is longer than a tick of the clock of file times. The constant coarseSlack is for a file system that stores
// whole or even seconds, or for the clock of another machine.
const (
	fineSlack   = int64(20e6)
	coarseSlack = int64(2e9)
)

// `racy` reports whether a path may change again without a change of its time stamps, if a scan began at `start`. The
// change time is checked too, because no program can set it back.
func (s fileStat) racy(start int64, slack int64) bool {
	last := max(s.mtime, s.ctime)
	if last%1_000_000 == 0 {
		slack = coarseSlack
	}
	return last >= start-slack
}

// nameKind is the kind of a name in a directory listing.
type nameKind uint8

const (
	kindFile nameKind = iota + 1
	kindLink
	kindDir
	kindSpecial // FIFO, socket or device: never in a tree, never opened
)

func (s fileStat) kind() nameKind {
	switch s.mode & typeMask {
	case typeFile:
		return kindFile
	case typeLink:
		return kindLink
	case typeDir:
		return kindDir
	}
	return kindSpecial
}

type dirName struct {
	name string
	kind nameKind
}
