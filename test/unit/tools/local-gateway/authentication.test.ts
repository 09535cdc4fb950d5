import { signRequest, type WithSigningProfile } from "messaging-gateway/signing";
import type { LocalGateway } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import {
	ALICE,
	type CallOptions,
	type CallResult,
	call,
	createFrozenGateway,
	parse,
	START_MS,
	signedRequest,
} from "../../../support/signed-client.ts";
import { calls, play, responseTo, type Step, type Story, sentenceOf, waits } from "./steps.ts";

const NONCE = "0b9f3e3c-5a0e-4b1d-9f39-2d3f0c1a7b11";
const TOLERANCE_MS = 300_000;
const APPS = { apps: { other: "other-secret" } };
const PROFILE: WithSigningProfile = { signing: { path: "without_base_path", query: "included" } };
const WITH_PROFILE = { baseUrl: "http://gateway.localhost/api/", profile: PROFILE };
const BODY = { to: ALICE, text: "Hello" };

/** A signed call that changes nothing. */
const lists = (options: CallOptions = {}) => calls("GET", "/agent", undefined, options);
const listsAt = (ms: number, options: CallOptions = {}) => lists({ timestamp: START_MS + ms, ...options });
const overrides = (name: string, value: string) => lists({ headers: { [name]: value } });
const without = (name: string) => (local: LocalGateway) => {
	const request = signedRequest(local, "GET", "/agent");
	request.headers.delete(name);
	return local.fetch(request).then(parse);
};
/** A text whose body is not the one that was signed. */
const sendsInstead = (sentBody: string) => calls("POST", "/message/text", BODY, { sentBody });

/** A GET with the body {}, and headers that someone made for it. */
const getsWithBody =
	(headersFor: (local: LocalGateway, url: string) => Headers) => async (local: LocalGateway) => {
		async function* body() {
			yield new TextEncoder().encode("{}");
		}
		const url = `${local.baseUrl}/agent`;
		return parse(await local.handle({ method: "GET", url, headers: headersFor(local, url), body: body() }));
	};
const ownHeaders = ({ appId, appSecret, clock }: LocalGateway, url: string) =>
	new Headers({
		...signRequest({ method: "GET", url, body: {}, appId, appSecret, timestamp: clock.now() }).headers,
	});

/** Status, code and reason. */
async function verdictOf(story: Story): Promise<string> {
	const { status, body } = await responseTo(story);
	const { code, details } = body.error ?? {};
	return [status, code, details?.reason].filter(Boolean).join(" ");
}

const VERDICTS: Outcomes<Story> = {
	200: {
		"a signed request": [{}, lists()],
		"an app of its own secret": [APPS, lists({ appId: "other", appSecret: "other-secret" })],
		"a path and a query as the profile signs them": [
			WITH_PROFILE,
			calls("GET", "/agent?limit=1", undefined, { profile: PROFILE }),
		],
		"the body {} of a GET": [{}, getsWithBody(ownHeaders)],
		"300 s ago": [{}, listsAt(-TOLERANCE_MS)],
		"300 s ahead": [{}, listsAt(TOLERANCE_MS)],
		"a nonce of a request with a wrong signature": [
			{},
			lists({ nonce: NONCE, appSecret: "wrong" }),
			lists({ nonce: NONCE }),
		],
		"a nonce of another app": [
			APPS,
			lists({ nonce: NONCE }),
			lists({ nonce: NONCE, appId: "other", appSecret: "other-secret" }),
		],
		"the last nonce that its store has room for": [{ maxEntries: 1 }, ...Array<Step>(30).fill(lists())],
		"health without a signature": [
			{},
			async (local) => parse(await local.fetch(new Request(`${local.baseUrl}/health`))),
		],
	},
	202: {
		"a body with other whitespace and another order": [
			{},
			sendsInstead(`{ "text": "Hello",\n "to": "${ALICE}" }`),
		],
		"a text, after one whose body was changed": [
			{},
			sendsInstead('{"to":"+15551234567","text":"Bye"}'),
			calls("POST", "/message/text", BODY),
		],
	},
	"401 UNAUTHORIZED INVALID_SIGNATURE": {
		"no X-App-Id": [{}, without("X-App-Id")],
		"no X-Timestamp": [{}, without("X-Timestamp")],
		"no X-Nonce": [{}, without("X-Nonce")],
		"no Authorization": [{}, without("Authorization")],
		"a timestamp in words": [{}, overrides("X-Timestamp", "soon")],
		"a negative timestamp": [{}, overrides("X-Timestamp", "-5")],
		"a nonce that is no UUID": [{}, overrides("X-Nonce", "not-a-uuid")],
		"a bearer token": [{}, overrides("Authorization", `Bearer ${"0".repeat(64)}`)],
		"a signature of 63 digits": [{}, overrides("Authorization", `HMAC ${"0".repeat(63)}`)],
		"an unknown app id": [{}, lists({ appId: "nobody" })],
		"a wrong secret": [{}, lists({ appSecret: "wrong" })],
		"the secret of another app": [APPS, lists({ appId: "other" })],
		"another body": [{}, sendsInstead('{"to":"+15551234567","text":"Bye"}')],
		"a body that is not JSON": [{}, sendsInstead("{not json")],
		"no body": [{}, sendsInstead("")],
		"a path and a query that the profile signs otherwise": [WITH_PROFILE, calls("GET", "/agent?limit=1")],
		"the body {} of a GET that signs none": [
			{},
			getsWithBody((local) => signedRequest(local, "GET", "/agent").headers),
		],
		"the body {} of a POST": [
			{},
			getsWithBody((local) => signedRequest(local, "POST", "/agent", {}).headers),
		],
	},
	"401 UNAUTHORIZED TIMESTAMP_OUT_OF_RANGE": {
		"1 ms more than 300 s ago": [{}, listsAt(-TOLERANCE_MS - 1)],
		"1 ms more than 300 s ahead": [{}, listsAt(TOLERANCE_MS + 1)],
		"an old timestamp, before a wrong signature": [{}, listsAt(-START_MS, { appSecret: "wrong" })],
		"a nonce when its timestamp is too old": [
			{},
			listsAt(0, { nonce: NONCE }),
			waits(TOLERANCE_MS / 1_000 + 0.001),
			listsAt(0, { nonce: NONCE }),
		],
	},
	"401 UNAUTHORIZED NONCE_REPLAYED": {
		"a nonce for the second time": [{}, lists({ nonce: NONCE }), lists({ nonce: NONCE })],
		"a nonce for as long as its timestamp is accepted": [
			{},
			listsAt(0, { nonce: NONCE }),
			waits(TOLERANCE_MS / 1_000),
			listsAt(0, { nonce: NONCE }),
		],
	},
	"503 SERVICE_UNAVAILABLE": {
		"a nonce that its store has no room for": [{ maxEntries: 1 }, ...Array<Step>(31).fill(lists())],
	},
};

