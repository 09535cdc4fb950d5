import { useConsole, useGateway } from "./console-context.ts";
import { CopySource } from "./controls.tsx";

/** Copies what an application needs to call the gateway and to verify its webhooks, with the secrets. */
export function CopyVariables(props: { class?: string }) {
	const { client } = useConsole();
	const { baseUrl, appId } = useGateway();
	const write = async (): Promise<string> => {
		const { appSecret, webhookSecret } = await client.get("getCredentials");
		return [
			`MESSAGING_GATEWAY_BASE_URL=${baseUrl}`,
			`MESSAGING_GATEWAY_APP_ID=${appId}`,
			`MESSAGING_GATEWAY_APP_SECRET=${appSecret}`,
			`MESSAGING_GATEWAY_WEBHOOK_SECRET=${webhookSecret}\n`,
		].join("\n");
	};
	return <CopySource label="Copy for .env, with the secrets" {...props} write={write} />;
}
