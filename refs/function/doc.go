// Package function finds the functions of files: the parts that begin at git's function lines.
//
// Git alone decides which lines are function lines, so the user's drivers count, and the drivers of the git that is
// installed (gitattributes(5), "Defining a custom hunk-header"). A path without a driver has git's default: a line that
// begins with a letter, "_" or "$". The regular expressions are the C library's, so they are not matched here.
//
// One git-grep(1) answers for any number of files. Its option --show-function prints the nearest function line before
// a match, back to the last line that it printed. The finder therefore writes a commit in which an empty line follows
// each line of a file, and searches it for empty lines: git tests every line for itself. Whether a line is a function
// line depends only on its text and on the path, so equal lines are asked once. The commit lies in a temporary
// directory of objects, and the repository gets nothing.
//
// A function ends before the next one begins, as for git log -L :name:file. The comment right above a function line
// belongs to its function, as git diff --function-context shows it. A function inside another one takes the rest of it,
// because git's function lines do not say where a function ends.
package function
