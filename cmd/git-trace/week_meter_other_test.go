//go:build !linux

package main

func metered(run func() int) int { return run() }
