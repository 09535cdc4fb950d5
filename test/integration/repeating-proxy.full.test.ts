import { buffer } from "node:stream/consumers";
import { type ClientOptions, isMessagingGatewayError, MessagingGateway } from "messaging-gateway";
import { signedKy } from "messaging-gateway/ky";
import { createSender, memorySendStore } from "messaging-gateway/sends";
import { memoryNonceStore, RequestVerificationError, verifyRequest } from "messaging-gateway/signing";
import { systemClock } from "messaging-gateway/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type RunningServer, serve } from "../support/serve.ts";
import { MAPPING, MESSAGE, USER } from "../support/wire.ts";
import { type ResettingProxy, startResettingProxy } from "./support/resetting-proxy.ts";
import { type Nginx, startNginx } from "./support/servers/nginx-server.ts";

const TEXT = { to: USER, text: "Hello" };
const SECRETS = ["the-old-secret-0123456789", "the-new-secret-0123456789"];
const [OLD = "", NEW = ""] = SECRETS;

/**
 * The nginx of this file: repeats at another node what one has lost; sends a copy of each request beside it; repeats to a page;
 * and has nothing but a page.
 */
type Proxy = "repeats" | "mirrors" | "repeatsToPage" | "page";

/** What a gateway says when it refuses a request. */
type Refuse = (reason: RequestVerificationError["code"]) => object;

const named: Refuse = (reason) => ({ code: "UNAUTHORIZED", details: { reason } });
const bare: Refuse = () => ({ code: "UNAUTHORIZED" });

/** The gateway of a test: its secrets are valid at once, as during a rotation. */
interface Played {
	refuse: Refuse;
	messages: number;
	statuses: number[];
	nonceStore: ReturnType<typeof memoryNonceStore>;
}

const played: Played = {
	refuse: named,
	messages: 0,
	statuses: [],
	nonceStore: memoryNonceStore(),
};

let gateway: RunningServer;
let losing: ResettingProxy;
let nginx: Nginx<Proxy>;

beforeAll(async () => {
	gateway = await serve(async (request, response) => {
		const { method = "", url = "", headers } = request;
		const body = await buffer(request);
		const refusal = await findRefusal({ method, url, headers: new Headers(toPairs(headers)), body });
		const isSend = method === "POST";
		const status = refusal === undefined ? (isSend ? 202 : 200) : 401;
		played.statuses.push(status);
		if (refusal === undefined && isSend) played.messages += 1;
		const data = isSend ? { message: { ...MESSAGE, ...TEXT } } : { mapping: MAPPING };
		response.writeHead(status, { "Content-Type": "application/json" });
		response.end(JSON.stringify(refusal === undefined ? { ok: true, data } : { ok: false, ...refusal }));
	});
	const port = new URL(gateway.url).port;
	losing = await startResettingProxy(Number(port));
	const first = `server ${new URL(losing.url).host} max_fails=0;`;
	const repeats = "proxy_next_upstream error timeout non_idempotent;";
	nginx = await startNginx(
		`upstream nodes { ${first} server 127.0.0.1:${port} backup; }
		upstream node_and_page { ${first} server 127.0.0.1:$port_page backup; }`,
		{
			repeats: `location / { proxy_pass http://nodes; ${repeats} }`,
			mirrors: `location / { proxy_pass ${gateway.url}; mirror /copy; }
				location = /copy { internal; proxy_pass ${gateway.url}$request_uri; }`,
			repeatsToPage: `location / { proxy_pass http://node_and_page; ${repeats} }`,
			page: "return 401;",
		},
	);
});

afterAll(async () => {
	await nginx[Symbol.asyncDispose]();
	await losing[Symbol.asyncDispose]();
	await gateway[Symbol.asyncDispose]();
});

beforeEach(() => {
	Object.assign(played, {
		refuse: named,
		messages: 0,
		statuses: [],
		nonceStore: memoryNonceStore(),
	});
});

function toPairs(headers: NodeJS.Dict<string | string[]>): [string, string][] {
	return Object.entries(headers).map(([name, value]) => [name, String(value)]);
}

/** Why the gateway refuses a request, if it does. */
async function findRefusal(request: Parameters<typeof verifyRequest>[0]): Promise<object | undefined> {
	for (const secret of SECRETS) {
		try {
			await verifyRequest(request, { secretFor: () => secret, nonceStore: played.nonceStore });
			return undefined;
		} catch (error) {
			if (!(error instanceof RequestVerificationError)) throw error;
			if (error.code !== "signature_mismatch" || secret === NEW) return { error: played.refuse(error.code) };
		}
	}
	return undefined;
}

/** What an application does, and what it learns. */
type Act = (options: ClientOptions) => Promise<readonly unknown[]>;

const send: Act = async (options) => [await told(new MessagingGateway(options).messages.sendText(TEXT))];

const read: Act = async (options) => [await told(new MessagingGateway(options).mappings.get(USER))];

const sendByKy: Act = async ({ baseUrl, appId, appSecret }) => [
	await told(signedKy({ baseUrl, appId, appSecret }).post("message/text", { json: TEXT }).json()),
];

const sendTwiceUnderOneKey: Act = async (options) => {
	const client = new MessagingGateway(options);
	const sender = createSender({
		gateway: client,
		store: memorySendStore(),
		digestSecret: "a-secret-of-digests",
	});
	const once = () => told(sender.send("order-1", TEXT).then(({ status }) => status));
	return [await once(), await once()];
};

async function told(call: Promise<unknown>): Promise<unknown> {
	try {
		const value = await call;
		return typeof value === "string" ? value : "succeeds";
	} catch (error) {
		if (!isMessagingGatewayError(error)) throw error;
		return `${error.name}: ${Reflect.get(error, "outcome")}`;
	}
}

