package recorded

import (
	"io/fs"
	"syscall"
)

// identify returns the file number and the other identity data of a directory.
func identify(dir string) (identity, error) {
	name, err := syscall.UTF16PtrFromString(dir)
	if err != nil {
		return identity{}, &fs.PathError{Op: "identify", Path: dir, Err: err}
	}
	const share = syscall.FILE_SHARE_READ | syscall.FILE_SHARE_WRITE | syscall.FILE_SHARE_DELETE
	h, err := syscall.CreateFile(name, 0, share, nil, syscall.OPEN_EXISTING, syscall.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return identity{}, &fs.PathError{Op: "identify", Path: dir, Err: err}
	}
	defer func() { _ = syscall.CloseHandle(h) }()
	var info syscall.ByHandleFileInformation
	if err := syscall.GetFileInformationByHandle(h, &info); err != nil {
		return identity{}, &fs.PathError{Op: "identify", Path: dir, Err: err}
	}
	return identity{
		device: uint64(info.VolumeSerialNumber),
		inode:  uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow),
	}, nil
}
