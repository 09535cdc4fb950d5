import * as crypto from "node:crypto";
import { MessagingGateway } from "messaging-gateway";
import { type Contender, type OpenCases, prove } from "../cases.ts";
import { CREDENTIALS, createHandSigner } from "../hand-signer.ts";
import { TEXT_BODY } from "../inputs.ts";
import { recordResponseBody } from "../response-body.ts";

const BASE_URL = "http://localhost:1";

/** A call of the client whose fetch responds at once, so that only the client is measured. */
export const openCalls: OpenCases = async function* () {
	const body = await recordResponseBody();
	async function fetch(_url: string, init: RequestInit = {}): Promise<Response> {
		prove(init.method === "POST" && Boolean(init.body), "a client sends a POST with a body");
		return new Response(body, { status: 200, headers: { "Content-Type": "application/json" } });
	}
	const gateway = new MessagingGateway({ ...CREDENTIALS, baseUrl: BASE_URL, fetch });
	const sign = createHandSigner(crypto);
	async function callByHand(): Promise<unknown> {
		const text = JSON.stringify(TEXT_BODY);
		const headers = { "Content-Type": "application/json", ...sign(text) };
		const response = await fetch(`${BASE_URL}/message/text`, { method: "POST", headers, body: text });
		return response.json();
	}
	const contenders: readonly Contender[] = [
		{ name: "messaging-gateway", role: "ours", run: () => gateway.messages.sendText(TEXT_BODY) },
		{ name: "fetch, signed by hand", role: "floor", run: callByHand },
	];
	const { messageId } = JSON.parse(body).data.message;
	for (const { name, run } of contenders) {
		prove(JSON.stringify(await run()).includes(messageId), `${name} returns the response`);
	}
	yield { name: "16 in flight", contenders, concurrency: 16 };
};
