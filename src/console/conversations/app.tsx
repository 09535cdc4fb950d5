import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { ControlClient } from "../control-client.ts";
import { forgetToken, keepToken, takeToken } from "../token.ts";
import { TokenForm } from "./token-form.tsx";
import { Workspace } from "./workspace.tsx";

/** The page /. It shows the token form until the gateway accepts a token. */
export function ConversationsApp() {
	const [token, setToken] = useState(takeToken);
	const [problem, setProblem] = useState<string>();
	useEffect(() => {
		// A link opened in the same tab only changes the fragment; the page does not reload.
		const update = (): void => setToken(takeToken());
		addEventListener("hashchange", update);
		return () => removeEventListener("hashchange", update);
	}, []);
	const client = useMemo(() => (token === null ? null : new ControlClient(token)), [token]);
	const onRejected = useCallback((reason: string) => {
		forgetToken();
		setToken(null);
		setProblem(reason);
	}, []);
	const onToken = useCallback((entered: string) => {
		keepToken(entered);
		setToken(entered);
	}, []);
	if (client === null) return <TokenForm problem={problem} onToken={onToken} />;
	return <Workspace client={client} onRejected={onRejected} />;
}
