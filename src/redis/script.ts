import { FUNCTIONS } from "./script-functions.ts";

export const FORMAT = "2";
/** Begins the error about another version of the state, which follows. */
export const OTHER_VERSION = "OTHERVERSION";

/**
 * Everything that changes state in Redis or Valkey, and everything that has to be read at one moment: one script, which runs
 * atomically. `KEYS[1]` is the prefix of all keys, whose hash tag puts them into one slot; `ARGV[1]` names the operation.
 *
 * - `format`: version of this layout; `counter`: the latest change of anything; `clock`: the clock's shift
 * - `scopes`: databases in order of creation; `unique:<field>`: value → scope
 * - of a scope: `version:`, `records:` (key of a record → JSON), `created:` and `changed:` (keys of records, in order),
 *   `unique-of:` (field → value), `limits:` (names of limits), `accepted:<scope>:<limit>` (moments)
 * - `image:<sha256>`, `sketch:<sha256>`, `features:<sha256>`: bytes, which expire unless a target uses them; `uses:<sha256>`: how many targets do
 * - `building`: databases that are being restored, and when each was added to; `dropped`: those whose records are being removed
 * - `faults`: all faults, and how often each was applied; `ended-faults`: those deleted lately, whose delays end, and when;
 *   `fault-ends`: how often the delays of all ended
 * - `journal`: a capped stream; `journal-bodies`: the newest bodies, a stream of the same ids, and `journal-bytes`: how many bytes;
 *   `journal-clears`: how often it was cleared
 * - `claim:<what>`: the server that is changing something that the script cannot
 * - `filled`: whether there ever was a database
 */
