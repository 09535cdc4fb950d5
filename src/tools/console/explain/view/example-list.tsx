import { EXAMPLES, type Example } from "../examples.ts";

/** The examples to load. */
export function ExampleList({ onLoad }: { onLoad: (example: Example) => void }) {
	return (
		<ul class="examples">
			{EXAMPLES.map((example) => (
				<li key={example.title}>
					<button type="button" onClick={() => onLoad(example)}>
						<strong>{example.title}</strong>
						<span class="example-story">{example.story}</span>
					</button>
				</li>
			))}
		</ul>
	);
}
