import type { RunningDevServer } from "../../test/support/dev-server.ts";

/** The contact whose conversation is opened. */
export const OPENED_CONTACT = contactOf(0);

const PARALLEL = 20;

/**
 * Half of the messages are in the conversation that is opened, the others in all in turn. The application sends every
 * fourth, the contacts write the others.
 */
export async function fill(
	dev: RunningDevServer,
	{ conversations, messages }: { readonly conversations: number; readonly messages: number },
): Promise<void> {
	await inParallel(messages, async (at) => {
		const contact = partnerOf(at, conversations);
		const text = textOf(at);
		if (Math.floor(at / 2) % 4 === 3) await dev.client.messages.sendText({ to: contact, text });
		else await dev.act({ type: "reply", from: contact, text });
	});
	await dev.act({ type: "settle" });
}

/** The contacts write, in the same conversations. */
export function burst(
	dev: RunningDevServer,
	options: { readonly messages: number; readonly conversations: number; readonly atOnce: number },
): Promise<void> {
	const { messages, conversations, atOnce } = options;
	return inParallel(
		messages,
		async (at) => {
			await dev.act({ type: "reply", from: partnerOf(at, conversations), text: textOf(at) });
		},
		atOnce,
	);
}

function partnerOf(at: number, conversations: number): string {
	return contactOf(at % 2 === 0 ? 0 : ((at - 1) / 2) % conversations);
}

function contactOf(at: number): string {
	return `+1555${String(1_000_000 + at)}`;
}

/** From one line to six. */
function textOf(at: number): string {
	return `Message ${at}: ${"something to read, ".repeat(1 + ((at * 7) % 20))}and an end.`;
}

async function inParallel(
	times: number,
	run: (at: number) => Promise<void>,
	atOnce = PARALLEL,
): Promise<void> {
	let next = 0;
	const work = async (): Promise<void> => {
		while (next < times) await run(next++);
	};
	await Promise.all(Array.from({ length: atOnce }, work));
}
