import type { ClientOptions, Hooks } from "messaging-gateway";
import { signedKy } from "messaging-gateway/ky";
import { memorySendStore, type SendStore } from "messaging-gateway/sends";
import { describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { NEXT_ERRORS } from "../../../support/next-errors.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { SECRET, type Step, scriptGateway } from "../../../support/scripted-gateway.ts";
import { isNodeHttp } from "../../../support/transport.ts";
import { USER } from "../../../support/wire.ts";
import { createWorld, KEY, TEXT } from "../sends/sender-world.ts";
import { describeError } from "./call-ending.ts";

/** An error with the marks that it is given. */
const marked = (marks: object) => Object.assign(new Error("as Next.js throws it"), marks);
const DYNAMIC = marked({ digest: "DYNAMIC_SERVER_USAGE" });
/** An error in so many others, as the `fetch` of an application may wrap it. */
const wrapped = (times: number, error: Error): Error =>
	times === 0 ? error : new Error("wrapped", { cause: wrapped(times - 1, error) });

const circle = new Error("a circle");
circle.cause = circle;

const throwing = (error: unknown) => async (): Promise<never> => {
	throw error;
};
/** Returns a value the first time, and then reads cookies again. */
const once = <Value>(value: Value) => {
	const values = [value];
	return async (): Promise<Value> => {
		const next = values.shift();
		if (next === undefined) throw DYNAMIC;
		return next;
	};
};
const unauthorized = () => new Response("{}", { status: 401 });
const busy = () => new Response("{}", { status: 503 });
const breaking = (error: Error) => () =>
	new Response(new ReadableStream({ pull: (controller) => controller.error(error) }));

/** What the first attempts of a read get, and the error that is looked for. */
interface Thrown {
	readonly steps?: readonly Step[];
	readonly options?: ClientOptions;
	/** @default the error of the only step */
	readonly passing?: Error;
}

async function outcomeOf({ steps = [], options, passing }: Thrown): Promise<string> {
	const { gateway, clock, requests } = scriptGateway(steps, options);
	const error = await catchRejection(settle(clock, gateway.mappings.get(USER)));
	const isPassed = error === (passing ?? steps[0]);
	return `${isPassed ? "passes as it is" : describeError(error)}; ${requests.length} sent`;
}

const THROWN: Outcomes<Thrown> = {
	"passes as it is; 1 sent": {
		...Object.fromEntries(
			NEXT_ERRORS.flatMap((mark) => [
				[`the digest ${mark}`, { steps: [marked({ digest: mark })] }],
				[
					`the digest ${mark} with words after it`,
					{ steps: [marked({ digest: `${mark};replace;/login;` })] },
				],
				[`the code ${mark}`, { steps: [marked({ code: mark })] }],
			]),
		),
		"an empty digest beside a code": { steps: [marked({ digest: "", code: "NEXT_STATIC_GEN_BAILOUT" })] },
		"wrapped twice by a fetch of the application's": { steps: [wrapped(2, DYNAMIC)], passing: DYNAMIC },
		"wrapped four times": { steps: [wrapped(4, DYNAMIC)], passing: DYNAMIC },
		...(!isNodeHttp && {
			"while the body is read": { steps: [breaking(DYNAMIC)], passing: DYNAMIC },
		}),
		"out of an appSecret that is called again after a 401": {
			steps: [unauthorized],
			options: { appSecret: once(SECRET) },
			passing: DYNAMIC,
		},
		"out of a signer that signs a second attempt": {
			steps: [busy],
			options: { appSecret: undefined, signer: once({ signature: "a".repeat(64) }) },
			passing: DYNAMIC,
		},
	},
	"passes as it is; 0 sent": {
		"out of an appSecret, which may read cookies": {
			options: { appSecret: throwing(DYNAMIC) },
			passing: DYNAMIC,
		},
		"out of a signer, which may read cookies": {
			options: { appSecret: undefined, signer: throwing(DYNAMIC) },
			passing: DYNAMIC,
		},
	},
	"ConnectionError connection_failed, unknown after 3 attempts; 3 sent": {
		"the digest of a server's error": { steps: [marked({ digest: "2183511773" })] },
		"a digest that only begins like one": { steps: [marked({ digest: "NEXT_REDIRECTED" })] },
		"a digest that only ends like one": { steps: [marked({ digest: "MY_NEXT_REDIRECT" })] },
		"a digest that is no string": { steps: [marked({ digest: ["NEXT_REDIRECT"] })] },
		"no digest": { steps: [marked({ code: "ECONNRESET" })] },
		"wrapped five times": { steps: [wrapped(5, DYNAMIC)] },
		"an error that is its own cause": { steps: [circle] },
	},
};

describe("what Next.js throws to control what it renders", () => {
	testOutcomes(THROWN, outcomeOf);

	test("is unknown to hooks and senders, once a request was signed", async () => {
		const endings: unknown[] = [];
		const hooks: Hooks = {
			aroundCall: async (_, run) => endings.push(await run()),
			aroundAttempt: async (_, run) => endings.push(await run()),
		};
		const { gateway, clock } = scriptGateway([DYNAMIC], { hooks });
		expect(await catchRejection(settle(clock, gateway.mappings.get(USER)))).toBe(DYNAMIC);
		expect(endings).toEqual([
			{ status: undefined, requestId: undefined, errorCode: "aborted" },
			{ attempts: 1, errorCode: "aborted", outcome: "unknown" },
		]);
		let calls = 0;
		const { sender, createProcess } = createWorld();
		const fetch = () => {
			calls += 1;
			return Promise.reject(DYNAMIC);
		};
		expect(await catchRejection(createProcess({ fetch }).send(KEY, TEXT))).toBe(DYNAMIC);
		expect(calls).toBe(1);
		expect(await sender.send(KEY, TEXT)).toMatchObject({ status: "unresolved" });
	});

	test.each<[title: string, appSecret: string | (() => Promise<string>), fetch: () => Promise<Response>]>([
		["fetch", SECRET, throwing(DYNAMIC)],
		["an appSecret that is called again after a 401", once(SECRET), async () => unauthorized()],
	])("passes through signedKy out of %s, and nothing is retried", async (_title, appSecret, respond) => {
		const fetch = vi.fn(respond);
		const api = signedKy({ baseUrl: "https://gateway.example", appId: "a", appSecret, fetch });
		expect(await catchRejection(api.get("chat").json())).toBe(DYNAMIC);
		expect(fetch).toHaveBeenCalledTimes(1);
	});

	test("passes out of a store that is reached by fetch", async () => {
		const store: SendStore = { ...memorySendStore(), read: throwing(DYNAMIC) };
		const { createProcess, posts } = createWorld();
		expect(await catchRejection(createProcess({ store }).send(KEY, TEXT))).toBe(DYNAMIC);
		expect(posts()).toEqual([]);
	});
});
