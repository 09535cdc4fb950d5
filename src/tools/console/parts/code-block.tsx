import type { ComponentChildren } from "preact";
import { CopyButton } from "./copy-button.tsx";
import { highlight, type Language } from "./highlight.ts";

interface CodeBlockProps {
	readonly title: string;
	/** More about it, beside the title. */
	readonly about?: string;
	/** What the button copies; without it there is no button. */
	readonly text: string | undefined;
	readonly language?: Language;
	readonly children?: ComponentChildren;
}

/** Highlighted code with its title. Long lines wrap instead of scrolling. */
export function CodeBlock({ title, about, text, language = "text", children }: CodeBlockProps) {
	return (
		<div class="code-block">
			<div class="code-bar beside">
				<span>
					<strong>{title}</strong> {about}
				</span>
				{text !== undefined && <CopyButton of={title.toLowerCase()} text={text} />}
			</div>
			{children ?? (
				<pre dir="auto">
					<code>
						{highlight(text ?? "", language).map(({ kind, text: piece }, at) =>
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
			)}
		</div>
	);
}
