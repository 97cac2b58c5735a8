// Package settings lists the keys of git's configuration that git-trace reads, with their defaults and meanings. It
// finds keys that no setting has, and values that a setting does not take. It writes nothing.
package settings
