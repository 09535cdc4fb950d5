import { copyText } from "../parts/copy-text.ts";
import { useConsole } from "./console-context.ts";
import { Icon } from "./icons.tsx";

/** A button that copies a source which is written on demand. */
export function CopySource(props: {
	/** The label of the button, such as `Copy as test`. */
	label: string;
	/** What is copied, such as `The test`. */
	of: string;
	write: () => Promise<string>;
}) {
	const { label, of, write } = props;
	const { notify } = useConsole();
	const copy = async (): Promise<void> => {
		try {
			if (!(await copyText(await write()))) throw new Error("The browser denies access to the clipboard.");
			notify({ tone: "done", text: `${of} is on the clipboard.` });
		} catch (error) {
			notify({ tone: "problem", text: error instanceof Error ? error.message : String(error) });
		}
	};
	return (
		<button type="button" onClick={() => void copy()}>
			<Icon name="code" /> <span>{label}</span>
		</button>
	);
}
