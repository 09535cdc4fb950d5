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

async function problemOf(response: Response): Promise<[number, string]> {
	const problem: ControlProblem = await response.json();
	const [code, message, requestId] = [expect.any(String), expect.any(String), expect.stringMatching(UUID)];
	expect(problem).toEqual({ ok: false, error: { code, message, requestId } });
	expect(response.headers.get("X-Request-Id")).toBe(problem.error.requestId);
	return [response.status, problem.error.code];
}

const post = (action: unknown): Ask => ({ method: "POST", body: JSON.stringify(action) });

test("the credentials of a client can be requested, and are in no snapshot", async () => {
	const { appId, appSecret, webhookSecret } = world.local;
	expect(await (await ask("/_local/credentials")).json()).toEqual({ appId, appSecret, webhookSecret });
	expect(await (await ask("/_local/snapshot")).text()).not.toContain(appSecret);
	const rejected = await ask("/_local/credentials", { token: "wrong" });
	expect(await problemOf(rejected)).toEqual([401, "unauthorized"]);
});

test("streams of changes are bounded, and a stream that ends makes room", async () => {
	const routes = createControlRoutes(world.control, { token: TOKEN, hosts: LOOPBACK_HOSTS });
	const open = async (): Promise<Response> => {
		const headers = { Authorization: `Bearer ${TOKEN}` };
		const response = await routes(new Request(`${ORIGIN}/_local/stream`, { headers }));
		if (response === undefined) throw new Error("not a control route");
		return response;
	};
	const streams = await Promise.all(Array.from({ length: MAX_STREAMS }, open));
	expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
	expect(await problemOf(await open())).toEqual([503, "too_many_streams"]);
	await streams[0]?.body?.cancel();
	const last = await open();
	expect(last.status).toBe(200);
	expect(await problemOf(await open())).toEqual([503, "too_many_streams"]);
	for (const { body } of [...streams.slice(1), last]) await body?.cancel();
});

describe("who may use them", () => {
	test("requests with the token", async () => {
		expect((await ask("/_local/snapshot")).status).toBe(200);
		for (const token of ["", "wrong", `${TOKEN}0`, TOKEN.slice(1), TOKEN.toUpperCase()]) {
			const response = await ask("/_local/snapshot", { token });
			expect(response.headers.get("WWW-Authenticate")).toBe("Bearer");
			expect(await problemOf(response)).toEqual([401, "unauthorized"]);
		}
		const basic = await ask("/_local/snapshot", { token: "", headers: { Authorization: TOKEN } });
		expect(basic.status).toBe(401);
	});

	test("without it, unknown routes look the same", async () => {
		for (const path of ["/_local/nothing", "/_local/", "/_local/attachments/x"]) {
			expect((await ask(path, { token: "" })).status).toBe(401);
		}
	});

	test.each(["localhost", "localhost:8080", "127.0.0.1:99", "[::1]:8080", "LOCALHOST:8080"])(
		"under the name %s",
		async (host) => {
			expect((await ask("/_local/snapshot", { headers: { Host: host } })).status).toBe(200);
		},
	);

	test.each([
		"rebound.example",
		"rebound.example:8080",
		"localhost.rebound.example",
		"localhost:8080.rebound.example",
		"localhost@rebound.example",
		"rebound.example#localhost",
		"0.0.0.0:8080",
		"",
		"local host",
	])("not under the name %j, which a foreign page could point to us", async (host) => {
		const response = await ask("/_local/snapshot", { headers: { Host: host } });
		expect(await problemOf(response)).toEqual([403, "forbidden"]);
	});

	test("without a Host header, the URL's name counts", async () => {
		const response = await ask("/_local/snapshot", { origin: "http://rebound.example" });
		expect(response.status).toBe(403);
	});

	test.each([
		["http://localhost:8080", "same-origin", 200],
		["http://localhost:3000", "same-site", 403],
		["http://localhost:3000", "same-origin", 403],
		["https://evil.example", "cross-site", 403],
		["null", "cross-site", 403],
		["null", "none", 403],
		["nonsense", "none", 403],
	])("a page of %s (%s) gets %d", async (origin, site, status) => {
		const headers = { Host: "localhost:8080", Origin: origin, "Sec-Fetch-Site": site };
		expect((await ask("/_local/snapshot", { headers })).status).toBe(status);
	});

	test("a page of another site that sends no Origin is detected by its Sec-Fetch-Site", async () => {
		const response = await ask("/_local/snapshot", { headers: { "Sec-Fetch-Site": "cross-site" } });
		expect(await problemOf(response)).toEqual([403, "forbidden"]);
	});

	test("preflights are rejected, and no response has a CORS header", async () => {
		const preflight = await ask("/_local/actions", {
			method: "OPTIONS",
			token: "",
			headers: { Origin: ORIGIN, "Access-Control-Request-Method": "POST" },
		});
		expect(preflight.ok).toBe(false);
		const withToken = await ask("/_local/actions", { method: "OPTIONS" });
		expect(await problemOf(withToken)).toEqual([405, "method_not_allowed"]);
		for (const response of [preflight, withToken, await ask("/_local/snapshot"), await ask("/_local/none")]) {
			const cors = [...response.headers.keys()].filter((name) => name.startsWith("access-control"));
			expect(cors).toEqual([]);
		}
	});
});

