package refs

// ownedHere always returns false, so that git decides: this code does not read access control lists.
func ownedHere(...string) bool { return false }

// deviceOf returns nothing on this system: each drive has its own root, so a walk up cannot leave it.
func deviceOf(string) (uint64, bool) { return 0, false }
