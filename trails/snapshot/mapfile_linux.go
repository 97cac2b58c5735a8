package snapshot

import "golang.org/x/sys/unix"

// mapPopulate maps all pages at once, because all of them are read.
const mapPopulate = unix.MAP_POPULATE
