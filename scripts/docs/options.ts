/** The reference of the options: each object that a caller writes, with the types, values and defaults of its fields. */
import { globSync, readFileSync } from "node:fs";
import { type Member, readMembers } from "./members.ts";
import { showDefault, table } from "./table.ts";

/** An object of options: its heading, what takes it, and the interfaces that declare it. */
type Options = readonly [heading: string, taker: string, file: string, ...interfaces: (string | Chosen)[]];

/** Members of an interface that exclude those of another one. */
interface Chosen {
	readonly of: string;
	readonly only: readonly string[];
	readonly insteadOf: string;
}

const HANDLER = "src/library/webhooks/handler-options.ts";
const LOCAL = "src/tools/local-gateway/options.ts";
const PROFILE = "src/library/catalogue/profile.ts";

export const OPTIONS: readonly Options[] = [
	["Client", "new MessagingGateway(options)", "src/library/client/options.ts", "ClientOptions"],
	[
		"Response validation",
		"the client's `responseValidation`",
		"src/library/client/options.ts",
		"ResponseValidation",
	],
	["Client hooks", "the client's `hooks`", "src/library/client/observer.ts", "Hooks"],
	[
		"One call",
		"the last argument of every method of the client",
		"src/library/client/options.ts",
		"CallOptions",
	],
	[
		"Request of your own",
		"`gateway.request`, together with the options of one call",
		"src/library/client/caller.ts",
		"RequestOptions",
	],
	["Target of a send", "the input of every send", "src/library/catalogue/input-fields.ts", "TargetFields"],
	["Fields of a send", "the input of every send", "src/library/catalogue/sends.ts", "SendOptions"],
	["Sender", "createSender(options)", "src/library/sends/options.ts", "SenderOptions"],
	[
		"One send of a sender",
		"the last argument of a sender's methods, together with the options of one call",
		"src/library/sends/options.ts",
		"SendKeyOptions",
	],
	["List of sends", "listSends(store, input)", "src/library/sends/list-sends.ts", "ListSendsOptions"],
	[
		"Webhook handler",
		"createWebhookHandler(options)",
		HANDLER,
		{ of: "WithHandlers", only: ["on"], insteadOf: "enqueue" },
		{ of: "WithQueue", only: ["enqueue"], insteadOf: "on" },
		{ of: "WithStore", only: ["store", "leaseMs"], insteadOf: "inbox" },
		{ of: "WithInbox", only: ["inbox"], insteadOf: "store" },
		"WebhookHandlerSettings",
	],
	["Event handlers", "the webhook handler's `on`", HANDLER, "EventHandlers"],
	["Webhook hooks", "the webhook handler's `hooks`", HANDLER, "WebhookHooks"],
	[
		"Webhook verification",
		"verifyWebhook(delivery, options)",
		"src/library/webhooks/verify-signature.ts",
		"VerifyWebhookOptions",
	],
	[
		"Verification of a Request",
		"`verifyWebhookRequest`, together with the options of webhook verification",
		"src/library/webhooks/verify-webhook.ts",
		"VerifyWebhookRequestOptions",
	],
	[
		"Explanation of a rejected delivery",
		"`explainWebhookFailure`, together with the options of webhook verification",
		"src/tools/doctor/webhooks/explain-webhook-failure.ts",
		"ExplainWebhookOptions",
	],
	[
		"Captured failures",
		"captureFailures(options)",
		"src/library/webhooks/capture/capture-failures.ts",
		"CaptureOptions",
	],
	["Memory store", "memoryStore(options)", "src/library/stores/memory.ts", "MemoryStoreOptions"],
	["Redis store", "redisStore(redis, options)", "src/library/stores/redis-store.ts", "RedisStoreOptions"],
	[
		"PostgreSQL store and inbox",
		"`postgresStore`, `postgresInbox` and `postgresSendStore`",
		"src/library/stores/postgres-store.ts",
		"PostgresOptions",
	],
	[
		"SQLite file store",
		"`sqliteStore` and `sqliteSendStore`",
		"src/library/stores/sqlite-store.ts",
		"SqliteStoreOptions",
	],
	[
		"SQLite client store",
		"`sqliteClientStore` and `sqliteClientSendStore`",
		"src/library/stores/sqlite-client.ts",
		"SqliteClientOptions",
	],
	[
		"DynamoDB store",
		"dynamodbStore(client, options)",
		"src/library/stores/dynamodb-store.ts",
		"DynamodbStoreOptions",
	],
	[
		"Memory store of sends",
		"memorySendStore(options)",
		"src/library/stores/memory-send-store.ts",
		"MemorySendStoreOptions",
	],
	["Chat adapter", "createGatewayAdapter(options)", "src/library/chat/options.ts", "GatewayAdapterOptions"],
	["Chat post", "the chat adapter's `post`", "src/library/chat/post.ts", "PostOptions"],
	["Chat process", "the chat adapter's `process`", "src/library/chat/options.ts", "ProcessOptions"],
	[
		"Request verification",
		"verifyRequest(request, options)",
		"src/library/signing/verify-request.ts",
		"VerifyRequestOptions",
	],
	[
		"Memory store of nonces",
		"memoryNonceStore(options)",
		"src/library/signing/nonce-store.ts",
		"MemoryNonceStoreOptions",
	],
	["Diagnosis", "diagnose(gateway, options)", "src/tools/doctor/calls/diagnosis.ts", "DiagnoseOptions"],
	["Profile", "the `profile` of the client, the webhook functions and the local gateway", PROFILE, "Profile"],
	["Profile: vendor", "`profile.vendor`", PROFILE, "VendorProfile"],
	["Profile: signing", "`profile.signing`", "src/library/signing/dialect.ts", "SigningProfile"],
	[
		"Profile: limits",
		"`profile.limits`: the defaults are the local gateway's, and the client checks only what you set",
		"src/library/catalogue/limits.ts",
		"Limits",
	],
	["Profile: duplicates", "`profile.duplicates`", PROFILE, "DuplicatesProfile"],
	["Local gateway", "createLocalGateway(options)", LOCAL, "LocalGatewayOptions"],
	["Local gateway: rules", "the local gateway's `rules`", LOCAL, "RuleOptions"],
	["Local gateway: duplicate windows", "`rules.duplicateWindowSeconds`", LOCAL, "DuplicateWindows"],
	[
		"Local gateway: delays",
		"the local gateway's `delays`",
		"src/tools/local-gateway/magic-numbers.ts",
		"Delays",
	],
	["Local gateway: server", "listen(gateway, options)", "src/tools/local-gateway/listen.ts", "ListenOptions"],
	[
		"Local gateway: clock",
		"createAdjustableClock(options)",
		"src/tools/local-gateway/adjustable-clock.ts",
		"AdjustableClockOptions",
	],
	["Local gateway: reply", "a contact's `reply`", "src/tools/local-gateway/actors.ts", "ReplyOptions"],
	["Local gateway: reaction", "a contact's `react`", "src/tools/local-gateway/actors.ts", "ReactOptions"],
	[
		"Local gateway: webhook request",
		"createWebhookRequest(kind, overrides, options)",
		"src/tools/local-gateway/webhook-request.ts",
		"WebhookRequestOptions",
	],
	[
		"Control of a running gateway",
		"connect(options)",
		"src/tools/control/client/connect.ts",
		"ConnectOptions",
	],
	["Local gateway: webhooks", "the local gateway's `webhooks`", LOCAL, "WebhookOptions"],
];

