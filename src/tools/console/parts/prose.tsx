/** A sentence in which the parts between backticks are code. */
export function Prose({ text }: { text: string }) {
	return (
		<>
			{text.split("`").map((part, at) =>
				at % 2 === 1 ? (
					// biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text keep their places
					<code key={at}>{part}</code>
				) : (
					part
				),
			)}
		</>
	);
}
