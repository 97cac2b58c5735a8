// Package function divides files into functions: parts that begin at the lines that git treats as function lines.
//
// Only git decides which lines are function lines. So the user's diff drivers apply, and the drivers of the installed
// git (gitattributes(5), "Defining a custom hunk-header"). A path without a driver has git's default: a line that
// begins with a letter, "_" or "$". The regular expressions are in the syntax of the C library, so they are not matched
// here.
//
// One git-grep(1) finds the function lines of any number of files. Its option --show-function prints the nearest
// function line before a match, back to the last line that it printed. So the finder writes a commit in which an empty
// line follows each line of a file, and searches for empty lines: this makes git test every line. Whether a line is a
// function line depends only on its text and on the path, so equal lines are tested once. The commit is in a temporary
// object directory; the repository is not changed.
//
// A function ends before the next one begins, as in git log -L :name:file. The comment directly above a function line
// belongs to its function, as in git diff --function-context. A function inside another one also gets the rest of the
// outer function, because git's function lines do not show where a function ends.
package function
