#!/usr/bin/env bash
# Brings what is missing of packages.txt: installs it where that is allowed, else prints the exact line and stops.
set -euo pipefail
list=$(dirname "$0")/packages.txt
mapfile -t packages < <(grep -v '^#' "$list")

if ! command -v apt-get >/dev/null; then
  for tool in cmake ninja pkg-config; do
    command -v $tool >/dev/null || { echo "This system has no apt. Please install the equivalents of: ${packages[*]}" >&2; exit 1; }
  done
  exit 0  # another distribution, looked after by hand: configuring names what is missing
fi

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
((${#missing[@]})) || exit 0

echo "Missing packages: ${missing[*]}"
if [[ $EUID -eq 0 ]]; then
  elevate=()
elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }; then
  elevate=(sudo)
else
  echo "Please run, then try again:" >&2
  echo "  sudo apt-get install --no-install-recommends ${missing[*]}" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
"${elevate[@]}" apt-get update -qq
"${elevate[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
