import type { OperationId } from "../../library/catalogue/index.ts";
import type { TargetFields } from "../../library/catalogue/input-fields.ts";
import type { Operation } from "../../library/catalogue/operation.ts";
import type { SendOptions } from "../../library/catalogue/sends.ts";
import { attachmentsContent, type Content, describeContent, textContent, voiceContent } from "./content.ts";
import { decodeInput } from "./decode-input.ts";
import type { RequestFault } from "./faults.ts";
import { findChat } from "./find-chat.ts";
import type { SendFault } from "./history.ts";
import type { Routing } from "./router.ts";
import type { World } from "./world.ts";

/** A request that a fault affects. */
interface FaultedRequest {
	readonly routing: Routing;
	readonly url: URL;
	readonly body: Uint8Array | undefined;
}

interface Send {
	readonly input: TargetFields & SendOptions;
	readonly content: Content;
}

/** Notes that a fault affects a send, for writing the conversation as a test. */
export async function recordFaultedSend(
	world: World,
	request: FaultedRequest,
	fault: RequestFault,
): Promise<void> {
	if (!world.history.isOn) return;
	try {
		const send = await readSend(world, request);
		if (send === undefined) return;
		const { input, content } = send;
		const known = world.conversations.find(findChat(world, input));
		const key = known?.key ?? input.to;
		if (key === undefined) return;
		const sent = describeContent(content, input.from ?? known?.agentNumber, world.settings.rules);
		world.history.add(key, { type: "faulted", fault: toSendFault(fault), content: sent });
	} catch {
		// A request that cannot be decoded is not a send.
	}
}

async function readSend(
	{ settings }: World,
	{ routing, url, body }: FaultedRequest,
): Promise<Send | undefined> {
	const { match } = routing;
	if (match === undefined || body === undefined) return undefined;
	const request = { match, query: url.searchParams, body };
	const read = <Input>(operation: Operation<Input, unknown, OperationId>): Promise<Input> =>
		decodeInput(operation, request, settings);
	const { operation } = match;
	switch (operation.id) {
		case "messages.sendText": {
			const input = await read(operation);
			return { input, content: textContent(input) };
		}
		case "messages.sendAttachments": {
			const input = await read(operation);
			return { input, content: attachmentsContent(input) };
		}
		case "messages.sendVoiceNote": {
			const input = await read(operation);
			return { input, content: voiceContent(input) };
		}
		default:
			return undefined;
	}
}

function toSendFault(fault: RequestFault): SendFault {
	if (fault.kind !== "respond") return fault;
	const { status, retryAfterSeconds } = fault;
	return { kind: "respond", status, retryAfterSeconds };
}
