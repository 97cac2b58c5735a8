package recorded

import "os"

// private reports whether a directory is the user's own: those for temporary files are, on this system.
func private(string) bool { return true }

func ownedByUser(os.FileInfo) bool { return true }