export const SCRIPT = `
${FUNCTIONS}

local operations = {}

function operations.hello() end

-- What every request reads: the clock, whether there are faults, and how often the journal was cleared.
function operations.controls()
  local clears = redis.call('GET', key('journal-clears')) or '0'
  return { redis.call('GET', key('clock')), redis.call('EXISTS', key('faults')), clears }
end

function operations.publish()
  if (redis.call('GET', key('journal-clears')) or '0') ~= take() then return 0 end
  local pages, most, name, page, bodies = take(), tonumber(take()), take(), take(), take()
  local id = redis.call('XADD', key('journal'), 'MAXLEN', '~', pages, '*', name, page)
  if bodies == '' then return 1 end
  redis.call('XADD', key('journal-bodies'), id, '', bodies)
  local bytes = redis.call('INCRBY', key('journal-bytes'), #bodies)
  while bytes > most do
    local oldest = redis.call('XRANGE', key('journal-bodies'), '-', '+', 'COUNT', 1)[1]
    -- Redis evicts keys when its memory is full.
    if not oldest then redis.call('DEL', key('journal-bytes')) break end
    redis.call('XDEL', key('journal-bodies'), oldest[1])
    bytes = redis.call('DECRBY', key('journal-bytes'), #oldest[2][2])
  end
  return 1
end

function operations.clear()
  redis.call('DEL', key('journal'), key('journal-bodies'), key('journal-bytes'))
  redis.call('INCR', key('journal-clears'))
  return operations.controls()
end

function operations.faults()
  local before, after, ended = take(), take(), take()
  if (redis.call('GET', key('faults')) or '') ~= before then return false end
  if after == '' then redis.call('DEL', key('faults')) else redis.call('SET', key('faults'), after) end
  if ended == '*' then redis.call('INCR', key('fault-ends'))
  elseif ended ~= '' then
    local now = milliseconds()
    redis.call('ZADD', key('ended-faults'), now, ended)
    redis.call('ZREMRANGEBYSCORE', key('ended-faults'), '-inf', now - ENDED_MILLISECONDS)
    redis.call('ZREMRANGEBYRANK', key('ended-faults'), 0, -1 - MOST_ENDED)
  end
  return redis.call('GET', key('fault-ends')) or '0'
end

operations['ended-faults'] = function()
  local ended = {}
  while ARGV[at] do
    local id = take()
    if redis.call('ZSCORE', key('ended-faults'), id) then ended[#ended + 1] = id end
  end
  return { redis.call('GET', key('fault-ends')) or '0', ended }
end

function operations.release()
  local claim = key('claim', take())
  if redis.call('GET', claim) == take() then redis.call('DEL', claim) end
end

function operations.renew()
  local claim = key('claim', take())
  if redis.call('GET', claim) == take() then redis.call('PEXPIRE', claim, take()) end
end

function operations.filled() return isFilled() and 1 or 0 end

function operations.read()
  local field, value, known, version = take(), take(), take(), tonumber(take())
  local controls = operations.controls()
  local scope = value
  if field == 'global' then scope = 'global'
  elseif field ~= 'scope' then scope = redis.call('HGET', key('unique', field), value) end
  if not scope then return { controls, 'none' } end
  local current = tonumber(redis.call('GET', key('version', scope)) or (scope == 'global' and 0))
  if not current then return { controls, 'none' } end
  if scope == known and current == version then return { controls, 'unchanged' } end
  if scope ~= known or version > current then
    -- Very many are read in pages, and then what changed meanwhile.
    if redis.call('ZCARD', key('created', scope)) > PAGE then return { controls, 'large', scope, tostring(current) } end
    return { controls, 'all', scope, tostring(current), recordsOf(scope) }
  end
  local recordKeys = redis.call('ZRANGEBYSCORE', key('changed', scope), '(' .. version, '+inf')
  return { controls, 'since', scope, tostring(current), recordsAt(scope, recordKeys) }
end

-- Some records after a number of creation, and that of the last one, which is empty when there are no more.
function operations.page()
  local scope, after = take(), take()
  local recordKeys = redis.call('ZRANGEBYSCORE', key('created', scope), '(' .. after, '+inf', 'LIMIT', 0, PAGE)
  if #recordKeys == 0 then return { '', {} } end
  return { redis.call('ZSCORE', key('created', scope), recordKeys[#recordKeys]), recordsAt(scope, recordKeys) }
end

-- Everything at one moment, for a client that knows most of it: of each database that it names, what changed since a version.
function operations.everything()
  local known = { global = '0' }
  for _, pair in ipairs(takePairs()) do known[pair[1]] = pair[2] end
  local function changesOf(scope)
    if not known[scope] then return '' end
    local recordKeys = redis.call('ZRANGEBYSCORE', key('changed', scope), '(' .. known[scope], '+inf')
    return recordsAt(scope, recordKeys)
  end
  local databases = {}
  for i, scope in ipairs(redis.call('ZRANGE', key('scopes'), 0, -1)) do
    local accepted = {}
    for _, limit in ipairs(redis.call('SMEMBERS', key('limits', scope))) do
      accepted[#accepted + 1] = { limit, redis.call('ZRANGE', key('accepted', scope, limit), 0, -1, 'WITHSCORES') }
    end
    databases[i] = { scope, changesOf(scope), accepted }
  end
  return { databases, changesOf('global') }
end

function operations.create()
  local unique, records = takePairs(), takePairs()
  for i, pair in ipairs(unique) do
    if redis.call('HEXISTS', key('unique', pair[1]), pair[2]) == 1 then return i end
  end
  local scope = take() .. '-' .. next()
  register(scope, unique)
  for _, pair in ipairs(records) do keep(scope, pair[1], pair[2]) end
  return 0
end

function operations.commit()
  local scope, version = take(), take()
  local records, isDeletion = takePairs(), take()
  local current = redis.call('GET', key('version', scope)) or (scope == 'global' and '0')
  if not current then return { 'gone' } end
  if current ~= version then return { 'stale' } end
  if isDeletion == 'yes' then
    drop(scope)
    return { '0' }
  end
  for _, pair in ipairs(records) do
    local image = missingImage(pair)
    if image then return { 'missingImage', image } end
  end
  local latest = version
  for _, pair in ipairs(records) do latest = keep(scope, pair[1], pair[2]) end
  return { tostring(latest) }
end

-- In whole milliseconds. By the clock of this server: those of the others may differ.
local function sharedNow()
  local shift = redis.call('GET', key('clock'))
  local clock = shift and cjson.decode(shift) or { ahead = 0, frozenAt = cjson.null }
  if clock.frozenAt ~= cjson.null then return math.floor(clock.frozenAt) end
  return milliseconds() + math.floor(clock.ahead)
end

function operations.take()
  local scope, now, count = take(), take(), tonumber(take())
  if now == '' then now = sharedNow() end
  now = tonumber(now)
  if redis.call('EXISTS', key('version', scope)) == 0 then return 0 end
  local rules = {}
  for i = 1, count do
    local limit, most, window, aligned = take(), tonumber(take()), tonumber(take()), take() == 'yes'
    local moments = key('accepted', scope, limit)
    local newest = redis.call('ZREVRANGE', moments, 0, 0, 'WITHSCORES')[2]
    local afresh = newest and tonumber(newest) - now > window
    local near = 0
    if not afresh then
      local start = math.floor(now / window) * window
      local from, to = '(' .. now - window, now + window
      if aligned then from, to = start, start + window end
      near = redis.call('ZCOUNT', moments, from, '(' .. to)
    end
    if near >= most then return i end
    rules[i] = { limit, moments, window, afresh, newest }
  end
  for _, rule in ipairs(rules) do
    local limit, moments, window, afresh, newest = unpack(rule, 1, 5)
    if afresh then redis.call('DEL', moments) end
    accept(scope, limit, string.format('%.17g', now))
    local latest = redis.call('ZREVRANGE', moments, 0, 0, 'WITHSCORES')[2]
    redis.call('ZREMRANGEBYSCORE', moments, '-inf', tonumber(latest) - 2 * window)
  end
  return 0
end

-- Adds records to a database that nobody finds yet. Returns whether all images are there.
function operations.build()
  local scope, records, accepted = take(), takePairs(), takePairs()
  redis.call('ZADD', key('building'), milliseconds(), scope)
  for _, pair in ipairs(records) do
    if missingImage(pair) then return 0 end
    keep(scope, pair[1], pair[2])
  end
  for _, pair in ipairs(accepted) do accept(scope, pair[1], pair[2]) end
  return 1
end

-- Replaces all databases by those that were built, and all other records; or, if that is wanted, only fills an empty state.
function operations.replace()
  local onlyFills, built = take() == 'yes', {}
  for i = 1, tonumber(take()) do built[i] = { take(), takePairs() } end
  local others = takePairs()
  if onlyFills and isFilled() then
    for _, each in ipairs(built) do drop(each[1]) end
    return 'filled'
  end
  for _, each in ipairs(built) do
    if not redis.call('ZSCORE', key('building'), each[1]) then return 'lost' end
  end
  for _, scope in ipairs(redis.call('ZRANGE', key('scopes'), 0, -1)) do drop(scope) end
  for _, recordKey in ipairs(redis.call('HKEYS', key('records', 'global'))) do keep('global', recordKey, '') end
  for _, each in ipairs(built) do
    redis.call('ZREM', key('building'), each[1])
    register(each[1], each[2])
  end
  for _, pair in ipairs(others) do keep('global', pair[1], pair[2]) end
  -- Others that began to fill it, and perhaps died, cannot end it any more.
  if onlyFills then
    for _, scope in ipairs(redis.call('ZRANGE', key('building'), 0, -1)) do
      if string.sub(scope, -#FIRST) == FIRST then drop(scope) end
    end
  end
  return 'replaced'
end

-- Removes some records of databases that were dropped, or whose building stopped long ago. Returns whether there are more.
function operations.sweep()
  local abandoned = redis.call('ZRANGEBYSCORE', key('building'), '-inf', milliseconds() - ABANDONED_MILLISECONDS)
  for _, scope in ipairs(abandoned) do drop(scope) end
  local scope = redis.call('SRANDMEMBER', key('dropped'))
  if not scope then return 0 end
  local some = recordsAt(scope, redis.call('ZRANGE', key('created', scope), 0, 499))
  for i = 1, #some, 2 do
    local image = isTarget(some[i]) and imageOf(some[i + 1])
    if image then release(image) end
  end
  redis.call('ZREMRANGEBYRANK', key('created', scope), 0, 499)
  if #some == 0 then
    redis.call('UNLINK', key('records', scope))
    redis.call('SREM', key('dropped'), scope)
  end
  return redis.call('SCARD', key('dropped'))
end

-- With every operation, because Redis may have been unreachable or empty when a server started.
local format = redis.call('GET', key('format'))
if not format then redis.call('SET', key('format'), '${FORMAT}')
elseif format ~= '${FORMAT}' then return redis.error_reply('${OTHER_VERSION} ' .. format) end
return operations[ARGV[1]]()
`;
