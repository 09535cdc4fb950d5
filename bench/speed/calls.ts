import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { MessagingGateway } from "messaging-gateway";
import { createLocalGateway } from "messaging-gateway/testing";
import { type Case, type Contender, type OpenCases, prove } from "../cases.ts";
import { resolvePeer } from "../peers/load.ts";
import { startServer } from "../receivers/start.ts";
import { STARTS } from "../settings.ts";
import { CLIENTS, type ClientTarget, SENT_TEXT } from "./clients.ts";

const execute = promisify(execFile);

const IMPORT = `
const before = performance.now();
await import(process.argv[1]);
process.stdout.write(String((performance.now() - before) * 1e6));
`;

/** What a process pays before its first work, without its own start. */
export const openStart: OpenCases = async function* (atEnd) {
	const importer = (name: string, role: Contender["role"], url: string): Contender => {
		const args = ["--input-type=module", "--eval", IMPORT, url];
		return { name, role, run: async () => (await execute(process.execPath, args)).stdout };
	};
	const ofPackage = (name: string) => importer(name, "ours", import.meta.resolve(name));
	const ofPeer = (name: string, module = name) => importer(name, "peer", resolvePeer(module));
	yield createStart("import", [
		...CLIENTS.flatMap(({ name, role, module }) => {
			if (module === undefined) return [];
			return role === "ours" ? ofPackage(module) : ofPeer(name, module);
		}),
		ofPackage("messaging-gateway/webhooks"),
		ofPeer("standardwebhooks"),
		ofPeer("svix"),
		importer("an empty module", "floor", new URL("empty.mjs", import.meta.url).href),
	]);

	const body = await recordResponseBody();
	const { url } = await startServer({ route: "fixed response", body }, atEnd);
	const script = fileURLToPath(new URL("first-call.ts", import.meta.url));
	const callFirst = async (name: string) => {
		const { stdout } = await execute(process.execPath, ["--no-warnings", script, name, url]);
		const { ns, response }: { ns: number; response: unknown } = JSON.parse(stdout);
		prove(isResponse(response, body), `${name} returns the response`);
		return ns;
	};
	const contenders = CLIENTS.map(({ name, role }) => ({ name, role, run: () => callFirst(name) }));
	yield createStart("import and first call", contenders);
};

/** A new process starts for each run, which returns the time in nanoseconds. */
function createStart(name: string, contenders: readonly Contender[]): Case {
	return { ...STARTS, name, measure: async ({ run }) => Number(await run()), contenders };
}

/** A call of a client whose fetch responds at once, so that only the client is measured. */
export const openStub: OpenCases = async function* () {
	const body = await recordResponseBody();
	const fetch = async (_url: string, init: RequestInit = {}): Promise<Response> => {
		prove(init.method?.toUpperCase() === "POST" && Boolean(init.body), "a client sends a POST with a body");
		return new Response(body, { status: 200, headers: { "Content-Type": "application/json" } });
	};
	const contenders = await openClients({ baseUrl: "http://localhost:1", fetch }, body);
	yield { name: "1 in flight", contenders };
	yield { name: "16 in flight", contenders, concurrency: 16 };
};

/** A call of a client over HTTP, to a server in its own process on this machine. */
export const openHttp: OpenCases = async function* (atEnd) {
	const body = await recordResponseBody();
	const { url: baseUrl } = await startServer({ route: "fixed response", body }, atEnd);
	const contenders = await openClients({ baseUrl }, body);
	yield { name: "1 in flight", contenders, isWaitCounted: true };
	yield { name: "16 in flight", contenders, isWaitCounted: true, concurrency: 16 };
};

async function openClients(target: ClientTarget, responseBody: string): Promise<Contender[]> {
	const contenders: Contender[] = [];
	for (const { name, role, open } of CLIENTS) {
		const run = await open(target);
		prove(isResponse(await run(), responseBody), `${name} returns the response`);
		contenders.push({ name, role, run });
	}
	return contenders;
}

/** Whether a client returned what the server sent. */
function isResponse(returned: unknown, responseBody: string): boolean {
	const { message }: { message: { messageId: string } } = JSON.parse(responseBody).data;
	return JSON.stringify(returned).includes(message.messageId);
}

/** The response body for every client: that of the local gateway to the same send. */
export async function recordResponseBody(): Promise<string> {
	const local = createLocalGateway();
	let body = "";
	const gateway = new MessagingGateway({
		...local.clientOptions,
		async fetch(url, init) {
			const response = await local.clientOptions.fetch(url, init);
			body = await response.clone().text();
			return response;
		},
	});
	await gateway.messages.sendText(SENT_TEXT);
	// Node 22 does not support `await using`.
	await local[Symbol.asyncDispose]();
	return body;
}
