import { copyText } from "../parts/copy-text.ts";
import { useConsole } from "./console-context.ts";
import { Icon } from "./icons.tsx";
import { MagicNumberTable } from "./list/magic-numbers.tsx";
import { NewContactForm } from "./list/new-contact-form.tsx";
import { writeSendCommand } from "./state/send-command.ts";

/** What to do next, shown if no thread is selected. */
export function Welcome({ isFirst, baseUrl }: { isFirst: boolean; baseUrl: string }) {
	return (
		<section class="pane thread-pane welcome" aria-labelledby="welcome-title">
			<div class="welcome-content">
				<h2 id="welcome-title">{isFirst ? "No messages yet" : "Choose a conversation"}</h2>
				<p>{isFirst ? "Send one from a terminal, or from your own code:" : "Or send another message:"}</p>
				<Command text={writeSendCommand(baseUrl)} />
				{isFirst && (
					<div class="card">
						<h3>Write as a new contact</h3>
						<p class="muted">Your webhook URL receives an inbound_message.</p>
						<NewContactForm />
					</div>
				)}
				<h3>Numbers with special behaviour</h3>
				<p class="muted">Messages to every other number are sent, delivered and read.</p>
				<MagicNumberTable />
			</div>
		</section>
	);
}

function Command({ text }: { text: string }) {
	const { notify } = useConsole();
	const copy = async (): Promise<void> => {
		const isCopied = await copyText(text);
		notify(
			isCopied
				? { tone: "done", text: "The command is on the clipboard." }
				: {
						tone: "problem",
						text: "The browser denies access to the clipboard: select the command and copy it.",
					},
		);
	};
	return (
		<p class="command">
			<code>{text}</code>
			<button type="button" class="quiet" onClick={() => void copy()}>
				<Icon name="copy" /> Copy
				<span class="visually-hidden"> the command</span>
			</button>
		</p>
	);
}
