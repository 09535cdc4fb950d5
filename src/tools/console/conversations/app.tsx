import { useCallback, useMemo, useState } from "preact/hooks";
import { createPageClient } from "../control-client.ts";
import { keepToken, replaceRejected } from "../token.ts";
import { useToken } from "../use-token.ts";
import { TokenForm } from "./token-form.tsx";
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
