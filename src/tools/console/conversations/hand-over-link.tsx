import { type HandOvers, handOver } from "../hand-over.ts";
import { Icon } from "./icons.tsx";

/** A link to another page that hands it a value within this tab. */
export function HandOverLink<Path extends keyof HandOvers>(props: {
	path: Path;
	fragment?: string;
	value: HandOvers[Path];
	label: string;
}) {
	const { path, fragment, value, label } = props;
	return (
		<a
			class="button"
			href={fragment === undefined ? path : `${path}#${fragment}`}
			onClick={({ ctrlKey, metaKey, shiftKey }) => {
				// A page in another tab cannot read the value.
				if (!ctrlKey && !metaKey && !shiftKey) handOver(path, value);
			}}
		>
			<Icon name="link" /> {label}
		</a>
	);
}
