import { useState } from "preact/hooks";
import { readPastedToken } from "../token.ts";
import { Field } from "./controls.tsx";

/** Asks for the token, and says where to find it. */
export function TokenForm({
	refusal,
	onToken,
}: {
	refusal: string | undefined;
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
			{refusal !== undefined && (
				<p class="bad" role="alert">
					{refusal}
				</p>
			)}
			<p>
				Open the link that the command printed, or paste its token. It is a new one at each start, and keeps
				other pages in your browser away from your gateway.
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
