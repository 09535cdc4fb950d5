import type { Reaction } from "../../../../library/catalogue/shared.ts";
import type { MessageView } from "../../../control/contract.ts";
import { useConsole } from "../console-context.ts";
import { Popover, Toolbar } from "../controls.tsx";

/** The known reactions and their icons in a 16 × 16 view box, because emoji differ between fonts. */
export const REACTION_PATHS: ReadonlyMap<Reaction, string> = new Map<Reaction, string>([
	["love", "M8 13.5C3 10 1.8 7.8 1.8 5.8A3.2 3.2 0 0 1 8 4.6a3.2 3.2 0 0 1 6.2 1.2c0 2-1.2 4.2-6.2 7.7z"],
	[
		"like",
		"M1.8 7h2.6v6.2H1.8zm3.8 0 2.6-5.2c1.2 0 1.9.9 1.7 2L9.5 6h3.6c.9 0 1.5.8 1.3 1.6l-1.1 4.5c-.2.7-.7 1.1-1.4 1.1H5.6z",
	],
	[
		"dislike",
		"M1.8 9h2.6V2.8H1.8zm3.8 0 2.6 5.2c1.2 0 1.9-.9 1.7-2L9.5 10h3.6c.9 0 1.5-.8 1.3-1.6l-1.1-4.5c-.2-.7-.7-1.1-1.4-1.1H5.6z",
	],
	[
		"laugh",
		"M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13M4.3 8.8h7.4a3.7 3.7 0 0 1-7.4 0M5.6 5a1 1 0 1 0 0 2 1 1 0 0 0 0-2m4.8 0a1 1 0 1 0 0 2 1 1 0 0 0 0-2",
	],
	[
		"emphasize",
		"M4.2 2h2.2l-.4 7.5H4.6zm5.2 0h2.2l-.4 7.5H9.8zM5.3 11.2a1.2 1.2 0 1 0 0 2.4 1.2 1.2 0 0 0 0-2.4m5.2 0a1.2 1.2 0 1 0 0 2.4 1.2 1.2 0 0 0 0-2.4",
	],
	[
		"question",
		"M4.6 5.4C4.7 3.3 6.1 2 8.1 2s3.4 1.2 3.4 3c0 1.4-.7 2.1-1.7 2.8-.8.6-1 .9-1 1.9H7c0-1.7.5-2.3 1.5-3 .8-.6 1.1-.9 1.1-1.6 0-.8-.6-1.3-1.5-1.3-1 0-1.6.6-1.7 1.7zM7.9 11.2a1.2 1.2 0 1 0 0 2.4 1.2 1.2 0 0 0 0-2.4",
	],
]);

/** A reaction as an icon; unknown ones, such as emoji, as characters. */
export function ReactionGlyph({ reaction }: { reaction: string }) {
	const path = REACTION_PATHS.get(reaction);
	if (path === undefined) return <span>{reaction}</span>;
	return (
		<svg
			class={`reaction-glyph reaction-${reaction}`}
			viewBox="0 0 16 16"
			width="16"
			height="16"
			role="img"
			aria-label={reaction}
		>
			<path d={path} />
		</svg>
	);
}

export function Tapbacks({ tapbacks }: { tapbacks: MessageView["tapbacks"] }) {
	if (tapbacks.length === 0) return null;
	return (
		<ul class="tapbacks" aria-label="Reactions">
			{tapbacks.map(({ by, reaction }) => (
				<li key={`${by} ${reaction}`} title={`${reaction}, by ${by}`}>
					<ReactionGlyph reaction={reaction} />
					<span class="visually-hidden"> by {by}</span>
				</li>
			))}
		</ul>
	);
}

/** The button and menu with which the contact reacts to a message, or takes its reaction back. */
export function ReactionMenu(props: {
	from: string;
	messageGuid: string;
	tapbacks: MessageView["tapbacks"];
	isReachable: boolean;
}) {
	const { from, messageGuid, tapbacks, isReachable } = props;
	const { act } = useConsole();
	const own = tapbacks.find(({ by }) => by === from)?.reaction;
	return (
		<Popover
			label={`React as ${from}`}
			icon="react"
			class="icon-button react-button"
			tabIndex={isReachable ? 0 : -1}
		>
			{(close) => (
				<Toolbar label="Reactions" class="reaction-menu" isFocused>
					{Array.from(REACTION_PATHS.keys(), (reaction) => (
						<button
							key={reaction}
							type="button"
							title={reaction}
							aria-pressed={reaction === own}
							onClick={() => {
								const action = reaction === own ? "remove" : "add";
								close();
								void act({ type: "react", from, reaction, messageGuid, action });
							}}
						>
							<ReactionGlyph reaction={reaction} />
						</button>
					))}
				</Toolbar>
			)}
		</Popover>
	);
}
