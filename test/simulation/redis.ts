import { createClient } from "redis";
import type { World } from "./world.ts";

/**
 * Stands in front of each script: `redis.call` has those commands that scripts use, over one hash, and the time of the
 * last argument.
 */
const COMMANDS = `
local server, now = redis, tonumber(table.remove(ARGV))
local function read(key)
	local expiresAt = tonumber(server.call('HGET', 'expiries', key) or '0')
	if expiresAt > now then return server.call('HGET', 'values', key), expiresAt end
	return false, expiresAt
end
local commands = {
	TIME = function() return {string.format('%.0f', math.floor(now / 1000)), tostring(now % 1000 * 1000)} end,
	GET = function(key) return (read(key)) end,
	PTTL = function(key)
		local value, expiresAt = read(key)
		return value and expiresAt - now or -2
	end,
	SET = function(key, value, ...)
		local isOnlyNew, expiresAt = false, nil
		local options = {...}
		for at, option in ipairs(options) do
			if option == 'NX' then isOnlyNew = true end
			if option == 'PX' then expiresAt = now + tonumber(options[at + 1]) end
			if option == 'KEEPTTL' then expiresAt = select(2, read(key)) end
		end
		if isOnlyNew and read(key) then return false end
		server.call('HSET', 'values', key, value)
		server.call('HSET', 'expiries', key, string.format('%.0f', expiresAt))
		return {ok = 'OK'}
	end,
}
local redis = {call = function(command, ...) return commands[command](...) end}
`;

const connect = (url: string) => createClient({ url }).connect();

type Client = Awaited<ReturnType<typeof connect>>;

/** A Redis in which scripts run at the time of a world. */
export class PlayedRedis implements AsyncDisposable {
	readonly #client: Client;
	#world: World | undefined;

	private constructor(client: Client) {
		this.#client = client;
	}

	static async open(url: string): Promise<PlayedRedis> {
		return new PlayedRedis(await connect(url));
	}

	/** Forgets everything, and lives in another world. */
	async begin(world: World): Promise<void> {
		this.#world = world;
		await this.#client.del(["values", "expiries"]);
	}

	run(script: string, keys: string[], args: string[]): Promise<unknown> {
		const now = String(this.#world?.storeNow);
		return this.#client.eval(COMMANDS + script, { keys, arguments: [...args, now] });
	}

	/** The records of events. */
	async records(): Promise<{ key: string; state: string; token: string; lease_ends_at: string }[]> {
		const values = await this.#client.hGetAll("values");
		return Object.entries(values).flatMap(([key, value]) => {
			const [state = "", token = "", , lease_ends_at = ""] = value.split(" ");
			return ["held", "done"].includes(state) ? [{ key, state, token, lease_ends_at }] : [];
		});
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#client.close();
	}
}
