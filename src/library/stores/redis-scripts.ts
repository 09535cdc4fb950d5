/** A script, and the SHA-1 of its text, by which a server that has run it finds it. */
export interface RedisScript {
	readonly text: string;
	readonly sha1: string;
}

/**
 * The steps of a record in Redis, each as one script: it is atomic. All but one have one key, so that a cluster can run
 * them. The record of an event is a string, `state token attempt leaseEndsAt claimId`, and it expires with the retention, never with the lease.
 * The time is the server's.
 */
function readRecord(key: string): string {
	return `
local state, token, attempt, leaseEndsAt, claimId = 'free', '0', '0', '0', ''
local record = redis.call('GET', ${key})
if record then
	state, token, attempt, leaseEndsAt, claimId = string.match(record, '^(%l+) (%d+) (%d+) (%d+) ?(.*)$')
end
`;
}

const READ_RECORD = /* @__PURE__ */ readRecord("KEYS[1]");

const READ_TIME = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** Lua writes 14 digits of a number, of which a time has 13: hence `%.0f`. */
function claim(key: string, lease: string, retention: string, id: string): string {
	return `${readRecord(key)}${READ_TIME}
if state == 'done' then return {'done'} end
if state == 'held' and tonumber(leaseEndsAt) > now then
	if claimId == ${id} then return {'acquired', tonumber(token), tonumber(attempt)} end
	return {'in_flight', leaseEndsAt - now}
end
token = math.max(token + 1, now)
attempt = attempt + 1
redis.call('SET', ${key}, string.format('held %.0f %.0f %.0f %s', token, attempt, now + ${lease}, ${id}),
	'PX', math.max(${lease}, ${retention}))
return {'acquired', token, attempt}
`;
}

/** ARGV: lease, retention, and the claim's id, by which a claim that a client sends again is known. */
export const CLAIM: RedisScript = {
	sha1: "b1494afba0fd3f5f9eb57ab7800610705087b6d8",
	text: /* @__PURE__ */ claim("KEYS[1]", "ARGV[1]", "ARGV[2]", "ARGV[3]"),
};

/**
 * KEYS: the delivery, and the event with the given key. ARGV: that key, time to live, lease, retention, claim id. If the
 * delivery is bound to another key, the key of its event is none of those that the script may use: nothing is claimed.
 */
export const BIND_AND_CLAIM: RedisScript = {
	sha1: "9f863a1045e5b3dab096bf541824b92d4ad5e64d",
	text: `
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
	local bound = redis.call('GET', KEYS[1])
	if bound ~= ARGV[1] then return {'bound', '=' .. bound} end
end
${claim("KEYS[2]", "ARGV[3]", "ARGV[4]", "ARGV[5]")}`,
};

/** ARGV: token, lease. */
export const EXTEND: RedisScript = {
	sha1: "42a3c0b35ef9324e337a6a2a96482999c28589de",
	text: `${READ_RECORD}${READ_TIME}
if state ~= 'held' or token ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], string.format('held %s %s %.0f %s', token, attempt, now + ARGV[2], claimId),
	'PX', math.max(redis.call('PTTL', KEYS[1]), ARGV[2]))
return 1
`,
};

/** ARGV: token, retention. */
export const COMPLETE: RedisScript = {
	sha1: "5fdc10787781168c13942849800a74af3a13a359",
	text: `${READ_RECORD}
if state == 'free' or token ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], string.format('done %s %s 0', token, attempt), 'PX', ARGV[2])
return 1
`,
};

/** ARGV: token, how many attempts to subtract. */
export const RELEASE: RedisScript = {
	sha1: "d9048ee2f4f7b6a177f6563d65c010aa672dcb40",
	text: `${READ_RECORD}
if state ~= 'held' or token ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], string.format('free %s %.0f 0', token, attempt - ARGV[2]), 'KEEPTTL')
return 1
`,
};

/** ARGV: event key, time to live. The sign in front keeps clients that parse JSON from reading a key as a number. */
export const BIND: RedisScript = {
	sha1: "39acea7ec7305a213a20242cbed62b5bada55782",
	text: `
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return '=' .. ARGV[1] end
return '=' .. redis.call('GET', KEYS[1])
`,
};

/** ARGV: time to live, and the call's id, by which one that a client sends again is known. */
export const REMEMBER: RedisScript = {
	sha1: "3332ada3b9aa43381d9c0673b0c171a36035e49f",
	text: `
if redis.call('SET', KEYS[1], ARGV[2], 'NX', 'PX', ARGV[1]) then return 1 end
if redis.call('GET', KEYS[1]) == ARGV[2] then return 1 end
return 0
`,
};
