//go:build !unix

package events

// processLives cannot be known cheaply here; a gc.pid then counts until git would take it for a left-over.
func ProcessLives(int) bool { return true }
