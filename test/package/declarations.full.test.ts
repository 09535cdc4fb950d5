import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { createPnpmProject, type PnpmProject } from "./support/pnpm-project.ts";

const PEERS = ["chat", "msw", "@opentelemetry/api", "@types/node", "vue"];

const COMPILERS = [
	["TypeScript 6", "node_modules/typescript/bin/tsc"],
	["TypeScript 7", "node_modules/typescript-7/bin/tsc"],
] as const;

const LIBRARY = {
	name: "library",
	version: "0.1.1",
	lines: [
		`export { MessagingGateway } from "messaging-gateway";`,
		`export { diagnose } from "messaging-gateway/doctor";`,
		`export { createSender, memorySendStore } from "messaging-gateway/sends";`,
		`export { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";`,
	],
};

const SIGNED_KY = `
import { signedKy } from "messaging-gateway/ky";
export const api = signedKy();
export const patient = api.extend({ timeout: 60_000 });
export const archive = (chat: string) => api.post("chat/archive", { json: { chat } });
export async function read() {
	return api.get("chat/archive");
}
`;

/** A client of each copy where the other one's is expected. */
const COPIES = `
import { MessagingGateway } from "messaging-gateway";
import { diagnose } from "messaging-gateway/doctor";
import { createSender, memorySendStore } from "messaging-gateway/sends";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import * as library from "library";
const theirs = new library.MessagingGateway();
const ours = new MessagingGateway();
const ourSender = createSender({ gateway: theirs, store: library.memorySendStore() });
const theirSender = library.createSender({ gateway: ours, store: memorySendStore() });
const diagnoses = [diagnose(theirs), library.diagnose(ours)];
const ourHandler = createWebhookHandler({ store: library.memoryStore(), on: { unknown: () => undefined } });
const theirHandler = library.createWebhookHandler({ store: memoryStore(), on: { unknown: () => undefined } });
export const swapped: [MessagingGateway, library.MessagingGateway] = [theirs, ours];
export const made: unknown[] = [ourSender, theirSender, diagnoses, ourHandler, theirHandler];
`;

/** A test's own client, without a library for mocks. */
const FAKE = `
import type { GatewayCall, MessageData, Messages, MessagingGateway, SendTextInput } from "messaging-gateway";
export const sent: SendTextInput[] = [];
declare const data: MessageData;
function resolved<Data>(data: Data): GatewayCall<Data> {
	const response = { data, meta: undefined, response: new Response(), attempts: 1, clockOffsetMs: undefined };
	return Object.assign(Promise.resolve(data), { withResponse: async () => response });
}
function unexpected(): never {
	throw new Error("the test expects no such call");
}
export const messages: Messages = {
	sendText(input) {
		sent.push(input);
		return resolved(data);
	},
	send: unexpected,
	sendAttachments: unexpected,
	sendVoiceNote: unexpected,
	addTapback: unexpected,
	removeTapback: unexpected,
	startTyping: unexpected,
	stopTyping: unexpected,
	markRead: unexpected,
	checkCapability: unexpected,
	get: unexpected,
};
export function greet(gateway: Pick<MessagingGateway, "messages">) {
	return gateway.messages.sendText({ to: "+15551234567", text: "Hello" });
}
export const greeting = greet({ messages });
`;

const VUE = `
import { MessagingGateway } from "messaging-gateway";
import { createSender, memorySendStore } from "messaging-gateway/sends";
import { reactive, ref } from "vue";
const gateway = ref(new MessagingGateway());
export const call = gateway.value.messages.sendText({ to: "+15551234567", text: "Hello" });
export const again: MessagingGateway = gateway.value;
export const sender = createSender({ gateway: reactive(new MessagingGateway()), store: memorySendStore() });
`;

/** A handler that nothing remembers for. */
const WITHOUT_STORE = `
import { createWebhookHandler } from "messaging-gateway/webhooks";
export const webhooks = createWebhookHandler({ on: { unknown: () => undefined } });
export const queued = createWebhookHandler({ secret: "s", enqueue: () => undefined });
`;

let project: PnpmProject;

beforeAll(async () => {
	project = await createPnpmProject("0.1.0", [LIBRARY], PEERS);
	project.write("signed-ky.ts", SIGNED_KY);
	project.write("copies.ts", COPIES);
	project.write("fake.ts", FAKE);
	project.write("vue.ts", VUE);
	project.write("mistakes/handler.ts", WITHOUT_STORE);
	project.write("results.ts", await writeResults());
});

afterAll(() => project?.[Symbol.dispose]());

/** What a compiler prints of files, in a strict project. */
async function compile(compiler: string, include: readonly string[], options: object): Promise<string> {
	const compilerOptions = {
		strict: true,
		target: "es2022",
		module: "nodenext",
		lib: ["es2022", "dom"],
		types: ["node"],
		rootDir: ".",
		// Those of Vue and Chat SDK are not ours to check.
		skipLibCheck: true,
		...options,
	};
	project.write("tsconfig.json", JSON.stringify({ compilerOptions, include }));
	const args = [new URL(`../../${compiler}`, import.meta.url).pathname, "--project", project.folder];
	const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: project.folder }).catch(
		(error: { stdout: string }) => error,
	);
	return stdout;
}

describe.each(COMPILERS)("%s, in the layout of pnpm", (_name, compiler) => {
	test("every result can be exported without an annotation, clients of two versions and fakes are assignable", async () => {
		const stdout = await compile(compiler, ["*.ts"], {
			declaration: true,
			emitDeclarationOnly: true,
			outDir: "out",
		});
		expect(stdout).toBe("");
		const emitted = readFileSync(join(project.folder, "out/signed-ky.d.ts"), "utf8");
		expect(emitted).toContain('api: import("messaging-gateway/ky").KyInstance;');
	});

	test("a handler without a store is told that store is missing", async () => {
		const stdout = await compile(compiler, ["mistakes"], { noEmit: true });
		const missing = Array.from(stdout.matchAll(/Property '(\w+)' is missing/g), ([, name]) => name);
		expect(missing).toEqual(["store", "store"]);
	});
});

/** A file that exports the result of every function of every entry, as an application does with what it makes once. */
async function writeResults(): Promise<string> {
	const lines = ["declare function resultOf<Result>(run: (...input: never[]) => Result): Result;"];
	for (const [entry, target] of Object.entries(manifest.exports)) {
		if (typeof target === "string") continue;
		const module: object = await import(new URL(`../../${target.default}`, import.meta.url).href);
		const functions = Object.entries(module).filter(
			([name, value]) => typeof value === "function" && /^[a-z]/.test(name),
		);
		const prefix = `from${lines.length}`;
		lines.push(`import * as ${prefix} from "messaging-gateway${entry.slice(1)}";`);
		for (const [name] of functions)
			lines.push(`export const ${prefix}_${name} = resultOf(${prefix}.${name});`);
	}
	expect(lines.length).toBeGreaterThan(80);
	return lines.join("\n");
}