describe("the last request of", () => testOutcomes(VERDICTS, verdictOf));

test("what is rejected changes nothing", async () => {
	const { local } = await play([{}, sendsInstead('{"to":"+15551234567","text":"Bye"}')]);
	expect(local.sent).toEqual([]);
});

test("a full nonce store says so", async () => {
	const { last } = await play([{ maxEntries: 1 }, ...Array<Step>(31).fill(lists())]);
	expect(await sentenceOf(last as CallResult)).toBe(
		"503 SERVICE_UNAVAILABLE: The nonce couldn't be checked: its store is full (see maxEntries) or doesn't respond.",
	);
});

test("health has no envelope", async () => {
	expect((await call(createFrozenGateway(), "GET", "/health")).body).toEqual({ status: "ok" });
});

/** A text whose body has so many bytes, signed with the webhook secret. */
const signsBody = (bytes: number) => {
	const text = "x".repeat(bytes - JSON.stringify({ text: "", to: ALICE }).length);
	return calls("POST", "/message/text", { text, to: ALICE }, { appSecret: "local-webhook-secret" });
};

/** How a client signed that the gateway does not accept, and what the gateway then says. */
const SIGNERS: Outcomes<Story> = {
	"it is signed with the webhook secret, not with the App Secret": {
		"the webhook secret": [{}, lists({ appSecret: "local-webhook-secret" })],
		"the webhook secret, over a body of 1 MiB": [{}, signsBody(1_048_576)],
	},
	"the signature doesn't match. Check the App Secret first. If you sign yourself, check the path too, and that you sign the body as canonical JSON":
		{
			"another secret": [{}, lists({ appSecret: "wrong" })],
			"the webhook secret, over a larger body, which is not searched": [{}, signsBody(1_048_577)],
		},
	"it is signed with the App Secret of another app id": {
		"the secret of another app": [APPS, lists({ appSecret: "other-secret" })],
	},
	"it signs the path without the path of the base URL": {
		"a path without the base path": [
			{ baseUrl: "http://gateway.localhost/api" },
			calls("GET", "/agent", undefined, { profile: { signing: { path: "without_base_path" } } }),
		],
	},
	"it signs the whole path": {
		"a path with the base path": [
			{ baseUrl: "http://gateway.localhost/api", profile: { signing: { path: "without_base_path" } } },
			lists(),
		],
	},
	"it signs the decoded path": {
		"a decoded path": [
			{},
			calls("GET", "/mapping/%2B15551234567", undefined, { profile: { signing: { path: "decoded" } } }),
		],
	},
	"it signs the path with its query": {
		"a query": [
			{},
			calls("GET", "/agent?limit=1", undefined, { profile: { signing: { query: "included" } } }),
		],
	},
	"it signs the path without its query": {
		"no query": [{ profile: { signing: { query: "included" } } }, calls("GET", "/agent?limit=1")],
	},
	"it signs the path with its query sorted": {
		"a sorted query": [
			{},
			calls("GET", "/agent?status=online&limit=1", undefined, { profile: { signing: { query: "sorted" } } }),
		],
	},
	"it signs {} for a request without a body": {
		"{} for no body": [{}, lists({ profile: { signing: { emptyBody: "empty_object" } } })],
	},
	"it signs an empty string for a request without a body": {
		"an empty string for no body": [{ profile: { signing: { emptyBody: "empty_object" } } }, lists()],
	},
};

describe("a rejection says how it was signed:", () =>
	testOutcomes(SIGNERS, async (story) => {
		const { message } = (await responseTo(story)).body.error;
		return message.replace(/^The request wasn't accepted: (.*)\.$/, "$1");
	}));
