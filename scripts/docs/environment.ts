/** The environment variables that the package reads, in one list. */

interface Variable {
	readonly name: string;
	/** What it holds. */
	readonly meaning: string;
	/** What reads it, and when. */
	readonly readBy: string;
}

/** A test compares the names with those in the code. */
export const VARIABLES: readonly Variable[] = [
	{
		name: "MESSAGING_GATEWAY_BASE_URL",
		meaning: "The gateway's base URL",
		readBy: "the client and `signedKy` at the first call, the command, `connect`",
	},
	{
		name: "MESSAGING_GATEWAY_APP_ID",
		meaning: "Your app id",
		readBy: "the client and `signedKy` at the first call, the command",
	},
	{
		name: "MESSAGING_GATEWAY_APP_SECRET",
		meaning: "The App Secret, which signs your requests",
		readBy: "the client and `signedKy` at the first call, `diagnose`, the command",
	},
	{
		name: "MESSAGING_GATEWAY_WEBHOOK_SECRET",
		meaning: "The secret that verifies webhooks, which is different from the App Secret",
		readBy: "`createWebhookHandler` at its first delivery, `verifyWebhook`, the chat adapter, the command",
	},
	{
		name: "MESSAGING_GATEWAY_DIGEST_SECRET",
		meaning:
			"A secret that you make yourself (`openssl rand -hex 32`): it keys what a sender stores of each input",
		readBy: "`createSender` at its first send",
	},
	{
		name: "MESSAGING_GATEWAY_CAPTURE_KEY",
		meaning: "A key that you make yourself (`openssl rand -base64 32`): it encrypts captured events",
		readBy: "`captureFailures` at its first failure, `messaging-gateway replay` and `verify`",
	},
	{
		name: "MESSAGING_GATEWAY_CONTROL_TOKEN",
		meaning: "The token that opens the control routes of a local gateway",
		readBy: "the command, `connect`",
	},
	{
		name: "DUPLICATE_SAME_NUMBER_WINDOW_SECONDS",
		meaning: "The duplicate window of a contact at a local gateway, in seconds",
		readBy: "`messaging-gateway dev`",
	},
	{
		name: "XDG_STATE_HOME",
		meaning: "The folder for the secrets and the state of your local gateway",
		readBy: "the command",
	},
	{
		name: "HTTPS_PROXY, HTTP_PROXY, NO_PROXY",
		meaning: "Your proxy, and the hosts that need none",
		readBy: "`messaging-gateway doctor`, and Node's `fetch` with `NODE_USE_ENV_PROXY=1`",
	},
	{ name: "NO_COLOR, FORCE_COLOR", meaning: "Whether lines have colors", readBy: "the command" },
];
