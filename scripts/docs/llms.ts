/** Writes what language models read (llmstxt.org), from the same sources as the site. */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OPERATIONS } from "../../src/library/catalogue/index.ts";
import { docsOf } from "../../src/library/catalogue/operation-docs.ts";
import { MESSAGE_STATUSES, REACTIONS } from "../../src/library/catalogue/shared.ts";
import { firstSentence, GROUPS, readDocuments, readGuides } from "./documents.ts";
import { VARIABLES } from "./environment.ts";
import { readErrorClasses, readFields, readFileComment } from "./members.ts";
import { describeSource, methodNames } from "./operations.ts";

interface Manifest {
	readonly name: string;
	readonly description: string;
	readonly exports: Readonly<Record<string, string | { readonly "@messaging-gateway/source": string }>>;
}

/** What an application needs, as programs that a test runs. */
const PROGRAMS: readonly { readonly path: string; readonly sentence: string }[] = [
	{ path: "send-text/main.ts", sentence: "Send a text, and see a duplicate rejected" },
	{
		path: "express-postgresql/app.ts",
		sentence: "Send, and receive verified webhooks, with Express and PostgreSQL",
	},
	{ path: "express-postgresql/main.ts", sentence: "Start that app" },
	{
		path: "express-postgresql/app.test.ts",
		sentence: "Test that app against the local gateway, with vitest",
	},
];

const EVENT_TYPES = "src/library/catalogue/events.ts";

/** The fields of each kind of event. */
const EVENTS = Object.entries({
	"each kind": "EventPayload",
	inbound_message: "InboundMessage",
	inbound_reaction: "InboundReaction",
	status: "StatusUpdate",
})
	.map(([kind, name]) => {
		const fields = readFields(EVENT_TYPES, name).filter((field) => !field.startsWith("type:"));
		return `- ${kind === "each kind" ? kind : `\`${kind}\``}: \`${fields.join("`, `")}\``;
	})
	.concat(
		`- \`MessageStatus\`: ${MESSAGE_STATUSES.join(", ")}, or another string`,
		`- \`Reaction\`: ${REACTIONS.join(", ")}, an emoji, or another string`,
	)
	.join("\n");

/** `llms.txt`: what the package is and contains, and a line for each guide. Its links work wherever the guides are beside it. */
export function createLlmsText(): string {
	const { name, description, exports }: Manifest = JSON.parse(readFileSync("package.json", "utf8"));
	const entries = Object.entries(exports).flatMap(([path, target]) =>
		typeof target === "string"
			? []
			: [`- \`${join(name, path)}\`: ${firstSentence(readFileComment(target["@messaging-gateway/source"]))}`],
	);
	const operations = OPERATIONS.map(
		(operation) =>
			`- ${methodNames(operation)} (${describeSource(operation)}): ${docsOf(operation.id).summary}`,
	);
	const errors = readErrorClasses("src/library/errors.ts").map(
		({ name: className, code, text }) => `- \`${className}\`, \`${code}\`: ${firstSentence(text)}`,
	);
	const all = readGuides();
	const guides = Object.keys(GROUPS).map((group) => {
		const lines = all.filter((guide) => guide.group === group);
		return [
			`### ${group}`,
			"",
			...lines.map(({ title, path, summary }) => `- [${title}](${path}): ${summary}`),
		];
	});
	return `# ${name}

> ${description}

It needs Node 22.13 or newer, Bun, Deno, Workers or a browser: \`npm install ${name}\`. To run everything without an account, start a gateway on your machine; it writes the first four variables below to a file:

${fence("sh", "npx messaging-gateway dev --forward-to http://localhost:3000/webhooks --write-env .env\n")}
Environment variables:

${VARIABLES.filter((variable) => variable.name.startsWith("MESSAGING_GATEWAY_"))
	.map((variable) => `- \`${variable.name}\`: ${variable.meaning}. Read by ${variable.readBy}.`)
	.join("\n")}

## Three complete programs

