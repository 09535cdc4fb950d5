import { serve } from "../serve.ts";
import { RESOURCES, type Resource } from "./resources.ts";
import { VARIABLE } from "./shared.ts";

/** Serves shares of the resources of a run: each starts when it is first requested, and all end together. */
export async function serveResources(): Promise<AsyncDisposable> {
	const starts: Readonly<Record<string, () => Promise<Resource<unknown>>>> = RESOURCES;
	const started = new Map<string, Promise<Resource<unknown>>>();

	async function share(name: string): Promise<unknown> {
		const resource = started.get(name) ?? starts[name]?.();
		if (resource === undefined) throw new Error(`nothing is called ${name}`);
		started.set(name, resource);
		return (await resource).share();
	}

	const server = await serve(async ({ url = "" }, response) => {
		try {
			response.end(JSON.stringify(await share(url.slice(1))));
		} catch (error) {
			response.writeHead(500).end(String(error));
		}
	});
	// Workers and other processes start with the variables of this one.
	process.env[VARIABLE] = server.url;
	return {
		async [Symbol.asyncDispose]() {
			delete process.env[VARIABLE];
			await server[Symbol.asyncDispose]();
			const settled = await Promise.allSettled(started.values());
			for (const resource of settled) {
				if (resource.status === "fulfilled") await resource.value[Symbol.asyncDispose]();
			}
		},
	};
}

/** The global setup of vitest. */
export default async function setUp(): Promise<() => Promise<void>> {
	const resources = await serveResources();
	return async () => resources[Symbol.asyncDispose]();
}
