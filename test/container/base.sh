#!/usr/bin/env bash
# Makes the root file system of a stand-in for the image node:22-slim in an empty folder, for machines that reach no registry of
# images: Debian by debootstrap, Node from the npm package node@22. npm gets this machine's way to its registry.
# Usage: base.sh folder
set -euo pipefail
root=$1
. /etc/os-release

debootstrap --variant=minbase --include=ca-certificates "$VERSION_CODENAME" "$root" >&2
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/*
npm install --global --silent --yes --prefix "$root/usr/local" node@22 npm@10 >&2
# npm takes the folder of the executable file, not of a link to it, for its own.
modules=$root/usr/local/lib/node_modules
mv --force "$(readlink -f "$modules/node/bin/node")" "$root/usr/local/bin/node"
rm -r "$modules/node"
chroot "$root" useradd --create-home --uid 1000 node

mkdir -p "$root/usr/local/etc"
# These settings stay in this base: the image that is tested is not published.
{
  for key in registry proxy https-proxy noproxy strict-ssl cafile; do
    value=$(npm config get "$key" --global)
    case $value in
      null | undefined | "") continue ;;
    esac
    if [[ $key == cafile ]]; then
      cp "$value" "$root/usr/local/share/registry-ca.pem"
      value=/usr/local/share/registry-ca.pem
    fi
    echo "$key=$value"
  done
} >"$root/usr/local/etc/npmrc"
