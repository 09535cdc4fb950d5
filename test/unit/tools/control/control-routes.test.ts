import { beforeEach, describe, expect, test } from "vitest";
import {
	type ActionDone,
	CONTROL_VERSION,
	CONTROL_VERSION_HEADER,
	type ControlProblem,
} from "../../../../src/tools/control/contract.ts";
import {
	createControlRoutes,
	MAX_STREAMS,
} from "../../../../src/tools/control/http/create-control-routes.ts";
import { LOOPBACK_HOSTS, rejectForeignPages, underHosts } from "../../../../src/tools/control/http/hosts.ts";
import { CONTROL_ROUTES } from "../../../../src/tools/control/routes.ts";
import { inOrder } from "../../../../src/tools/local-gateway/routes.ts";
import { createWatchedGateway, type WatchedGateway } from "../../../support/controlled-gateway.ts";
import { testOutcomes } from "../../../support/outcomes.ts";
import { ALICE } from "../../../support/signed-client.ts";

const ORIGIN = "http://localhost:8080";
const TOKEN = "5f2b".repeat(16);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let world: WatchedGateway;

beforeEach(() => {
	world = createWatchedGateway();
});

interface Ask {
	method?: string;
	headers?: Record<string, string>;
	body?: BodyInit;
	duplex?: "half";
	token?: string;
	origin?: string;
}

async function ask(
	path: string,
	{ token = TOKEN, origin = ORIGIN, headers, ...init }: Ask = {},
): Promise<Response> {
	const routes = createControlRoutes(world.control, { token: TOKEN, hosts: LOOPBACK_HOSTS });
	const authorization = token === "" ? {} : { Authorization: `Bearer ${token}` };
	const request = new Request(origin + path, { ...init, headers: { ...authorization, ...headers } });
	const response = await routes(request);
	if (response === undefined) throw new Error("not a control route");
	return response;
}

/** A response in a line: its status, and if it is an error, its code and sentence. */
async function lineOf(response: Response): Promise<string> {
	if (response.ok) return String(response.status);
	const problem: ControlProblem = await response.json();
	const { code, message, requestId } = problem.error;
	expect(problem).toEqual({ ok: false, error: { code, message, requestId: expect.stringMatching(UUID) } });
	expect(response.headers.get("X-Request-Id")).toBe(requestId);
	return `${response.status} ${code}: ${message}`;
}

const UNAUTHORIZED =
	"401 unauthorized: The token is missing or wrong: open the link that the command printed.";
const FOREIGN_NAME = "403 forbidden: This isn't a name of the gateway: open it as localhost.";
const FOREIGN_PAGE = "403 forbidden: Only the gateway's own pages may use its control.";
const NO_ROUTE = "404 not_found: No control route has this path.";

const post = (action: unknown): Ask => ({ method: "POST", body: JSON.stringify(action) });

test("the credentials of a client can be requested, and are in no snapshot", async () => {
	const { appId, appSecret, webhookSecret } = world.local;
	expect(await (await ask("/_local/credentials")).json()).toEqual({ appId, appSecret, webhookSecret });
	expect(await (await ask("/_local/snapshot")).text()).not.toContain(appSecret);
	expect(await lineOf(await ask("/_local/credentials", { token: "wrong" }))).toBe(UNAUTHORIZED);
});

test("streams of changes are bounded, and a stream that ends makes room", async () => {
	const routes = createControlRoutes(world.control, { token: TOKEN, hosts: LOOPBACK_HOSTS });
	const open = async (): Promise<Response> => {
		const headers = { Authorization: `Bearer ${TOKEN}` };
		const response = await routes(new Request(`${ORIGIN}/_local/stream`, { headers }));
		if (response === undefined) throw new Error("not a control route");
		return response;
	};
	const tooMany =
		"503 too_many_streams: 100 streams are open: close pages and programs that watch this gateway.";
	const streams = await Promise.all(Array.from({ length: MAX_STREAMS }, open));
	expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
	expect(await lineOf(await open())).toBe(tooMany);
	await streams[0]?.body?.cancel();
	const last = await open();
	expect(last.status).toBe(200);
	expect(await lineOf(await open())).toBe(tooMany);
	for (const { body } of [...streams.slice(1), last]) await body?.cancel();
});

const from = (headers: Record<string, string>): Ask => ({ headers: { Host: "localhost:8080", ...headers } });
const page = (Origin: string, site: string): Ask => from({ Origin, "Sec-Fetch-Site": site });
const under = (Host: string): Ask => ({ headers: { Host } });

