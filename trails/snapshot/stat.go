package snapshot

// fileStat holds the members of lstat(2) that show whether a path changed. The zero value is "not known".
type fileStat struct {
	mtime, ctime int64 // nanoseconds since 1970
	size         int64
	ino          uint64
	mode         uint32 // st_mode: type and permissions
}

// File types of st_mode; the values are the same wherever git runs.
const (
	typeMask uint32 = 0o170000
	typeDir  uint32 = 0o040000
	typeFile uint32 = 0o100000
	typeLink uint32 = 0o120000
)

func (s fileStat) isDir() bool  { return s.mode&typeMask == typeDir }
func (s fileStat) isFile() bool { return s.mode&typeMask == typeFile }
func (s fileStat) isLink() bool { return s.mode&typeMask == typeLink }
func (s fileStat) known() bool  { return s.mode != 0 }

// fineSlack covers the tick by which file times may lag behind the clock; coarseSlack covers a file system with whole
// or even seconds, or the clock of another machine.
const (
	fineSlack   = int64(20e6)
	coarseSlack = int64(2e9)
)

// racy reports whether the path may change once more while its stamps stay the same, when a scan began at start. The
// change time counts too: no program can set it back.
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
	kindSpecial // FIFO, socket, device: no part of a tree, never opened
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
