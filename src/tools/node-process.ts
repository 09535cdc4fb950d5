/** The parts of Node's `process` that tools use which also run elsewhere. */
interface NodeProcess {
	readonly execArgv?: readonly string[];
	readonly env?: Readonly<Record<string, string | undefined>>;
	getBuiltinModule?(id: string): unknown;
}

/** A response of `node:http`. */
export interface ClientResponse extends AsyncIterable<Uint8Array> {
	readonly statusCode?: number;
	readonly statusMessage?: string;
	/** Names and values in turn. */
	readonly rawHeaders: readonly string[];
	/** Drops the body. */
	resume(): unknown;
	destroy(): unknown;
}

interface ClientRequest {
	on(event: "error", listener: (error: unknown) => void): ClientRequest;
	end(body: Uint8Array): unknown;
}

/** What `node:http` and `node:https` have in common. */
interface NodeClient {
	request(
		url: string,
		options: {
			readonly method: string;
			readonly headers: Readonly<Record<string, string>>;
			/** A connection of its own. */
			readonly agent: false;
			readonly signal: AbortSignal;
		},
		onResponse: (response: ClientResponse) => void,
	): ClientRequest;
}

/** Node's `process`, or what another runtime has of it; `undefined` in browsers, and in Deno, which asks before each variable. */
export function findNodeProcess(): NodeProcess | undefined {
	return "Deno" in globalThis ? undefined : (globalThis as { process?: NodeProcess }).process;
}

/** Node's client of a protocol. Loaded by a call, since bundlers for other runtimes would try to resolve an import. */
export function findNodeClient(protocol: string): NodeClient | undefined {
	const id = protocol === "https:" ? "node:https" : "node:http";
	return findNodeProcess()?.getBuiltinModule?.(id) as NodeClient | undefined;
}