describe("a request", () =>
	testOutcomes<Ask & { readonly path?: string }>(
		{
			200: {
				"with the token": {},
				"as localhost": under("localhost"),
				"as localhost with a port": under("localhost:8080"),
				"as localhost in upper case": under("LOCALHOST:8080"),
				"as 127.0.0.1": under("127.0.0.1:99"),
				"as the loopback address of IPv6": under("[::1]:8080"),
				"of the gateway's own page": page("http://localhost:8080", "same-origin"),
				"that a person typed": from({ "Sec-Fetch-Site": "none" }),
			},
			[UNAUTHORIZED]: {
				"without a token": { token: "" },
				"with another token": { token: "wrong" },
				"with a longer token": { token: `${TOKEN}0` },
				"with a part of the token": { token: TOKEN.slice(1) },
				"with the token in upper case": { token: TOKEN.toUpperCase() },
				"with the token, and no Bearer": { token: "", headers: { Authorization: TOKEN } },
				"without a token, to an unknown route": { token: "", path: "/_local/nothing" },
				"without a token, to the root of the routes": { token: "", path: "/_local/" },
				"without a token, to an attachment": { token: "", path: "/_local/attachments/x" },
				"that asks before another, without a token": {
					token: "",
					method: "OPTIONS",
					path: "/_local/actions",
					headers: { "Access-Control-Request-Method": "POST", Origin: ORIGIN },
				},
			},
			[FOREIGN_NAME]: {
				"under another name": under("rebound.example"),
				"under another name with our port": under("rebound.example:8080"),
				"under a name that begins like ours": under("localhost.rebound.example"),
				"under a name that begins like ours with a port": under("localhost:8080.rebound.example"),
				"under a name with ours before it": under("localhost@rebound.example"),
				"under a name with ours after it": under("rebound.example#localhost"),
				"under the address of all interfaces": under("0.0.0.0:8080"),
				"under no name": under(""),
				"under what is no name": under("local host"),
				"without a Host header, to another name": { origin: "http://rebound.example" },
			},
			[FOREIGN_PAGE]: {
				"of a page on another port": page("http://localhost:3000", "same-site"),
				"of a page on another port that says it is ours": page("http://localhost:3000", "same-origin"),
				"of a page of another site": page("https://evil.example", "cross-site"),
				"of an opaque page": page("null", "cross-site"),
				"of an opaque page that says nothing": page("null", "none"),
				"of a page that is none": page("nonsense", "none"),
				"of another site without an Origin": { headers: { "Sec-Fetch-Site": "cross-site" } },
			},
			[NO_ROUTE]: {
				"to the root of the routes": { path: "/_local/" },
				"to an unknown route": { path: "/_local/message" },
				"to a route with a segment too many": { path: "/_local/requests/1/2" },
				"to the document of a private API": { path: "/_local/openapi.json" },
			},
			"405 method_not_allowed: The route accepts POST.": {
				"that reads the actions": { path: "/_local/actions" },
				"that asks before another": { path: "/_local/actions", method: "OPTIONS" },
			},
			"404 not_found: The bytes aren't kept: the oldest are dropped when there are too many.": {
				"for an attachment that is not kept": { path: "/_local/attachments/none" },
				"for an attachment by the path of a route": { path: "/_local/attachments/..%2Fsnapshot" },
			},
			"404 not_found: No request has this id; the oldest are dropped.": {
				"for a test of an unknown request": { path: "/_local/requests/x/test" },
			},
			"400 invalid_query: limit must be an integer from 1 to 500.": {
				"for a page of none": { path: "/_local/messages?limit=0" },
			},
			"400 invalid_query: The path must be UTF-8.": {
				"for an id that is not UTF-8": { path: "/_local/requests/%ff" },
			},
		},
		async ({ path = "/_local/snapshot", ...init }) => {
			const response = await ask(path, init);
			expect(response.headers.get("WWW-Authenticate")).toBe(response.status === 401 ? "Bearer" : null);
			const cors = [...response.headers.keys()].filter((name) => name.startsWith("access-control"));
			expect(cors).toEqual([]);
			return lineOf(response);
		},
	));

