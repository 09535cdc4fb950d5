import {
	type AnyMessagingGatewayError,
	defineOperation,
	defineProfile,
	isMessagingGatewayError,
	type Mapping,
	MessagingGateway,
	RateLimitError,
	type Schema,
	type SendTextInput,
} from "messaging-gateway";

const profile = defineProfile({ vendor: { headerPrefix: "X-Acme" } });
const gateway = new MessagingGateway({ baseUrl: "https://gateway.example", profile, maxRetries: undefined });

/** Sends a text. @returns its status. */
export async function send(input: SendTextInput): Promise<string> {
	const { message } = await gateway.messages.sendText({ ...input, text: "Hello" });
	return message.status;
}

/** Reads every mapping, over all pages. */
export async function readMappings(): Promise<Mapping[]> {
	const mappings: Mapping[] = [];
	for await (const mapping of gateway.mappings.list()) mappings.push(mapping);
	return mappings;
}

/** Calls an operation that the package does not have. */
export async function pinChat(input: Schema<{ chatGuid: string }>, data: Schema<{ pinned: boolean }>) {
	const pin = defineOperation({ id: "chats.pin", method: "POST", path: "/chat/{chatGuid}/pin", input, data });
	const { data: result, attempts } = await gateway.call(pin, { chatGuid: "c-1" }).withResponse();
	return result.pinned && attempts > 0;
}

/** What to do after a failure. */
export function advise(error: unknown): string {
	if (error instanceof RateLimitError) return `again in ${error.retryAfterMs ?? 0} ms`;
	if (!isMessagingGatewayError(error)) throw error;
	if ("outcome" in error) return `${error.code}: ${error.outcome}`;
	return describe(error);
}

function describe(error: AnyMessagingGatewayError): string {
	switch (error.code) {
		case "duplicate_message":
			return `${error.duplicate?.timeRemaining} s left`;
		default:
			return error.message;
	}
}
