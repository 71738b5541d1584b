# Sourced by the findings. Installs packages into a temporary folder that is removed at the end, runs the program from standard
# input there with Node, and compares what it prints with the text in $seen.
set -euo pipefail
try() {
  local findings
  findings=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  cat > "$folder/program.mjs"
  cp "$findings"/*.mjs "$folder"
  cd "$folder"
  npm init --yes > npm.log 2>&1
  (($#)) && npm install --no-audit --no-fund --save-exact "$@" > npm.log 2>&1
  node program.mjs > printed.txt
  cat printed.txt
  if diff <(printf '%s\n' "$seen") printed.txt; then echo "As seen on Node 20.20: $*"; else
    echo "This has changed since it was seen: $*" >&2
    exit 1
  fi
}
