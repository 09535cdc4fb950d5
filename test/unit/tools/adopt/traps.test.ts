import { expect, test } from "vitest";
import { GATEWAYS } from "./strange-gateways/index.ts";
import { expectHarmless, type Measured, type Mode, measure } from "./strange-gateways/measure.ts";

async function run(name: string, mode: Mode): Promise<Measured> {
	const shape = GATEWAYS[name];
	if (shape === undefined) throw new RangeError(`there is no gateway ${name}`);
	return measure(shape, mode);
}

/** What is said of an operation: how certain it is, and why. */
function lineOf({ adoption }: Measured, id: string): string {
	const found = adoption.operations.find((operation) => operation.id === id);
	if (found === undefined) throw new RangeError(`${id} isn't in the plan`);
	const { certainty, proof, questions } = found;
	return [certainty, proof, questions[0]?.message].filter((part) => part !== undefined).join("; ");
}

const MORE = "open; does it only read?";
const NOTHING = "open; its response has none of our fields";

test.each<[name: string, mode: Mode, lines: Readonly<Record<string, string>>]>([
	[
		"eager",
		"alone",
		{
			"queue.getStatus": MORE,
			"agents.list": MORE,
			"agents.get": MORE,
			"mappings.list": MORE,
			"settings.getWebhooks": MORE,
			"messages.checkCapability": MORE,
		},
	],
	["telegram", "alone", { "messages.get": MORE, "settings.getWebhooks": MORE }],
	[
		"ambiguous",
		"alone",
		{ "agents.list": "likely; seen, but backupNumber has another number than agentNumber" },
	],
	[
		"repeating",
		"alone",
		{
			"agents.list": "open; page 2 repeats page 1: the next page is asked for in another way",
			"analytics.listContacts": "open; page 2 repeats page 1: the next page is asked for in another way",
		},
	],
	[
		"spring",
		"alone",
		{
			"agents.list": "open; its pages aren't counted from 1, and a profile counts from there",
			"queue.getStatus": "likely; seen, but oldestPendingAgeMs may be oldestWaitingSeconds",
		},
	],
	[
		"sendblue",
		"alone",
		{ "settings.getWebhooks": NOTHING, "messages.get": "likely", "messages.checkCapability": "likely" },
	],
	["fastapi", "alone", { "agents.list": "certain; seen, 2 pages", "messages.sendText": "likely" }],
	["login", "alone", { "agents.list": "open; 200 with a web page, as of a login or a console" }],
	["whatsapp", "alone", { "messages.sendText": "open; phone_number_id: which value?" }],
	[
		"swapped",
		"consent",
		{
			"messages.sendText": "likely; accepted, but messages.get shows another text or number",
			"messages.get": "open; from and to stand the other way round",
			"analytics.listMessages": "open; its response differs: from and to stand the other way round",
		},
	],
	["rpc", "consent", { "messages.sendText": "likely; accepted, but its response has none of our fields" }],
])("%s, %s: what must not be believed isn't", async (name, mode, lines) => {
	const measured = await run(name, mode);
	expectHarmless(measured);
	const said = Object.keys(lines).map((id) => [id, lineOf(measured, id)]);
	expect(Object.fromEntries(said)).toEqual(lines);
});

test("nothing more is sent once a message is shown under another number", async () => {
	const measured = await run("careless", "consent");
	expectHarmless(measured, { misleads: true });
	expect(measured.adoption.sent?.sentences).toEqual([
		"nothing more was sent: the gateway shows another number for what it got",
	]);
});

test.each([
	["petstore", "/petstore.json (it has no path of the specification)"],
	["aliases", "/openapi.yaml (it can't be read as JSON, nor as YAML without aliases)"],
	["huge", "/openapi.json (more than 5 MB)"],
	["login", undefined],
])("%s: the report says why a document isn't used", async (name, reason) => {
	const { adoption, text } = await run(name, "alone");
	expect(adoption.document).toBeUndefined();
	expect(adoption.left).toEqual(reason === undefined ? [] : [reason]);
	if (reason !== undefined) expect(text).toContain(`not used: ${reason}`);
});
