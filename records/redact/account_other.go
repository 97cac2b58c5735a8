//go:build !linux

package redact

import "os/user"

// accountName returns the account name of this process, "" if it is unknown.
func accountName() string {
	account, err := user.Current()
	if err != nil {
		return ""
	}
	return account.Username
}
