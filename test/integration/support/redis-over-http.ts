import { json } from "node:stream/consumers";
import { Redis } from "ioredis";
import { type RunningServer, serve } from "../../support/serve.ts";

/** An HTTP server in front of a Redis, for runtimes without sockets. */
export interface RedisOverHttp extends RunningServer {
	readonly token: string;
	/** The commands that came, without their arguments. */
	readonly commands: readonly string[];
	/** Responds to all but the next `count` commands with an error. */
	failAfter(count: number): void;
}

/** Accepts commands for a Redis as JSON arrays, as Upstash's REST API does. */
export async function serveRedisOverHttp(redisUrl: string): Promise<RedisOverHttp> {
	const redis = new Redis(redisUrl);
	const token = "redis-token";
	const commands: string[] = [];
	let failsFrom = Number.POSITIVE_INFINITY;
	const server = await serve(async (request, response) => {
		if (request.headers.authorization !== `Bearer ${token}`) {
			response.writeHead(401).end(JSON.stringify({ error: "Unauthorized" }));
			return;
		}
		const [command = "", ...args] = (await json(request)) as string[];
		if (commands.push(command) > failsFrom) {
			response.writeHead(500).end(JSON.stringify({ error: "ERR it failed" }));
			return;
		}
		response.end(JSON.stringify({ result: await redis.call(command, ...args) }));
	});
	return {
		...server,
		token,
		commands,
		failAfter(count) {
			failsFrom = commands.length + count;
		},
		async [Symbol.asyncDispose]() {
			await server[Symbol.asyncDispose]();
			redis.disconnect();
		},
	};
}
