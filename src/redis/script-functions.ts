/** Ends the names of databases that are being added to an empty state. */
export const FIRST = "-first";

/** The functions in Lua that the operations of the script share. */
export const FUNCTIONS = `
local P = KEYS[1]
local function key(...) return P .. table.concat({...}, ':') end
local function next() return redis.call('INCR', key('counter')) end
local SPARE_SECONDS = 60
local PAGE = 1000
local ABANDONED_MILLISECONDS = 600000
local FIRST = '${FIRST}'
local ENDED_MILLISECONDS = 3600000
local MOST_ENDED = 10000
local function milliseconds()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Not by cjson, which refuses halves of surrogate pairs. Inside texts, quotes are escaped.
local function imageOf(record)
  if not record or not string.find(record, '"deleteDate":null', 1, true) then return nil end
  return string.match(record, '"image":"(%x+)"')
end

local function isTarget(recordKey) return string.sub(recordKey, 1, 7) == 'target ' end

-- A request that began earlier may still read the bytes, from which it can make what queries compare.
local function release(image)
  if redis.call('DECR', key('uses', image)) > 0 then return end
  redis.call('EXPIRE', key('image', image), SPARE_SECONDS)
  redis.call('DEL', key('uses', image), key('sketch', image), key('features', image))
end

local function keep(scope, recordKey, record)
  local version = next()
  if isTarget(recordKey) then
    local freed = imageOf(redis.call('HGET', key('records', scope), recordKey))
    local taken = imageOf(record)
    -- Also for the same image, which may have been lost and stored again.
    if taken then
      for _, kind in ipairs({'image', 'sketch', 'features'}) do redis.call('PERSIST', key(kind, taken)) end
    end
    if freed ~= taken then
      if taken then redis.call('INCR', key('uses', taken)) end
      if freed then release(freed) end
    end
  end
  if record == '' then
    redis.call('HDEL', key('records', scope), recordKey)
    redis.call('ZREM', key('created', scope), recordKey)
  else
    redis.call('HSET', key('records', scope), recordKey, record)
    redis.call('ZADD', key('created', scope), 'NX', version, recordKey)
  end
  redis.call('ZADD', key('changed', scope), version, recordKey)
  redis.call('SET', key('version', scope), version)
  return version
end

-- At once, nobody finds the database any more; its records are removed in steps, because there may be many.
local function drop(scope)
  local unique = redis.call('HGETALL', key('unique-of', scope))
  for i = 1, #unique, 2 do redis.call('HDEL', key('unique', unique[i]), unique[i + 1]) end
  for _, kind in ipairs({'version', 'changed', 'unique-of'}) do redis.call('UNLINK', key(kind, scope)) end
  for _, limit in ipairs(redis.call('SMEMBERS', key('limits', scope))) do
    redis.call('UNLINK', key('accepted', scope, limit))
  end
  redis.call('DEL', key('limits', scope))
  redis.call('ZREM', key('scopes'), scope)
  redis.call('ZREM', key('building'), scope)
  redis.call('SADD', key('dropped'), scope)
  next()
end

-- Whether anything was ever added; what is being built does not count.
local function isFilled()
  return redis.call('EXISTS', key('filled'), key('scopes'), key('version', 'global')) > 0
end

-- Reads from ARGV: how many unique fields, fields and values, how many records, their keys and records.
local at = 2
local function take()
  at = at + 1
  return ARGV[at - 1]
end
local function takePairs()
  local pairs = {}
  for i = 1, tonumber(take()) do pairs[i] = { take(), take() } end
  return pairs
end

local function register(scope, unique)
  redis.call('SET', key('filled'), 'yes')
  redis.call('ZADD', key('scopes'), next(), scope)
  for _, pair in ipairs(unique) do
    redis.call('HSET', key('unique', pair[1]), pair[2], scope)
    redis.call('HSET', key('unique-of', scope), pair[1], pair[2])
  end
end

-- The image of a target whose image is not stored.
local function missingImage(pair)
  local image = isTarget(pair[1]) and imageOf(pair[2])
  return image and redis.call('EXISTS', key('image', image)) == 0 and image
end

local function accept(scope, limit, moment)
  redis.call('SADD', key('limits', scope), limit)
  redis.call('ZADD', key('accepted', scope, limit), moment, moment .. '-' .. next())
end

local function recordsAt(scope, recordKeys)
  local records = {}
  for i, recordKey in ipairs(recordKeys) do
    records[2 * i - 1] = recordKey
    records[2 * i] = redis.call('HGET', key('records', scope), recordKey) or ''
  end
  return records
end
local function recordsOf(scope) return recordsAt(scope, redis.call('ZRANGE', key('created', scope), 0, -1)) end
`;