${PROGRAMS.map(({ path, sentence }) => `${sentence} (\`${path}\`):\n\n${fence("ts", readFileSync(`examples/${path}`, "utf8"))}`).join("\n")}
Start it with \`node --env-file=.env main.ts\` (Node 22.18 or newer runs TypeScript; in tsconfig.json set \`"module": "nodenext"\`, \`"noEmit": true\`, \`"allowImportingTsExtensions": true\` and \`"erasableSyntaxOnly": true\`). With Node, a secret comes from the environment: never write a fallback for one into code.

Check what you wrote: \`npx messaging-gateway certify --to http://localhost:3000/webhooks\` attacks a running receiver, and \`npx messaging-gateway doctor\` tries the credentials. With \`--count URL\` it also sees that each event is processed once: the URL responds with the number of processed events as text. The receiver acts on about thirty events.

## Rules

- \`to\` is a number in E.164 (\`+15551234567\`), an e-mail address or a short code. \`data.from\` of an event has the same form.
- A failed call throws. A \`CallError\` has an \`outcome\`: \`not_sent\` and \`rejected\` mean that no message went out, \`unknown\` that it may have, \`accepted\` that it did. \`ConfigurationError\` and \`InputError\` aren't CallErrors: nothing was sent.
- A handler runs at least once for an event, in no particular order (\`data.timestamp_ms\` is the time of the event): with an inbox, its writes commit once. A known kind without a handler is acknowledged, and \`unknown\` is required. A handler that throws isn't acknowledged: it runs again only if the gateway delivers the event again, which is assumed.
- The same text is a duplicate: to the same contact for five minutes or until it replies, and for one or two minutes to others of your agent or account (assumed: 409, \`DuplicateMessageError\`). Put a name or an id into a text that many contacts get. A contact that never replies gets a limited number of messages (403).
- Status updates come late and out of order. Register \`statusWebhookUrl\`, add a \`status\` handler, and keep a status unless \`isOutdatedStatus(kept, data.status)\` of \`${name}/webhooks\`. \`failureReason(data)\` says why a message failed.
- Give \`postgresInbox\` a pool of its own if your handlers also use a pool: with one pool, deliveries can wait for each other.
- \`postgresInbox\` and \`postgresStore\` keep their records in the table \`messaging_gateway_records\`, and remove old ones by themselves.
- The command takes the gateway that runs on this machine, or the one of \`--base-url\`; \`--dotenv .env\` reads variables. \`npx messaging-gateway --help\` lists the verbs: \`contact reply\` answers as a contact, \`log\` shows what happened.

## Send once

A job that may run twice needs a key for each message:

${fence("ts", firstProgram("docs/sends.md"))}
In an application the store is \`postgresSendStore(pool, { createIfMissing: true })\` of \`${name}/stores/postgres\`. \`send\` resolves to \`accepted\`, \`unresolved\` (it may have gone out: don't send it again) or \`given_up\`. It throws the client's error if the message certainly didn't go out, and a \`SendError\` if this call sent nothing; then the job runs again. Statuses of a send with \`statusCallback\` go to that address instead of \`statusWebhookUrl\`: let both lead to your webhook route. There, \`const observed = await observeSend(store, event)\` settles what was unresolved, and \`observed?.key\` is the key. It needs no transaction: give the send store a pool of its own. \`listSends(store, { status: "unresolved" })\` lists what is left, and \`resolveSend\` decides it. In a test pass \`digestSecret\`.

## Events

Each has \`eventId\`, \`kind\`, \`timestamp\` (Unix seconds) and \`data\`. A reply in a group has its \`groupId\`; otherwise it's null.

${EVENTS}


## Names

Entries of the package:

${entries.join("\n")}

Methods of the client, known from a section of the gateway's specification, or assumed until it shows them:

${operations.join("\n")}

Errors by \`code\`; those of a request that was sent are CallErrors, whose \`outcome\` shows whether the message may be on its way:

${errors.join("\n")}

## Guides

${guides.map((lines) => lines.join("\n")).join("\n\n")}

## Optional

- [README](README.md): the package on one page.
`;
}

/** The program that a guide opens with. */
function firstProgram(path: string): string {
	const [, code = ""] = /^```ts\n([\s\S]*?)^```$/m.exec(readFileSync(path, "utf8")) ?? [];
	return code;
}

function fence(language: string, code: string): string {
	return `\`\`\`${language}\n${code}\`\`\`\n`;
}

/** Adds `llms.txt`, the linked documents, and all of them in one file to the site. */
export function writeLlmsFiles(folder: string): void {
	const documents = readDocuments();
	const texts = [readFileSync("README.md", "utf8"), ...documents.map(({ markdown }) => markdown)];
	for (const path of ["README.md", ...documents.map((document) => document.path)])
		cpSync(path, join(folder, path));
	writeFileSync(join(folder, "llms.txt"), createLlmsText());
	writeFileSync(join(folder, "llms-full.txt"), texts.join("\n"));
}
