// Package companion starts git-trace-serve, the program with the libraries that would slow down every hook. Both
// programs must have one version.
package companion
