import { useConsole } from "./console-context.ts";
import { linkTo } from "./hooks/use-selection.ts";
import { Icon } from "./icons.tsx";
import type { GatewayState } from "./state/gateway-state.ts";

/** A link to the bubble of a message. A message that is not in the page has none. */
export function MessageLink(props: { messageId: string | undefined; gateway: GatewayState; word: string }) {
	const { messageId, gateway, word } = props;
	const { showMessage } = useConsole();
	const message = messageId === undefined ? undefined : gateway.messages.get(messageId);
	if (message === undefined) return null;
	return (
		<p>
			<Icon name="chat" />{" "}
			<a
				href={linkTo(message.conversationKey)}
				onClick={(event) => {
					event.preventDefault();
					showMessage(message);
				}}
			>
				{word}
			</a>
		</p>
	);
}
