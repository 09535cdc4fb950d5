import type { ConnectedGateway } from "../../control/client/connect.ts";
import { EXIT, usageError } from "../failure.ts";
import { assertHttpUrl, readInteger } from "../gateway-options.ts";
import { CONTROL_FLAGS, connectTo } from "../local/connect-to.ts";
import { ACTIVITY, describeItem, findItem, KINDS, lineOf, listActivity } from "../local/items.ts";
import { redeliver } from "../local/wait-for.ts";
import type { Terminal } from "../terminal.ts";
import { declareVerb, type OptionsOf } from "../verb.ts";

const FLAGS = {
	"--failed": "only what failed",
	"--only <kind>": "only `request`, `delivery` or `message`",
	"--search <text>": "only with this in an id, a number or a text",
	"--conversation <key>": "only of this contact, or of the group with this id",
	"--limit <n>": { meaning: "how many of the newest, up to 500", preset: "20" },
	"--probes": "also what the doctor requested",
	"--redeliver": "deliver the webhook ID once more, with the same event id",
	"--to <url>": "with --redeliver: your application's webhook URL, which is registered first",
	...CONTROL_FLAGS,
} as const;

/** Shows what happened in the local gateway. */
export const addLogVerb = declareVerb({
	usage: "log [id]",
	summary: "Show what your application and the local gateway did.",
	flags: FLAGS,
	examples: [
		"npx messaging-gateway log",
		"npx messaging-gateway log --failed --limit 5",
		"npx messaging-gateway log --search messages.sendText --json",
		"npx messaging-gateway log evt_0a1b2c3d4e5f60718293a4b5",
		"npx messaging-gateway log evt_0a1b2c3d4e5f60718293a4b5 --redeliver",
	],
	notes: `The list has requests (←) and webhooks (→), the newest last. \`--only message\` lists the messages, with their numbers and texts. With an ID, or the beginning of one, it shows everything about that request, webhook or message.`,
	async run(terminal, options, id) {
		const { redeliver: isRedelivered = false, to } = options;
		if (to !== undefined) assertHttpUrl("--to", to);
		if (isRedelivered && id === undefined)
			throw usageError("--redeliver needs the id of a webhook", "`log` shows them.");
		if (to !== undefined && !isRedelivered) throw usageError("--to needs --redeliver");
		const local = await connectTo(options);
		if (id !== undefined && isRedelivered) return deliverAgain(terminal, local, id, to);
		if (id !== undefined) return showOne(terminal, local, id);
		await showList(terminal, local, options);
		return EXIT.done;
	},
});

async function showList(
	terminal: Terminal,
	local: ConnectedGateway,
	{ failed, only, search, conversation, limit: given, probes }: OptionsOf<typeof FLAGS>,
): Promise<void> {
	const kinds = only === undefined ? ACTIVITY : KINDS.filter((kind) => kind === only);
	if (kinds.length === 0) throw usageError("--only must be request, delivery or message");
	const limit = readInteger("--limit", given) ?? 0;
	const query = { failed, search, conversation, limit, ...(probes ? {} : { probe: false }) };
	const { items, older } = await listActivity(local, kinds, query);
	for (const item of items) terminal.show(item, () => lineOf(terminal, item));
	if (items.length === 0) terminal.say(`nothing ${failed ? "failed" : "happened"} yet`);
	if (older > 0) terminal.say(`${older} older: --limit shows more`);
}

async function deliverAgain(
	terminal: Terminal,
	local: ConnectedGateway,
	id: string,
	to: string | undefined,
): Promise<number> {
	const delivery = await redeliver(local, id, to);
	terminal.show(delivery, () => lineOf(terminal, delivery));
	return delivery.state === "delivered" ? EXIT.done : EXIT.failed;
}

async function showOne(terminal: Terminal, local: ConnectedGateway, id: string): Promise<number> {
	const item = await findItem(local, id);
	terminal.show(item, () => describeItem(terminal, item));
	return EXIT.done;
}
