package recorded

import "os"

// `private` always returns true: on this system directories for temporary files belong to the user.
func private(string) bool { return true }

func ownedByUser(os.FileInfo) bool { return true }
