//go:build !linux

package redact

import "os/user"

// accountName returns the name of the account of this process, "" when it is not known.
func accountName() string {
	account, err := user.Current()
	if err != nil {
		return ""
	}
	return account.Username
}