describe("calls of the API that a browser sends for a foreign page", () => {
	const reject = rejectForeignPages(LOOPBACK_HOSTS);

	test.each<[title: string, headers: Record<string, string>]>([
		["another origin", { Host: "localhost:8080", Origin: "https://evil.example" }],
		["an opaque origin", { Host: "localhost:8080", Origin: "null" }],
		["a name that another site may own", { Host: "rebound.example" }],
		["that name, from a page under it", { Host: "rebound.example", Origin: "http://rebound.example" }],
	])("%s gets the error envelope, with its own request id (section 2.2)", async (_title, headers) => {
		const ids = new Set<string | null>();
		for (let times = 0; times < 2; times++) {
			const response = await reject(new Request(`${ORIGIN}/mapping/x`, { headers }));
			if (response === undefined) throw new Error("it was let through");
			ids.add(response.headers.get("X-Request-Id"));
			expect(await problemOf(response)).toEqual([403, "forbidden"]);
		}
		expect(ids.size).toBe(2);
	});

	test.each([
		[{ Host: "localhost:8080", Origin: "https://evil.example" }, "Only pages of this machine"],
		[{ Host: "localhost:8080", Origin: "chrome-extension://abcdef" }, "for an extension use `listen`"],
		[{ Host: "rebound.example" }, "not a name of the gateway"],
	])("with %j the message names the cause: the page or the host name", async (headers, words) => {
		const response = await reject(new Request(`${ORIGIN}/mapping/x`, { headers }));
		expect(await response?.text()).toContain(words);
	});

	test("a page of this machine is let through", () => {
		const headers = { Host: "localhost:8080", Origin: "http://localhost:3000" };
		expect(reject(new Request(`${ORIGIN}/mapping/x`, { headers }))).toBeUndefined();
	});
});

test("no response is stored, framed, sniffed or run, and each has the version", async () => {
	const stream = await ask("/_local/stream");
	await stream.body?.cancel();
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

	test.each<[string, Ask, [number, string]]>([
		["an unknown one", post({ type: "dance" }), [400, "invalid_action"]],
		["one that cannot be done", post({ type: "react", from: ALICE, reaction: "love" }), [400, "rejected"]],
		["a redelivery of an unknown event", post({ type: "redeliver", eventId: "evt_x" }), [404, "not_found"]],
		["what is not JSON", { method: "POST", body: "{" }, [400, "invalid_action"]],
		["what is not UTF-8", { method: "POST", body: new Uint8Array([0xff]) }, [400, "invalid_action"]],
		["nothing", { method: "POST" }, [400, "invalid_action"]],
		["a GET", {}, [405, "method_not_allowed"]],
	])("%s is rejected", async (_what, init, expected) => {
		expect(await problemOf(await ask("/_local/actions", init))).toEqual(expected);
	});

	test("a body beyond 16 MiB is rejected, and not read to its end", async () => {
		let isCancelled = false;
		const endless = new ReadableStream<Uint8Array>({
			pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)),
			cancel: () => {
				isCancelled = true;
			},
		});
		const response = await ask("/_local/actions", { method: "POST", body: endless, duplex: "half" });
		expect(await problemOf(response)).toEqual([413, "too_large"]);
		expect(isCancelled).toBe(true);
	});
});

