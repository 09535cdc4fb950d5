import { CopyButton } from "./copy-button.tsx";
import { highlight, type Language } from "./highlight.ts";

interface CodeBlockProps {
	readonly text: string;
	readonly language?: Language;
	/** A title above the code, with a copy button beside it. Without a title there is no button. */
	readonly title?: string;
}

/** Highlighted code. Long lines wrap instead of scrolling. */
export function CodeBlock({ text, language = "text", title }: CodeBlockProps) {
	return (
		<div class="code-block">
			{title !== undefined && (
				<div class="code-bar">
					<span>{title}</span>
					<CopyButton of={title.toLowerCase()} text={text} />
				</div>
			)}
			<pre dir="auto">
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
