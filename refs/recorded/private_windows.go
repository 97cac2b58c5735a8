package recorded

import "os"

// private reports whether a directory belongs to the user; on this system, even directories for temporary files do.
func private(string) bool { return true }

func ownedByUser(os.FileInfo) bool { return true }
