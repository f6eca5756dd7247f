#!/usr/bin/env bash
# After files came or went below the folder that is named (…/share): what desktops keep in tables of their own is made
# anew, by those tools that are there. Where nothing is left that a table could be of, it goes, too. Never fails: a
# program that is installed works without a menu.
cd -- "$1" 2>/dev/null || exit 0
any() { [[ -n $(find "$@" -type f -print -quit 2>/dev/null) ]]; }
run() { ! command -v "$1" >/dev/null || "$@" || true; }

if any applications -name '*.desktop'; then run update-desktop-database -q applications; else rm -f applications/mimeinfo.cache; fi

# This one takes away itself what it made of a type that is gone, but not its tables; it asks for the whole path, to know
# whether the desktop looks there.
[[ ! -d mime/packages ]] || run update-mime-database "$PWD/mime"
any mime/packages || (cd mime 2>/dev/null && rm -f XMLnamespaces aliases generic-icons globs globs2 icons magic mime.cache subclasses treemagic types version)

if any icons/hicolor ! -name icon-theme.cache ! -name index.theme; then run gtk-update-icon-cache -qtf icons/hicolor
else rm -f icons/hicolor/icon-theme.cache; fi
exit 0
