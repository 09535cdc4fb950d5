import { fetchThrough, signedKy } from "messaging-gateway/ky";
import { errorResponse, html, ok } from "../support/wire.ts";
import { describeMessages } from "./message-table.ts";

/** An instance of which a user in plain JavaScript may get an option wrong. */
function create(options: object = {}) {
	return signedKy({
		baseUrl: "https://gateway.example",
		appId: "app-1",
		appSecret: "secret-1",
		fetch: async () => ok({}),
		...options,
	});
}

/** An instance whose only attempt gets this response. */
function answered(response: Response) {
	return create({ fetch: async () => response });
}

describeMessages("an instance of ky", [
	["a misspelt option", () => create({ baseURL: "x" }), 'Unknown option "baseURL". Did you mean "baseUrl"?'],
	[
		"no credentials",
		() => signedKy().get("health").json(),
		"baseUrl, appId and appSecret are missing. Pass them to the client, or set MESSAGING_GATEWAY_BASE_URL, MESSAGING_GATEWAY_APP_ID and MESSAGING_GATEWAY_APP_SECRET. No account yet? `npx messaging-gateway dev --write-env .env` starts a gateway and writes them",
	],
	[
		"another address",
		() => create().get("https://elsewhere.example/x").json(),
		"The path is an absolute URL, so the request was neither signed nor sent: give the path below baseUrl",
	],
	[
		"text as JSON",
		() =>
			create()
				.post("message/text", { body: "{", headers: { "Content-Type": "application/json" } })
				.json(),
		"Not sent: the Content-Type is JSON, but the body isn't. Pass the value as ky's option json, or change the Content-Type",
	],
	[
		"JSON with NaN",
		() =>
			create()
				.post("message/text", { json: { a: Number.NaN } })
				.json(),
		"The body can't be sent as JSON: NaN and Infinity have no JSON form: pass a finite number or null",
	],
	[
		"a 404",
		() =>
			answered(errorResponse(404, { code: "MAPPING_NOT_FOUND" }))
				.get("mapping/1")
				.json(),
		"No agent is mapped to this number. Create a mapping, or send to it first. GET /mapping/{…} got 404 MAPPING_NOT_FOUND (request ID)",
	],
	[
		"a 401",
		() =>
			answered(errorResponse(401, { code: "UNAUTHORIZED" }))
				.get("mapping/1")
				.json(),
		"GET /mapping/{…} got 401 UNAUTHORIZED (request ID). Check the app id, the App Secret and this machine's clock. `npx messaging-gateway doctor` shows why",
	],
	[
		"a send that gets a 503",
		() =>
			answered(errorResponse(503, { code: "SERVICE_UNAVAILABLE" }))
				.post("message/text", { json: {} })
				.json(),
		"The call may have been carried out: POST /message/text got 503 SERVICE_UNAVAILABLE (request ID). error.gatewayMessage has the gateway's reason. Before you repeat it, check whether it was: messaging-gateway/docs/errors.md#unknown",
	],
	[
		"a web page",
		() => answered(html(200)).get("mapping/1").json(),
		"GET /mapping/{…} got 200, but the body is a web page. Something other than the gateway seems to have responded, such as a login page or a proxy. error.readBody() returns the raw body. `npx messaging-gateway doctor` shows why",
	],
	[
		"something else than an instance",
		() => fetchThrough({} as never),
		"fetchThrough needs an instance of ky: fetchThrough(ky.create({ … }))",
	],
]);
