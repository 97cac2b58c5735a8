// Package shared tells people what a push sends and what a pull brings, and what other clones have published.
package shared
