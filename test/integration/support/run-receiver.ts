/** Serves the route of a snippet, whose worker runs beside it. Arguments: the module. PORT is where it listens. */
import { serve } from "@hono/node-server";

interface Receiver {
	/** Of a bot, and of a handler. */
	readonly POST?: (request: Request) => Promise<Response>;
	readonly webhooks?: { fetch(request: Request): Promise<Response> };
}

const [path = ""] = process.argv.slice(2);
const { POST, webhooks }: Receiver = await import(path);
serve(
	{
		fetch: (request) => POST?.(request) ?? webhooks?.fetch(request) ?? new Response(null, { status: 404 }),
		port: Number(process.env["PORT"]),
		hostname: "127.0.0.1",
	},
	() => console.log("ready"),
);
