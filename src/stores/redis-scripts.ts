/**
 * The steps of a record in Redis, each as one script over one key: it is atomic, and a cluster can run it. The record
 * of an event is a string, `state token attempt leaseEndsAt`, and it expires with the retention, never with the lease.
 * The time is the server's.
 */
const READ_RECORD = `
local state, token, attempt, leaseEndsAt = 'free', '0', '0', '0'
local record = redis.call('GET', KEYS[1])
if record then
	state, token, attempt, leaseEndsAt = string.match(record, '^(%l+) (%d+) (%d+) (%d+)$')
end
`;

const READ_TIME = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** ARGV: lease, retention. Lua writes 14 digits of a number, of which a time has 13: hence `%.0f`. */
export const CLAIM = `${READ_RECORD}${READ_TIME}
if state == 'done' then return {'done'} end
if state == 'held' and tonumber(leaseEndsAt) > now then return {'in_flight', leaseEndsAt - now} end
token = math.max(token + 1, now)
attempt = attempt + 1
redis.call('SET', KEYS[1], string.format('held %.0f %.0f %.0f', token, attempt, now + ARGV[1]),
	'PX', math.max(ARGV[1], ARGV[2]))
return {'acquired', token, attempt}
`;

/** ARGV: token, lease. */
export const EXTEND = `${READ_RECORD}${READ_TIME}
if state ~= 'held' or token ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], string.format('held %s %s %.0f', token, attempt, now + ARGV[2]),
	'PX', math.max(redis.call('PTTL', KEYS[1]), ARGV[2]))
return 1
`;

/** ARGV: token, retention. */
export const COMPLETE = `${READ_RECORD}
if state == 'free' or token ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], string.format('done %s %s 0', token, attempt), 'PX', ARGV[2])
return 1
`;

/** ARGV: token, how many attempts to subtract. */
export const RELEASE = `${READ_RECORD}
if state ~= 'held' or token ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], string.format('free %s %.0f 0', token, attempt - ARGV[2]), 'KEEPTTL')
return 1
`;

/** ARGV: event id, time to live. The sign in front keeps clients that parse JSON from reading an id as a number. */
export const BIND = `
local bound = redis.call('GET', KEYS[1])
if not bound then
	bound = ARGV[1]
	redis.call('SET', KEYS[1], bound, 'PX', ARGV[2])
end
return '=' .. bound
`;

/** ARGV: time to live. */
export const REMEMBER = `
if redis.call('SET', KEYS[1], '', 'NX', 'PX', ARGV[1]) then return 1 end
return 0
`;