describe("calls of the API that a browser sends for a foreign page", () => {
	const reject = rejectForeignPages(LOOPBACK_HOSTS);

	testOutcomes<Record<string, string>>(
		{
			"let through": {
				"of a page of this machine": { Host: "localhost:8080", Origin: "http://localhost:3000" },
				"of no browser": { Host: "localhost:8080" },
				"of no browser, to a container": { Host: "gateway:8080" },
				"of no browser, to an address": { Host: "192.168.1.7:8080" },
				"of no browser, to an address of IPv6": { Host: "[fe80::1]:8080" },
				"of no browser, to a private name": { Host: "gateway.internal" },
				"of a page of this machine, to a subdomain": { Host: "app.localhost" },
			},
			"403 forbidden: Only pages of this machine may use the gateway: open yours as localhost, or for an extension use `listen` of messaging-gateway/testing/node.":
				{
					"of another origin": { Host: "localhost:8080", Origin: "https://evil.example" },
					"of an opaque origin": { Host: "localhost:8080", Origin: "null" },
					"of an extension": { Host: "localhost:8080", Origin: "chrome-extension://abcdef" },
					"of a page under a name that another site may own": {
						Host: "rebound.example",
						Origin: "http://rebound.example",
					},
				},
			[FOREIGN_NAME]: {
				"under a name that another site may own": { Host: "rebound.example" },
				"of a browser, to a container": { Host: "gateway:8080", "Sec-Fetch-Site": "none" },
				"of a page of this machine, to a container": {
					Host: "gateway:8080",
					Origin: "http://localhost:3000",
				},
			},
		},
		async (headers) => {
			const response = await reject(new Request(`${ORIGIN}/mapping/x`, { headers }));
			return response === undefined ? "let through" : lineOf(response);
		},
	);

	test("get an id of their own each (section 2.2), and are reported by their origin", async () => {
		const origins: string[] = [];
		const reporting = rejectForeignPages(LOOPBACK_HOSTS, (origin) => origins.push(origin));
		const headers = { Host: "localhost:8080", Origin: "https://evil.example" };
		const ids = [1, 2].map(async () => {
			const response = await reporting(new Request(`${ORIGIN}/mapping/x`, { headers }));
			return response?.headers.get("X-Request-Id");
		});
		expect(new Set(await Promise.all(ids)).size).toBe(2);
		expect(origins).toEqual(["https://evil.example", "https://evil.example"]);
	});
});

test("no response is stored, framed, sniffed or run, and each has the version", async () => {
	const stream = await ask("/_local/stream");
	await stream.body?.cancel();
	expect(stream.headers.get("Content-Type")).toBe("text/event-stream");
	for (const { headers } of [await ask("/_local/snapshot"), await ask("/_local/none"), stream]) {
		expect(Object.fromEntries(headers)).toMatchObject({
			"cache-control": "no-store",
			"content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
			"cross-origin-resource-policy": "same-origin",
			"referrer-policy": "no-referrer",
			"x-content-type-options": "nosniff",
			[CONTROL_VERSION_HEADER.toLowerCase()]: CONTROL_VERSION,
		});
	}
});

describe("actions", () => {
	test("are performed, with a response", async () => {
		const response = await ask("/_local/actions", post({ type: "reply", from: ALICE, text: "Hi" }));
		const done: ActionDone = await response.json();
		expect(done).toMatchObject({ ok: true, result: { message: { text: "Hi" } } });
		const other = await ask("/_local/actions", post({ type: "clear_faults" }));
		expect(await other.json()).toEqual({ ok: true });
	});

	testOutcomes<Ask>(
		{
			"400 invalid_action: type must be one of reply, react, read, advance_clock, redeliver, deliver, agent_online, destinations, request_fault, webhook_fault, clear_faults, rules, settle, reset.":
				{ "an unknown one": post({ type: "dance" }) },
			"400 invalid_action: type is required.": { nothing: { method: "POST" } },
			"400 rejected: No message has reached this contact yet. Send one, and wait until it arrives: settled() in a test, `npx messaging-gateway wait` beside the command":
				{
					"one that cannot be done": post({ type: "react", from: ALICE, reaction: "love" }),
				},
			"404 not_found: No delivery has this event id; the oldest ones are dropped.": {
				"a redelivery of an unknown event": post({ type: "redeliver", eventId: "evt_x" }),
			},
			"400 invalid_action: The body must be a JSON object.": {
				"what is not JSON": { method: "POST", body: "{" },
				"a list": post([]),
				"what is not UTF-8": { method: "POST", body: new Uint8Array([0xff]) },
			},
		},
		async (init) => lineOf(await ask("/_local/actions", init)),
	);

	test("a body beyond 16 MiB is rejected, and not read to its end", async () => {
		let isCancelled = false;
		const endless = new ReadableStream<Uint8Array>({
			pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)),
			cancel: () => {
				isCancelled = true;
			},
		});
		const response = await ask("/_local/actions", { method: "POST", body: endless, duplex: "half" });
		expect(await lineOf(response)).toMatch(/^413 too_large: The action is larger than \d+ bytes\.$/);
		expect(isCancelled).toBe(true);
	});
});

