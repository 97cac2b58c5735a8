package redact

import (
	"os"
	"strconv"
	"strings"
)

// accountName returns the account name of this process, "" if /etc/passwd does not list it (passwd(5)). Package os/user
// is not used: with a C compiler it links the C library, and the program starts a millisecond later.
func accountName() string {
	list, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return ""
	}
	return listedAs(string(list), strconv.Itoa(os.Getuid()))
}

func listedAs(list, id string) string {
	for line := range strings.Lines(list) {
		if fields := strings.Split(line, ":"); len(fields) > 2 && fields[2] == id {
			return fields[0]
		}
	}
	return ""
}
