import { REACTION_PATHS } from "./reaction-paths.ts";

/** A reaction as an icon; unknown ones, such as emoji, as characters. */
export function ReactionGlyph({ reaction }: { reaction: string }) {
	const path = REACTION_PATHS.get(reaction);
	if (path === undefined) return <span class="reaction-text">{reaction}</span>;
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

/** The reactions to a message. */
export function Tapbacks({
	tapbacks,
}: {
	tapbacks: readonly { readonly by: string; readonly reaction: string }[];
}) {
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
