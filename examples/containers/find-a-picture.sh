#!/usr/bin/env bash
# Adds a database and a picture with curl, waits until the picture has been processed, and finds it.
# Usage: find-a-picture.sh picture.jpg [target-url] [query-url] [manager-url]
set -euo pipefail
picture=$1
target=${2:-http://localhost:5000}
query=${3:-http://localhost:5001}
manager=${4:-http://localhost:5002}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# signed METHOD URL PATH ACCESS-KEY SECRET-KEY [BODY-FILE CONTENT-TYPE]
signed() {
  local body=${6:-/dev/null} type=${7:-} date md5 signature
  date=$(LC_ALL=C date -u '+%a, %d %b %Y %H:%M:%S GMT')
  md5=$(openssl dgst -md5 -r "$body" | cut -d ' ' -f 1)
  # Only the part of the content type before the semicolon is signed.
  signature=$(printf '%s\n%s\n%s\n%s\n%s' "$1" "$md5" "${type%%;*}" "$date" "$3" |
    openssl dgst -sha1 -hmac "$5" -binary | base64)
  curl --silent --show-error --fail-with-body --compressed --max-time 20 --request "$1" "$2$3" \
    --header "Authorization: VWS $4:$signature" --header "Date: $date" \
    ${type:+--header "Content-Type: $type" --data-binary "@$body"}
}

echo "1. a database with keys of our own"
keys='"server_access_key":"server","server_secret_key":"server-secret"'
keys+=',"client_access_key":"client","client_secret_key":"client-secret"'
curl --silent --show-error --fail-with-body --max-time 20 \
  "$manager/cloud_databases" --data "{$keys}" --output /dev/null

echo "2. a target"
printf '{"name":"picture","width":1,"image":"%s"}' "$(base64 <"$picture" | tr -d '\n')" >"$work/target"
added=$(signed POST "$target" /targets server server-secret "$work/target" application/json)
id=$(sed 's/.*"target_id":"\([0-9a-f]*\)".*/\1/' <<<"$added")
echo "   $id"

echo "3. processing"
record=
until [[ $record == *'"status":"success"'* ]]; do
  record=$(signed GET "$target" "/targets/$id" server server-secret)
  sleep 0.2
done

echo "4. a query with the same picture"
{
  printf -- '--b0undary\r\nContent-Disposition: form-data; name="image"; filename="picture"\r\n'
  printf 'Content-Type: image/jpeg\r\n\r\n'
  cat "$picture"
  printf '\r\n--b0undary--\r\n'
} >"$work/query"
found=$(signed POST "$query" /v1/query client client-secret "$work/query" "multipart/form-data; boundary=b0undary")
grep -q "\"target_id\":\"$id\"" <<<"$found"
echo "   found: $found"
