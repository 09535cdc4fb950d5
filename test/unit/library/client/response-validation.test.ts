import { type ClientOptions, defineOperation, type Profile } from "messaging-gateway";
import { expect, test, vi } from "vitest";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { html, json, ok, text, USER } from "../../../support/wire.ts";
import { endingOf, type Played } from "./call-ending.ts";

/** How a call ends, and whether that is a warning: test/messages has its sentence. */
async function shownOf(played: Played): Promise<string> {
	const warn = vi.fn();
	const logger = { debug: warn, info: warn, warn, error: warn };
	const ending = await endingOf({ ...played, options: { logger, logLevel: "warn", ...played.options } });
	return warn.mock.calls.length === 0 ? ending : `${ending}, with a warning`;
}

const EMPTY: Readonly<Record<string, Response>> = {
	"a 204": new Response(null, { status: 204 }),
	"an empty 200": text(200, ""),
	"a 200 of whitespace": text(200, "\n"),
};
const empty = text(200, "");

/** Every way to be empty. */
const each = (what: string, play: (response: Response) => Played): Outcomes<Played>[string] =>
	Object.fromEntries(
		Object.entries(EMPTY).map(([title, response]) => [`${what} with ${title}`, play(response)]),
	);

/** A profile that may let changes succeed without a body, or give the data of an operation. */
const allowing: Profile = { emptyResponses: true };
const decoding = (id: string, data: unknown): Profile => ({
	operations: { [id]: { response: { decode: (given: unknown) => given ?? data } } },
});

const SETTINGS = { inboundWebhookUrl: null, statusWebhookUrl: "https://app.example/hooks" };
const play =
	(call: Played["call"]) =>
	(steps: Response, profile?: Profile): Played => ({ steps, call, options: { profile } });
const setWebhooks = play((gateway) =>
	gateway.settings.setWebhooks({ statusWebhookUrl: "https://app.example/hooks" }),
);
const sendText = play((gateway) => gateway.messages.sendText({ to: USER, text: "Hello" }));
const getQueue = play((gateway) => gateway.queue.getStatus());
const getMapping = play((gateway) => gateway.mappings.get(USER));
const deleteMapping = play((gateway) => gateway.mappings.delete(USER));

const schema = {
	"~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value: value as object }) },
} as const;
const own = { id: "own", path: "/own", input: schema, data: schema } as const;
/** An operation of yours without an envelope, whose data is a text. */
const textual = {
	"~standard": {
		version: 1,
		vendor: "test",
		validate: (value: unknown) =>
			typeof value === "string" ? { value } : { issues: [{ message: "must be a text" }] },
	},
} as const;
const getDocs = play((gateway) =>
	gateway.call(defineOperation({ ...own, method: "GET", hasEnvelope: false, data: textual }), {}),
);
const change = play((gateway) => gateway.call(defineOperation({ ...own, method: "POST" }), {}));

/** A response of another shape than that of the operation, under these modes. */
type Modes = NonNullable<ClientOptions["responseValidation"]>;
const misfit = ok({ odd: true });
const validated = (id: "mappings.get" | "agents.list", responseValidation: Modes = {}): Played => ({
	steps: misfit,
	call: (gateway) => (id === "mappings.get" ? gateway.mappings.get(USER) : gateway.agents.list()),
	options: { responseValidation },
});

const EMPTY_BODY = "ResponseShapeError unexpected_response 200, unknown: the body is empty";

const OUTCOMES: Outcomes<Played> = {
	undefined: each("setWebhooks, whose response is not shown,", setWebhooks),
	[`${JSON.stringify(SETTINGS)}`]: each("setWebhooks, decoded by the profile,", (response) =>
		setWebhooks(response, decoding("settings.setWebhooks", SETTINGS)),
	),
	"{}": each("a send, where the profile allows that,", (response) => sendText(response, allowing)),
	'{"deleted":true}': each("a removal, where the profile allows that,", (response) =>
		deleteMapping(response, allowing),
	),
	'{"pending":0}, with a warning': {
		"a read whose data is not shown, decoded by the profile": getQueue(
			empty,
			decoding("queue.getStatus", { pending: 0 }),
		),
		"a send, decoded, where the profile allows that": sendText(empty, {
			...allowing,
			...decoding("messages.sendText", { pending: 0 }),
		}),
	},
	[`${EMPTY_BODY}: see profile.emptyResponses`]: {
		"a send": sendText(empty),
		"a removal": deleteMapping(empty),
	},
	[`${EMPTY_BODY}`]: {
		"a read whose data is not shown": getQueue(empty),
		"a read, whatever the profile allows": getQueue(empty, allowing),
		"a read whose data is shown, decoded or not": getMapping(empty, decoding("mappings.get", {})),
		"a change of yours, whatever the profile allows": change(empty, allowing),
	},
	"ResponseShapeError unexpected_response 200, unknown: the body is a web page": {
		"setWebhooks with a web page": setWebhooks(html(200)),
		"a send with a web page, where the profile allows empty ones": sendText(html(200), allowing),
	},
	'"<html><body>Bad gateway</body></html>"': {
		"a page for an operation of yours without an envelope": getDocs(html(200)),
	},
	"ResponseShapeError unexpected_response 200, accepted: is invalid": {
		"JSON in place of such a page, which is as good an answer": getDocs(ok({})),
	},
	'{"odd":true}, with a warning': {
		"a response whose shape is assumed": validated("agents.list"),
		"a response whose shape is shown, to be warned of": validated("mappings.get", { documented: "warn" }),
		"setWebhooks with another shape, which is not shown": setWebhooks(misfit),
	},
	'{"odd":true}': {
		"a response whose shape is assumed, unchecked": validated("agents.list", { provisional: "off" }),
		"a response whose shape is shown, unchecked": validated("mappings.get", { documented: "off" }),
	},
	"ResponseShapeError unexpected_response 200, accepted: mapping is missing": {
		"a response whose shape is shown": validated("mappings.get"),
		"a response whose shape is shown, whatever counts for assumed ones": validated("mappings.get", {
			provisional: "off",
		}),
	},
	"ResponseShapeError unexpected_response 200, accepted: agents is missing; nextCursor is missing": {
		"a response whose shape is assumed, to be thrown": validated("agents.list", { provisional: "throw" }),
	},
	"ResponseShapeError unexpected_response 200, unknown: ok must be true, as in the gateway's envelope": {
		"a response without an envelope, unchecked": {
			...validated("agents.list", { provisional: "off" }),
			steps: json(200, { agents: [] }),
		},
	},
};

testOutcomes(OUTCOMES, shownOf);

test("an operation is warned of once in the life of a client", async () => {
	const warn = vi.fn();
	const { gateway } = scriptGateway([misfit], { logger: { ...console, warn }, logLevel: "warn" });
	for (let call = 0; call < 2; call++) await gateway.agents.list();
	expect(warn).toHaveBeenCalledTimes(1);
	await gateway.queue.getStatus();
	expect(warn).toHaveBeenCalledTimes(2);
});
