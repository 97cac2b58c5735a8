// Package gitleaks finds secrets with the rules of gitleaks v8 (github.com/zricethezav/gitleaks, MIT licence, copyright
// Zachary Rice), without linking its detector.
//
// The detector imports archive readers, template engines and a configuration system, 75 modules in all. Their package
// initialisation doubles the start-up time of every git-trace process, the hooks included. A Go program pays for what
// it links, not for what it uses. So [rules.json] holds the rules as gitleaks' own config package reads them. A test
// makes the file again from the library and compares. Another gives the same texts to both and compares what they find
// (module conformance). The rules are compiled when the first text needs them.
//
// What differs from gitleaks on purpose: "gitleaks:allow" silences nothing, since a transcript is not the place to
// allow something; there are no path rules, since a text has no path; and each occurrence is reported with its place.
package gitleaks
