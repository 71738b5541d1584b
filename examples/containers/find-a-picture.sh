#!/usr/bin/env bash
# From nothing to a found target with curl: adds a database, adds a picture, waits until it was processed, and finds it.
# Usage: find-a-picture.sh picture.jpg [manager-url] [target-url] [query-url]
set -euo pipefail
picture=$1
manager=${2:-http://localhost:5000}
target=${3:-http://localhost:5001}
query=${4:-http://localhost:5002}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Calls: signed METHOD URL PATH CONTENT-TYPE BODY-FILE ACCESS-KEY SECRET-KEY [HEADER]
signed() {
  local date md5 signature
  date=$(LC_ALL=C date -u '+%a, %d %b %Y %H:%M:%S GMT')
  md5=$(openssl dgst -md5 -r "$5" | cut -d ' ' -f 1)
  signature=$(printf '%s\n%s\n%s\n%s\n%s' "$1" "$md5" "$4" "$date" "$3" |
    openssl dgst -sha1 -hmac "$7" -binary | base64)
  curl --silent --show-error --fail-with-body --compressed --request "$1" "$2$3" \
    --header "Authorization: VWS $6:$signature" --header "Date: $date" \
    ${4:+--header "Content-Type: ${8:-$4}"} --data-binary "@$5"
}

echo "1. a database with keys of our own"
keys='"server_access_key":"server","server_secret_key":"server-secret"'
keys+=',"client_access_key":"client","client_secret_key":"client-secret"'
curl --silent --show-error --fail-with-body "$manager/cloud_databases" --data "{$keys}" --output /dev/null

echo "2. a target"
printf '{"name":"picture","width":1,"image":"%s"}' "$(base64 <"$picture" | tr -d '\n')" >"$work/target"
added=$(signed POST "$target" /targets application/json "$work/target" server server-secret)
id=$(sed 's/.*"target_id":"\([0-9a-f]*\)".*/\1/' <<<"$added")
echo "   $id"

echo "3. processing"
: >"$work/empty"
until signed GET "$target" "/targets/$id" "" "$work/empty" server server-secret | grep -q '"status":"success"'; do
  sleep 0.2
done

echo "4. a query with the same picture"
{
  printf -- '--b0undary\r\nContent-Disposition: form-data; name="image"; filename="picture"\r\n'
  printf 'Content-Type: image/jpeg\r\n\r\n'
  cat "$picture"
  printf '\r\n--b0undary--\r\n'
} >"$work/query"
# Only the part of the content type before the semicolon is signed.
found=$(signed POST "$query" /v1/query multipart/form-data "$work/query" client client-secret \
  "multipart/form-data; boundary=b0undary")
grep -q "\"target_id\":\"$id\"" <<<"$found"
echo "   found: $found"
