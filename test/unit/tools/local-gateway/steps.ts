import type { LocalGateway, LocalGatewayOptions, ReadingName } from "messaging-gateway/testing";
import {
	AGENT,
	ALICE,
	type CallOptions,
	type CallResult,
	call,
	createFrozenGateway,
	pathOf,
	sendText,
} from "../../../support/signed-client.ts";

/** A second agent, if the options have it. */
export const OTHER_AGENT = "+15550000002";
/** A third contact, beside those of `signed-client`. */
export const CAROL = "+15559876543";

/** Something that happens to a gateway: a request to it, or what its contacts and agents do. */
export type Step = (local: LocalGateway) => unknown;

/** A gateway's options, and what happens to it. */
export type Story = readonly [options: LocalGatewayOptions, ...steps: Step[]];

/** Plays a story. @returns the gateway, and what the last step returned. */
export async function play([options, ...steps]: Story): Promise<{ local: LocalGateway; last: unknown }> {
	const local = createFrozenGateway(options);
	let last: unknown;
	for (const step of steps) last = await step(local);
	return { local, last };
}

/** Plays a story that ends with a request. @returns the response to it. */
export async function responseTo(story: Story): Promise<CallResult> {
	return (await play(story)).last as CallResult;
}

/** The options of a gateway under some readings. */
export const read = (...readings: ReadingName[]): LocalGatewayOptions => ({ readings });

/** A response in a line: its status, and the code of its error. */
export async function codeOf(response: Promise<CallResult> | CallResult): Promise<string> {
	const { status, body } = await response;
	return body?.ok === false ? `${status} ${body.error.code}` : String(status);
}

/** The same, with the error's whole message. */
export async function sentenceOf(response: Promise<CallResult> | CallResult): Promise<string> {
	const { status, body } = await response;
	return body?.ok === false ? `${status} ${body.error.code}: ${body.error.message}` : String(status);
}

/** A signed request. */
export const calls =
	(method: string, path: string, body?: unknown, options?: CallOptions) =>
	(local: LocalGateway): Promise<CallResult> =>
		call(local, method, path, body, options);

/** A text to a contact. */
export const sends =
	(to = ALICE, text?: string, fields?: object) =>
	(local: LocalGateway): Promise<CallResult> =>
		sendText(local, to, text, fields);

/** Attachments to a contact. */
export const attaches = (attachments: readonly object[], fields?: object) =>
	calls("POST", "/message/attachment", { to: ALICE, attachments, ...fields });

/** A voice note to a contact. */
export const speaks = (attachment: object) => calls("POST", "/message/voice", { to: ALICE, attachment });

/** A tapback at the last message. */
export const tapsBack = (local: LocalGateway): Promise<CallResult> => {
	const { messageGuid } = local.sent.at(-1) ?? {};
	return call(local, "POST", "/message/tapback", { messageGuid, action: "add", reaction: "love" });
};

/** A contact that is mapped. */
export const maps = (userNumber = ALICE) => calls("POST", "/mapping", { userNumber });

/** A mapping that is reset. */
export const resets = calls("POST", pathOf("/mapping", ALICE, "/reset"));

/** An agent that is blocked. */
export const blocks = (agent = AGENT) => calls("POST", pathOf("/agent", agent, "/block"), { reason: "Spam" });

/** An agent that leaves the network, and one that is back. */
export const goesOffline: Step = (local) => local.agent(AGENT).goOffline();
export const goesOnline: Step = (local) => local.agent(AGENT).goOnline();

/** A contact that reacts to a message, to the last one by default. */
export const reacts =
	(reaction = "love", options?: Parameters<ReturnType<LocalGateway["contact"]>["react"]>[1]): Step =>
	(local) =>
		local.contact(ALICE).react(reaction, options);

/** A text that a contact writes. */
export const writes =
	(contact = ALICE, options?: { to?: string; groupId?: string }) =>
	(local: LocalGateway): Promise<unknown> =>
		local.contact(contact).reply("Hi", options);

/** Time that passes. */
export const waits =
	(seconds: number): Step =>
	(local) =>
		local.clock.advance(seconds * 1_000);

/** Everything that follows. */
export const settles: Step = (local) => local.settled();
