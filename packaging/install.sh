#!/bin/sh
# Installs git-trace from an archive of a release, or takes it away again:
#
#   sh install.sh [--prefix <directory>] [--from <directory or URL>]
#   sh install.sh --uninstall [--prefix <directory>]
#
# The prefix is /usr/local for root and ~/.local for others. The archive and SHA256SUMS are taken from beside this script, or
# from where --from says. Nothing is installed whose sum is another than the one in SHA256SUMS.
set -eu

say() { echo "install.sh: $*" >&2; }
die() { say "$*"; exit 1; }

prefix= from=$(dirname "$0") uninstall=
while [ $# -gt 0 ]; do
  case $1 in
  --prefix | --from) [ $# -gt 1 ] || die "$1 needs a value"; [ "$1" = --prefix ] && prefix=$2 || from=$2; shift ;;
  --uninstall) uninstall=1 ;;
  -h | --help) sed -n 's/^# \{0,1\}//p' "$0" | sed 1d; exit 0 ;;
  *) die "unknown option '$1'" ;;
  esac
  shift
done
if [ -z "$prefix" ]; then
  if [ "$(id -u)" = 0 ]; then prefix=/usr/local; else prefix=$HOME/.local; fi
fi
list=$prefix/share/git-trace/installed

if [ -n "$uninstall" ]; then
  [ -f "$list" ] || die "nothing that this script installed is in $prefix"
  work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
  cp "$list" "$work/installed"
  while read -r file; do rm -f "$prefix/$file"; done <"$work/installed"
  rm -f "$list"
  { cat "$work/installed"; echo share/git-trace/installed; } | while read -r file; do
    dir=$(dirname "$file")
    while [ "$dir" != . ] && rmdir "$prefix/$dir" 2>/dev/null; do dir=$(dirname "$dir"); done
  done
  say "git-trace is gone from $prefix; 'git trace uninstall' takes it out of a repository, and goes before"
  exit 0
fi

case $(uname -s) in
Linux) os=linux ;;
Darwin) os=darwin ;;
*) die "there is no archive for $(uname -s) that this script could install" ;;
esac
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) die "there is no archive for $(uname -m)" ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fetch() {
  case $from in
  http://* | https://*)
    if command -v curl >/dev/null; then curl -fsSL "$from/$1" -o "$work/$1"; else wget -q "$from/$1" -O "$work/$1"; fi ;;
  *) cp "$from/$1" "$work/$1" ;;
  esac || die "$from has no $1"
}
fetch SHA256SUMS
archive=$(sed -n "s/^[0-9a-f]*  \(git-trace-[^ ]*-$os-$arch\.tar\.gz\)\$/\1/p" "$work/SHA256SUMS")
[ -n "$archive" ] || die "SHA256SUMS has no archive for $os-$arch"
fetch "$archive"
if command -v sha256sum >/dev/null; then sums="sha256sum -c -"; else sums="shasum -a 256 -c -"; fi
(cd "$work" && grep "  $archive\$" SHA256SUMS | $sums >/dev/null 2>&1) ||
  die "$archive is not what SHA256SUMS says; nothing was installed"

mkdir "$work/tree"
tar -xzf "$work/$archive" -C "$work/tree"
tree=$work/tree/${archive%.tar.gz}
(cd "$tree" && find bin share -type f) >"$work/files"
while read -r file; do
  mkdir -p "$prefix/$(dirname "$file")"
  cp "$tree/$file" "$prefix/$file.new" && mv "$prefix/$file.new" "$prefix/$file"
done <"$work/files"
mkdir -p "$(dirname "$list")"
cp "$work/files" "$list"
say "$("$prefix/bin/git-trace" --version) is in $prefix"
case :$PATH: in *":$prefix/bin:"*) ;; *) say "put $prefix/bin on your PATH" ;; esac