describe("routes", () => {
	test.each(Object.values(CONTROL_ROUTES))("%s %s names the method that it accepts", async (method, path) => {
		const other = method === "GET" ? "POST" : "GET";
		const response = await ask(path.replace("{id}", "x"), { method: other });
		expect(response.headers.get("Allow")).toBe(method);
		expect(await lineOf(response)).toBe(`405 method_not_allowed: The route accepts ${method}.`);
	});
});

describe("attachments", () => {
	async function fetchAttachment(mimeType: string, name = "file"): Promise<Response> {
		const attachments = [{ name, mimeType, data: "AAEC/w==" }];
		const result = await world.control.act({ type: "reply", from: ALICE, text: "", attachments });
		expect(result?.message.attachments).toEqual([{ name, mimeType, size: 4 }]);
		const id = world.control.snapshot().messages.at(-1)?.attachments[0]?.["id"];
		return ask(`/_local/attachments/${id}`);
	}

	testOutcomes<string>(
		{
			"200 image/png, inline": { "a picture is shown": "image/png" },
			"200 audio/mpeg, inline": { "a sound is played": "audio/mpeg" },
			"200 audio/x-m4a, inline": { "a sound of a private type is played": "audio/x-m4a" },
			"200 video/mp4, inline": { "a video is played": "video/mp4" },
			"200 application/octet-stream, attachment": {
				"a page is only saved": "text/html",
				"a picture that can run code is only saved": "image/svg+xml",
				"a picture that can run code, in upper case, is only saved": "IMAGE/SVG+XML",
				"a picture of another type that can is only saved": "image/svg",
				"a document is only saved": "application/pdf",
				"a script is only saved": "text/javascript",
				"a page as XML is only saved": "application/xhtml+xml",
				"a video as XML is only saved": "video/vnd.x+xml",
				"several parts are only saved": "multipart/related",
			},
		},
		async (mimeType) => {
			const response = await fetchAttachment(mimeType);
			const { status, headers } = response;
			expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array([0, 1, 2, 255]));
			expect(headers.get("Content-Security-Policy")).toContain("sandbox");
			expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
			const [disposition, name] = headers.get("Content-Disposition")?.split("; ") ?? [];
			expect(name).toBe("filename*=UTF-8''file");
			return `${status} ${headers.get("Content-Type")}, ${disposition}`;
		},
	);

	test("a name cannot break out of its header", async () => {
		const response = await fetchAttachment("image/png", "a\"; b\r\nX-Evil: 1 '(ü*).png\ud800");
		expect(response.headers.get("Content-Disposition")).toBe(
			"inline; filename*=UTF-8''a%22%3B%20b%0D%0AX-Evil%3A%201%20%27%28%C3%BC%2A%29.png%EF%BF%BD",
		);
		expect(response.headers.get("X-Evil")).toBeNull();
	});
});

test("a request as a test", async () => {
	await world.gateway.agents.list();
	const [request] = world.control.requests({}).items;
	const response = await ask(`/_local/requests/${request?.requestId}/test`);
	expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "text/plain; charset=utf-8"]);
	expect(await response.text()).toContain('gateway.request("GET", "/agent")');
});

test("an internal error shows only its kind", async () => {
	world = { ...world, control: { ...world.control, snapshot: () => JSON.parse("secret") } };
	const response = await ask("/_local/snapshot");
	expect(await lineOf(response)).toBe("500 internal: The control of the gateway failed with SyntaxError.");
});

test("everything else is left to others", () => {
	const routes = createControlRoutes(world.control, { token: TOKEN, hosts: LOOPBACK_HOSTS });
	for (const path of ["/", "/_local", "/message/text", "/x/_local/snapshot"]) {
		expect(routes(new Request(ORIGIN + path))).toBeUndefined();
	}
});

describe("pages", () => {
	const pages = underHosts(LOOPBACK_HOSTS, ({ url }) =>
		new URL(url).pathname === "/" ? Promise.resolve(new Response("page")) : undefined,
	);

	test("are served only under our own names", async () => {
		const under = async (host: string) => (await pages(new Request(`http://${host}/`)))?.status;
		expect(await under("localhost:8080")).toBe(200);
		expect(await under("rebound.example:8080")).toBe(403);
		expect(pages(new Request("http://rebound.example/message/text"))).toBeUndefined();
	});

	test("work beside the control routes", async () => {
		const control = createControlRoutes(world.control, { token: TOKEN, hosts: LOOPBACK_HOSTS });
		const routes = inOrder(control, pages);
		expect((await routes(new Request(`${ORIGIN}/_local/snapshot`)))?.status).toBe(401);
		expect(await (await routes(new Request(`${ORIGIN}/`)))?.text()).toBe("page");
		expect(routes(new Request(`${ORIGIN}/message/text`))).toBeUndefined();
	});
});