/** A secret that is renewed after a 401: both are valid. */
const inRotation = (): ClientOptions => {
	const left = [...SECRETS];
	return { appSecret: () => left.shift() ?? NEW };
};

interface Row {
	readonly title: string;
	readonly proxy: Proxy;
	readonly act: Act;
	/** The method of the request whose response is lost. @default none */
	readonly loses?: "GET" | "POST";
	readonly refuse?: Refuse;
	readonly options?: () => ClientOptions;
	/** What the application learns. */
	readonly learns: readonly unknown[];
	/** The statuses of the gateway's responses. */
	readonly statuses: readonly number[];
	readonly messages: 0 | 1;
}

const ROWS: readonly Row[] = [
	{
		title: "a send whose copy is refused for its nonce",
		proxy: "repeats",
		loses: "POST",
		act: send,
		learns: ["AuthenticationError: unknown"],
		statuses: [202, 401],
		messages: 1,
	},
	{
		title: "the same by signedKy",
		proxy: "repeats",
		loses: "POST",
		act: sendByKy,
		learns: ["AuthenticationError: unknown"],
		statuses: [202, 401],
		messages: 1,
	},
	{
		title: "a sender that is called twice",
		proxy: "repeats",
		loses: "POST",
		act: sendTwiceUnderOneKey,
		learns: ["unresolved", "unresolved"],
		statuses: [202, 401, 200],
		messages: 1,
	},
	{
		title: "a send during a rotation, and a 401 without a reason",
		proxy: "repeats",
		loses: "POST",
		refuse: bare,
		options: inRotation,
		act: send,
		learns: ["AuthenticationError: rejected"],
		statuses: [202, 401],
		messages: 1,
	},
	{
		title: "a sender during a rotation, and a 401 without a reason",
		proxy: "repeats",
		loses: "POST",
		refuse: bare,
		options: inRotation,
		act: sendTwiceUnderOneKey,
		learns: ["unresolved", "unresolved"],
		statuses: [202, 401, 200],
		messages: 1,
	},
	{
		title: "a send during a rotation, and a 401 that names the nonce",
		proxy: "repeats",
		loses: "POST",
		options: inRotation,
		act: send,
		learns: ["AuthenticationError: unknown"],
		statuses: [202, 401],
		messages: 1,
	},
	{
		title: "a send whose copy is refused in a field that the profile names",
		proxy: "repeats",
		loses: "POST",
		refuse: (reason) => ({
			code: "UNAUTHORIZED",
			why: { nonce: reason === "nonce_replayed" ? "taken" : "free" },
		}),
		options: () => ({ profile: { usedNonce: { code: "taken", path: "error.why.nonce" } } }),
		act: send,
		learns: ["AuthenticationError: unknown"],
		statuses: [202, 401],
		messages: 1,
	},
	{
		title: "a send with a clock that is ten minutes off",
		proxy: "repeats",
		loses: "POST",
		options: () => ({ clock: { ...systemClock, now: () => Date.now() - 600_000 } }),
		refuse: () => ({ code: "REPLAY_DETECTED", message: "timestamp outside the replay window" }),
		act: send,
		learns: ["succeeds"],
		statuses: [401, 401, 202],
		messages: 1,
	},
	{
		title: "a read",
		proxy: "repeats",
		loses: "GET",
		act: read,
		learns: ["succeeds"],
		statuses: [200, 401, 200],
		messages: 0,
	},
	{
		title: "a send that is mirrored, with the first response",
		proxy: "mirrors",
		act: send,
		learns: ["succeeds"],
		statuses: [202, 401],
		messages: 1,
	},
	{
		title: "a sender whose send is mirrored",
		proxy: "mirrors",
		act: sendTwiceUnderOneKey,
		learns: ["accepted", "accepted"],
		statuses: [202, 401],
		messages: 1,
	},
	{
		title: "a send whose copy gets a 401 page of the proxy",
		proxy: "repeatsToPage",
		loses: "POST",
		options: inRotation,
		act: send,
		learns: ["AuthenticationError: rejected"],
		statuses: [202],
		messages: 1,
	},
	{
		title: "a sender whose copy gets a 401 page of the proxy",
		proxy: "repeatsToPage",
		loses: "POST",
		options: inRotation,
		act: sendTwiceUnderOneKey,
		learns: ["unresolved", "unresolved"],
		statuses: [202, 200],
		messages: 1,
	},
	{
		title: "a send that gets nothing but a 401 page of the proxy",
		proxy: "page",
		options: inRotation,
		act: send,
		learns: ["AuthenticationError: rejected"],
		statuses: [],
		messages: 0,
	},
	{
		title: "a sender that gets nothing but a 401 page of the proxy",
		proxy: "page",
		options: inRotation,
		act: sendTwiceUnderOneKey,
		learns: ["AuthenticationError: rejected", "AuthenticationError: rejected"],
		statuses: [],
		messages: 0,
	},
];

test.each(ROWS.map((row) => [row.title, row] as const))("%s", async (_title, row) => {
	const { proxy, act, loses, refuse = named, options, learns, ...expected } = row;
	played.refuse = refuse;
	if (loses !== undefined) losing.loseNext(loses, "anywhere");
	const common = { baseUrl: nginx.urls[proxy], appId: "app-1", appSecret: OLD, logLevel: "off" } as const;
	expect(await act({ ...common, ...options?.() })).toEqual(learns);
	const { statuses, messages } = expected;
	// A mirrored request may arrive after the response.
	await expect.poll(() => played.statuses.length).toBeGreaterThanOrEqual(statuses.length);
	expect(played).toMatchObject({ statuses, messages });
});