/** Types that typedoc prints as they are written, without a field, and the section that has their fields. */
export const SECTIONS_OF_TYPES: Readonly<Record<string, string>> = {
	WebhookHandlerOptions: "Webhook handler",
	SendTextInput: "Target of a send",
	SendAttachmentsInput: "Target of a send",
	SendVoiceNoteInput: "Target of a send",
	SendMessageInput: "Target of a send",
};

/** A type that is longer says less than its name or its sentence. */
const LONGEST_TYPE = 80;

/** A section for each object, with a table of its fields. */
export function showOptions(): string {
	const literals = readLiteralTypes();
	const sections = OPTIONS.map(([heading, taker, file, ...interfaces]) => {
		const members = interfaces.flatMap((part) => {
			if (typeof part === "string") return readMembers(file, part);
			return readMembers(file, part.of)
				.filter(({ name }) => part.only.includes(name))
				.map((member) =>
					member.isOptional
						? member
						: {
								...member,
								isOptional: true,
								text: `**Pass either this or \`${part.insteadOf}\`.** ${member.text}`,
							},
				);
		});
		const place = /^[\w ]+\(/.test(taker) ? `\`${taker}\`` : taker;
		return `## ${heading}\n\nFor ${place}.\n\n${table(
			["option", "type, default and meaning"],
			members.map((member) => [
				`\`${member.name}\``,
				`${showType(member.type, literals)}${describeDefault(member)}<br>${member.text}`,
			]),
		)}`;
	});
	return [listSections(), ...sections].join("\n");
}

/** Links to all sections. */
function listSections(): string {
	const links = OPTIONS.map(
		([heading]) =>
			`[${heading}](#${heading
				.toLowerCase()
				.replace(/[^\w ]/g, "")
				.replaceAll(" ", "-")})`,
	);
	return `${links.join(" · ")}\n`;
}

function describeDefault({ byDefault, isOptional }: Member): string {
	if (byDefault === "") return isOptional ? "" : ", **required**";
	return `. Default: ${showDefault(byDefault)}`;
}

function showType(type: string, literals: ReadonlyMap<string, string>): string {
	const text = literals.get(type) ?? type;
	if (text.length <= LONGEST_TYPE) return `\`${text.replaceAll("|", "\\|")}\``;
	if (/^\{|^Readonly</.test(text)) return "an object";
	return text.includes('"') ? "a string or a function" : "a function";
}

/** The exported unions of literals, by their names: a reader needs the values. */
function readLiteralTypes(): ReadonlyMap<string, string> {
	const union = /^export type (\w+) =((?:\s*\|?\s*"\w+")+);/gm;
	return new Map(
		globSync("src/{library,tools}/**/*.ts").flatMap((path) =>
			Array.from(
				readFileSync(path, "utf8").matchAll(union),
				([, name = "", values = ""]): [string, string] => [
					name,
					values.replace(/\s+/g, " ").replace(/^ \| /, "").trim(),
				],
			),
		),
	);
}
