import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { ControlClient } from "../control-client.ts";
import { forgetToken, keepToken, takeToken } from "../token.ts";
import { TokenForm } from "./token-form.tsx";
import { Workspace } from "./workspace.tsx";

/** The page: it asks for a token until it has one that the gateway takes. */
export function ConversationsApp() {
	const [token, setToken] = useState(takeToken);
	const [refusal, setRefusal] = useState<string>();
	useEffect(() => {
		// A link that is opened in the same tab changes the fragment alone, and loads nothing.
		const update = (): void => setToken(takeToken());
		addEventListener("hashchange", update);
		return () => removeEventListener("hashchange", update);
	}, []);
	const client = useMemo(() => (token === null ? null : new ControlClient(token)), [token]);
	const onRefused = useCallback((reason: string) => {
		forgetToken();
		setToken(null);
		setRefusal(reason);
	}, []);
	const onToken = useCallback((entered: string) => {
		keepToken(entered);
		setToken(entered);
	}, []);
	if (client === null) return <TokenForm refusal={refusal} onToken={onToken} />;
	return <Workspace client={client} onRefused={onRefused} />;
}
