package snapshot

import "golang.org/x/sys/unix"

// mapPopulate has all pages mapped at once: every one of them is looked at.
const mapPopulate = unix.MAP_POPULATE
