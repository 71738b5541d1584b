#!/usr/bin/env bash
# Two replicas of `serve` with one state in Redis or Valkey, until Ctrl+C.
# Usage: MOCK_CLOUD_RECO_STATE_URL=redis://127.0.0.1:6379 servers.sh [six ports: target API, query API and target manager of each]
set -euo pipefail
export MOCK_CLOUD_RECO_STATE_URL=${MOCK_CLOUD_RECO_STATE_URL:-redis://127.0.0.1:6379}
# Not npx, which does not pass signals on.
command=${MOCK_CLOUD_RECO:-node_modules/.bin/mock-cloud-reco}
(($# > 0)) || set -- 5000 5001 5002 5003 5004 5005
servers=()
trap 'kill "${servers[@]}" 2>/dev/null || true; wait' EXIT
while (($# > 0)); do
  $command serve --target-port "$1" --query-port "$2" --manager-port "$3" &
  servers+=($!)
  shift 3
done
# When one of them ends, they both do.
wait -n