describe("routes", () => {
	test.each(Object.values(CONTROL_ROUTES))("%s %s names the method that it accepts", async (method, path) => {
		const other = method === "GET" ? "POST" : "GET";
		const response = await ask(path.replace("{id}", "x"), { method: other });
		expect(response.headers.get("Allow")).toBe(method);
		expect(await problemOf(response)).toEqual([405, "method_not_allowed"]);
	});

	test.each(["/_local/", "/_local/message", "/_local/requests/1/2", "/_local/openapi.json"])(
		"there is none at %s",
		async (path) => expect(await problemOf(await ask(path))).toEqual([404, "not_found"]),
	);
});

describe("attachments", () => {
	async function fetchAttachment(mimeType: string, name = "file"): Promise<Response> {
		const attachments = [{ name, mimeType, data: "AAEC/w==" }];
		const result = await world.control.act({ type: "reply", from: ALICE, text: "", attachments });
		expect(result?.message.attachments).toEqual([{ name, mimeType, size: 4 }]);
		const id = world.control.snapshot().messages.at(-1)?.attachments[0]?.["id"];
		return ask(`/_local/attachments/${id}`);
	}

	test.each(["image/png", "audio/mpeg", "audio/x-m4a", "video/mp4"])("%s is shown", async (mimeType) => {
		const response = await fetchAttachment(mimeType);
		expect(response.headers.get("Content-Type")).toBe(mimeType);
		expect(response.headers.get("Content-Disposition")).toBe("inline; filename*=UTF-8''file");
		expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array([0, 1, 2, 255]));
	});

	test.each([
		"text/html",
		"image/svg+xml",
		"IMAGE/SVG+XML",
		"image/svg",
		"application/pdf",
		"text/javascript",
		"application/xhtml+xml",
		"video/vnd.x+xml",
		"multipart/related",
	])("%s is only saved", async (mimeType) => {
		const response = await fetchAttachment(mimeType);
		expect(response.headers.get("Content-Type")).toBe("application/octet-stream");
		expect(response.headers.get("Content-Disposition")).toMatch(/^attachment;/);
		expect(response.headers.get("Content-Security-Policy")).toContain("sandbox");
		expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
	});

	test("a name cannot break out of its header", async () => {
		const response = await fetchAttachment("image/png", "a\"; b\r\nX-Evil: 1 '(ü*).png\ud800");
		expect(response.headers.get("Content-Disposition")).toBe(
			"inline; filename*=UTF-8''a%22%3B%20b%0D%0AX-Evil%3A%201%20%27%28%C3%BC%2A%29.png%EF%BF%BD",
		);
		expect(response.headers.get("X-Evil")).toBeNull();
	});

	test("one that is not kept is 404", async () => {
		expect(await problemOf(await ask("/_local/attachments/none"))).toEqual([404, "not_found"]);
		expect(await problemOf(await ask("/_local/attachments/..%2Fsnapshot"))).toEqual([404, "not_found"]);
	});
});

test("a request as a test", async () => {
	await world.gateway.agents.list();
	const [request] = world.control.requests({}).items;
	const response = await ask(`/_local/requests/${request?.requestId}/test`);
	expect(response.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
	expect(await response.text()).toContain('gateway.request("GET", "/agent")');
	expect(await problemOf(await ask("/_local/requests/x/test"))).toEqual([404, "not_found"]);
});

test("an internal error shows only its kind", async () => {
	world = { ...world, control: { ...world.control, snapshot: () => JSON.parse("secret") } };
	const response = await ask("/_local/snapshot");
	expect(await response.clone().json()).toMatchObject({
		error: { message: "The control of the gateway failed with SyntaxError." },
	});
	expect(await problemOf(response)).toEqual([500, "internal"]);
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
