import { CopyButton } from "./copy-button.tsx";
import { highlight, type Language } from "./highlight.ts";

interface CodeBlockProps {
	readonly text: string;
	readonly language?: Language;
	/** What stands above it, beside a button that copies it; left out, there is neither. */
	readonly title?: string;
}

/** A text to read. Long lines wrap, so that nothing hides behind a scroll bar. */
export function CodeBlock({ text, language = "text", title }: CodeBlockProps) {
	return (
		<div class="code-block">
			{title !== undefined && (
				<div class="code-bar">
					<span>{title}</span>
					<CopyButton of={title.toLowerCase()} text={text} />
				</div>
			)}
			<pre>
				<code>
					{highlight(text, language).map(({ kind, text: piece }, at) =>
						kind === "plain" ? (
							piece
						) : (
							// biome-ignore lint/suspicious/noArrayIndexKey: the tokens of one text keep their places
							<span key={at} class={`token-${kind}`}>
								{piece}
							</span>
						),
					)}
				</code>
			</pre>
		</div>
	);
}
