import { useCallback, useMemo, useState } from "preact/hooks";
import { createPageClient } from "../control-client.ts";
import { Form, TextField } from "../parts/fields.tsx";
import { keepToken, readPastedToken, replaceRejected, useToken } from "../token.ts";
import { Workspace } from "./workspace.tsx";

/** The page /. It shows the token form until the gateway accepts a token. */
export function ConversationsApp() {
	const [token, setToken] = useToken();
	const [problem, setProblem] = useState<string>();
	const client = useMemo(() => (token === null ? null : createPageClient(token)), [token]);
	const onRejected = useCallback(
		(reason: string) => {
			setToken(token && replaceRejected(token));
			setProblem(reason);
		},
		[token, setToken],
	);
	const onToken = (entered: string): void => {
		keepToken(entered);
		setToken(entered);
	};
	if (client === null) return <TokenForm problem={problem} onToken={onToken} />;
	return <Workspace client={client} onRejected={onRejected} />;
}

function TokenForm(props: { problem: string | undefined; onToken: (token: string) => void }) {
	const { problem, onToken } = props;
	const [pasted, setPasted] = useState("");
	const token = readPastedToken(pasted);
	return (
		<Form class="token-form panel" onSubmit={() => token !== "" && onToken(token)}>
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
			<TextField label="Token, or the whole link" isSecret isRequired value={pasted} onInput={setPasted} />
			<button type="submit" class="primary">
				Open the console
			</button>
		</Form>
	);
}
