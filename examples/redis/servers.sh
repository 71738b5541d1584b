#!/usr/bin/env bash
# Two target managers, two target APIs and two query servers, with one state in Redis or Valkey, until Ctrl+C.
# Usage: STATE_URL=redis://127.0.0.1:6379 servers.sh [six ports]
set -euo pipefail
export STATE_URL=${STATE_URL:-redis://127.0.0.1:6379}
# Not npx, which does not pass signals on.
command=${MOCK_CLOUD_RECO:-node_modules/.bin/mock-cloud-reco}
(($# > 0)) || set -- 5000 5001 5002 5003 5004 5005
servers=()
trap 'kill "${servers[@]}" 2>/dev/null || true; wait' EXIT
for role in target-manager target-manager target-api target-api query query; do
  PORT=$1 $command "$role" &
  servers+=($!)
  shift
done
# When one of them ends, they all do.
wait -n
