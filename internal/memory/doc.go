// Package memory sets when Go collects garbage: late in a short command, and at a bound in a long one.
package memory
