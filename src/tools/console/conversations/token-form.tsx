import { useState } from "preact/hooks";
import { readPastedToken } from "../token.ts";
import { Field } from "./controls.tsx";

/** Asks the user for the token, and explains where to find it. */
export function TokenForm({
	problem,
	onToken,
}: {
	problem: string | undefined;
	onToken: (token: string) => void;
}) {
	const [pasted, setPasted] = useState("");
	const token = readPastedToken(pasted);
	return (
		<form
			class="token-form panel"
			onSubmit={(event) => {
				event.preventDefault();
				if (token !== "") onToken(token);
			}}
		>
			<h1>One more step</h1>
			{problem !== undefined && (
				<p class="bad" role="alert">
					{problem}
				</p>
			)}
			<p>
				Open the link that the command printed, or paste its token. This browser keeps it, so you do this
				once. The token keeps other pages in your browser away from your gateway.
			</p>
			<Field label="Token, or the whole link">
				<input
					type="password"
					autocomplete="off"
					required
					value={pasted}
					onInput={(event) => setPasted(event.currentTarget.value)}
				/>
			</Field>
			<button type="submit" class="primary">
				Open the console
			</button>
		</form>
	);
}
