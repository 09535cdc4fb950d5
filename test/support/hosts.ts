import { vi } from "vitest";

/** What a host has beside the language, or in the place of what Node has. */
type Globals = Readonly<Record<string, unknown>>;

/** The class of a worker's global object. Ours counts as an instance. */
const WorkerGlobalScope: unknown = Object.defineProperty(() => undefined, Symbol.hasInstance, {
	value: () => true,
});

const MOZILLA = {
	userAgent: "Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140",
	onLine: true,
};

/** A page of a browser. */
export const PAGE: Globals = { window: {}, document: { nodeType: 9 }, navigator: MOZILLA };

/** Where everybody who has the code can read it. */
export const PUBLIC_HOSTS: readonly (readonly [title: string, globals: Globals])[] = [
	["a page", PAGE],
	["a page with the process of a bundler", { ...PAGE, process: { ...process, browser: true } }],
	["a page of jsdom", { ...PAGE, navigator: { userAgent: "Mozilla/5.0 (linux) jsdom/29.1.1" } }],
	["a worker, such as the background of an extension", { WorkerGlobalScope, navigator: MOZILLA }],
	[
		"a worker of an app that names itself",
		{ WorkerGlobalScope, navigator: { userAgent: "App/1", onLine: false } },
	],
	["React Native", { window: {}, navigator: { product: "ReactNative" } }],
];

/** Where nobody can. */
export const PRIVATE_HOSTS: readonly (readonly [title: string, globals: Globals])[] = [
	["Node", {}],
	["a worker of Deno", { WorkerGlobalScope, Deno: {}, navigator: { userAgent: "Deno/2.9.4" } }],
	["Workers", { WorkerGlobalScope, navigator: { userAgent: "Cloudflare-Workers" } }],
	["Workers that name a browser", { WorkerGlobalScope, navigator: { userAgent: MOZILLA.userAgent } }],
	["Workers of an old date", { WorkerGlobalScope, navigator: undefined }],
	["an edge runtime", { EdgeRuntime: "edge-runtime", navigator: undefined }],
	["a server that renders pages", { window: {}, document: {}, navigator: MOZILLA }],
];

/** Puts a host's globals in the place of Node's, until `vi.unstubAllGlobals`. */
export function stubHost(globals: Globals): void {
	for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
}
