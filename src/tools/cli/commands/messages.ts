import { Argument, type Command } from "commander";
import { REACTIONS } from "../../../library/catalogue/shared.ts";
import type { ActionMaker } from "../action.ts";
import { examples } from "../examples.ts";
import { usageError } from "../failure.ts";
import { createClient, type GatewayOptions, withGatewayOptions } from "../gateway-options.ts";
import { printable } from "../printable.ts";
import { pretty } from "../terminal.ts";

interface ChatOptions extends GatewayOptions {
	to?: string;
	group?: string;
}

interface TapbackOptions extends GatewayOptions {
	remove?: boolean;
}

/** Adds the chat verbs other than `send`. */
export function addMessageCommands(program: Command, action: ActionMaker): void {
	withGatewayOptions(program.command("tapback <messageGuid> <reaction>"))
		.description("React to a message: with love, or another reaction that the gateway knows.")
		.option("--remove", "remove the reaction")
		.addHelpText(
			"after",
			`${examples("messaging-gateway tapback 5f0c9d4e-0000-4000-8000-000000000000 love")}

The messageGuid is not the messageId that \`send\` prints first: once a message is sent,
\`messaging-gateway message MESSAGE_ID\` shows it. The webhooks of a message have it, too.

The specification names only love. ${assumedReactions()} are assumed, and any
other string is passed on: the gateway decides.`,
		)
		.action(
			action(async (terminal, messageGuid: string, reaction: string, options: TapbackOptions) => {
				const { messages } = await createClient(options);
				const input = { messageGuid, reaction };
				const done = await (options.remove ? messages.removeTapback(input) : messages.addTapback(input));
				terminal.show(done, () => (options.remove ? `removed ${reaction}` : `reacted with ${reaction}`));
				return undefined;
			}),
		);
	withChatOptions(program.command("typing").addArgument(new Argument("<state>").choices(["start", "stop"])))
		.description("Show or hide the typing indicator.")
		.addHelpText("after", examples("messaging-gateway typing start --to +15551234567"))
		.action(
			action(async (terminal, state: string, options: ChatOptions) => {
				const { messages } = await createClient(options);
				const chat = chatOf(options);
				const shown = await (state === "start" ? messages.startTyping(chat) : messages.stopTyping(chat));
				terminal.show(shown, () => (state === "start" ? "typing" : "not typing"));
				return undefined;
			}),
		);
	withChatOptions(program.command("mark-read"))
		.description("Mark a chat as read, as your application.")
		.addHelpText("after", examples("messaging-gateway mark-read --to +15551234567"))
		.action(
			action(async (terminal, options: ChatOptions) => {
				const { messages } = await createClient(options);
				const marked = await messages.markRead(chatOf(options));
				terminal.show(marked, () => "marked as read");
				return undefined;
			}),
		);
	withGatewayOptions(program.command("capability <number>"))
		.description("Show whether a number uses the native messaging network.")
		.addHelpText("after", examples("messaging-gateway capability +15551234567"))
		.action(
			action(async (terminal, number: string, options: GatewayOptions) => {
				const capability = await (await createClient(options)).messages.checkCapability(number);
				terminal.show(capability, () => printable(`${capability.number} uses ${capability.service}`));
				return undefined;
			}),
		);
	withGatewayOptions(program.command("message <messageId>"))
		.description("Show a message and its delivery status.")
		.addHelpText("after", examples("messaging-gateway message 5f0c9d4e-0000-4000-8000-000000000000"))
		.action(
			action(async (terminal, messageId: string, options: GatewayOptions) => {
				const { message } = await (await createClient(options)).messages.get(messageId);
				terminal.show(message, () => pretty(message));
				return undefined;
			}),
		);
}

/** The reactions that the specification does not name, as a list for a sentence. */
function assumedReactions(): string {
	const assumed = REACTIONS.filter((reaction) => reaction !== "love");
	return `${assumed.slice(0, -1).join(", ")} and ${assumed.at(-1)}`;
}

function withChatOptions(command: Command): Command {
	return withGatewayOptions(command)
		.option("--to <number>", "the contact, in E.164")
		.option("--group <id>", "the group");
}

function chatOf({ to, group }: ChatOptions) {
	if (to !== undefined && group === undefined) return { to };
	if (group !== undefined && to === undefined) return { groupId: group };
	throw usageError("give exactly one of --to and --group");
}
