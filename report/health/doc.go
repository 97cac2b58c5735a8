// Package health tells what is recorded in a repository, and whether anything is wrong: the answers of git trace status
// and git trace doctor.
package health
