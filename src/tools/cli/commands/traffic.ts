import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import type { ConnectedGateway } from "../../control/client/connect.ts";
import type { DeliveryView, PageQuery } from "../../control/contract.ts";
import type { ActionMaker } from "../action.ts";
import { examples } from "../examples.ts";
import { EXIT, usageError } from "../failure.ts";
import { type ControlOptions, connectTo, withControlOptions } from "../local/control-options.ts";
import { readDuration } from "../local/read-duration.ts";
import { deliveryLine, requestLine } from "../local/traffic-lines.ts";
import { pretty } from "../terminal.ts";

const POLL_MS = 200;

/** Longer than the time-out of an attempt. */
const MAX_WAIT_MS = 15_000;

interface ListOptions extends ControlOptions {
	failed?: boolean;
	search?: string;
	limit: string;
}

interface DeliveryListOptions extends ListOptions {
	conversation?: string;
}

/** Adds the verbs that show what happened in the local gateway, and move its clock. */
export function addTrafficCommands(program: Command, action: ActionMaker): void {
	withListOptions(program.command("requests [requestId]"))
		.description("List the requests that the local gateway received, or show one with its bodies.")
		.addHelpText(
			"after",
			examples(
				"messaging-gateway requests --failed",
				"messaging-gateway requests --search messages.sendText --json",
			),
		)
		.action(
			action(async (terminal, requestId: string | undefined, options: ListOptions) => {
				const local = await connectTo(options);
				if (requestId !== undefined) {
					const details = await local.request(requestId);
					terminal.show(details, () => pretty(details));
					return undefined;
				}
				const { items, older } = await local.requests(queryOf(options));
				for (const item of items) terminal.show(item, () => requestLine(terminal, item));
				if (items.length === 0) terminal.say("no requests");
				if (older > 0) terminal.say(`${older} older: give --limit`);
				return undefined;
			}),
		);
	withListOptions(program.command("deliveries [eventId]"))
		.description("List the webhooks of the local gateway, or show one with every attempt and response.")
		.option("--conversation <key>", "only those of a contact's number or a group's id")
		.addHelpText(
			"after",
			examples(
				"messaging-gateway deliveries --failed",
				"messaging-gateway deliveries --conversation +15551234567 --json",
			),
		)
		.action(
			action(async (terminal, eventId: string | undefined, options: DeliveryListOptions) => {
				const local = await connectTo(options);
				if (eventId !== undefined) {
					const delivery = await findDelivery(local, eventId);
					terminal.show(delivery, () => pretty(delivery));
					return undefined;
				}
				const { conversation } = options;
				const { items, older } = await local.deliveries({ ...queryOf(options), conversation });
				for (const item of items) terminal.show(item, () => deliveryLine(terminal, item));
				if (items.length === 0) terminal.say("no webhooks");
				if (older > 0) terminal.say(`${older} older: give --limit`);
				return undefined;
			}),
		);
	withControlOptions(program.command("redeliver <eventId>"))
		.description(
			"Deliver a webhook of the local gateway once more, with the same event id, and show the result.",
		)
		.addHelpText("after", examples("messaging-gateway redeliver evt_0a1b2c3d4e5f60718293a4b5"))
		.action(
			action(async (terminal, eventId: string, options: ControlOptions) => {
				const local = await connectTo(options);
				await local.redeliver(eventId);
				const delivery = await untilFinished(local, eventId);
				terminal.show(delivery, () => deliveryLine(terminal, delivery));
				return delivery.state === "delivered" ? EXIT.done : EXIT.failed;
			}),
		);
	withControlOptions(program.command("advance <duration>"))
		.description("Move the local gateway's time forward, and do all work that becomes due.")
		.addHelpText("after", examples("messaging-gateway advance 90s", "messaging-gateway advance 24h"))
		.action(
			action(async (terminal, duration: string, options: ControlOptions) => {
				const ms = readDuration(duration);
				const { clock } = await connectTo(options);
				await clock.advance(ms);
				const now = await clock.now();
				terminal.show({ now }, () => new Date(now).toISOString());
				return undefined;
			}),
		);
}

async function findDelivery(local: ConnectedGateway, eventId: string): Promise<DeliveryView> {
	const { items } = await local.deliveries({ search: eventId });
	const delivery = items.find((item) => item.eventId === eventId);
	if (delivery === undefined) throw usageError("no delivery has this event id");
	return delivery;
}

/** Waits for the end of an attempt, which ends by itself; not longer, since it may wait for other deliveries. */
async function untilFinished(local: ConnectedGateway, eventId: string): Promise<DeliveryView> {
	const endsAt = performance.now() + MAX_WAIT_MS;
	for (;;) {
		const delivery = await findDelivery(local, eventId);
		if (delivery.state !== "pending" || performance.now() >= endsAt) return delivery;
		await sleep(POLL_MS);
	}
}

function withListOptions(command: Command): Command {
	return withControlOptions(command)
		.option("--failed", "only what failed")
		.option("--search <text>", "only with this in an id, a number or a text")
		.option("--limit <n>", "how many of the newest, up to 500", "20");
}

function queryOf({ failed, search, limit }: ListOptions): PageQuery {
	return { failed, search, limit: Number(limit) };
}
