/** The matrix of hosts: where the package runs, and what works there. `docs/entries.md` shows it. */

/** What users do with the package: the columns. */
export const ACTIONS = ["import", "sign", "send", "verify", "handle", "local gateway"] as const;

export type Action = (typeof ACTIONS)[number];

/** A host, as its users set it up. */
export interface HostRow {
	readonly name: string;
	/** The releases, bundlers or settings with which it is run. Without them it is run once. */
	readonly variants?: readonly string[];
	/** The test that runs it, by the name of its file in `test/integration`, without `.test.ts`. */
	readonly test: string;
	/** Whether strangers have the code, so that the client rejects an App Secret. */
	readonly isPublic?: boolean;
	/** What the host lacks for an action. The rest works. */
	readonly lacks?: Readonly<Partial<Record<Action, string>>>;
	/** What its users must know, in Markdown. */
	readonly note?: string;
}

/** A row is a line here, and a run in `testHosts` of its test. */
export const HOSTS = [
	{ name: "Node", variants: ["22.13", "22", "24", "26"], test: "runtimes.release" },
	{ name: "Bun", test: "runtimes.release" },
	{ name: "Deno", test: "runtimes.release" },
	{
		name: "Deno without `--allow-env`",
		test: "runtimes.release",
		note: "Pass the options, since the environment can't be read.",
	},
	// From the first date with modules, whose URL has no `canParse`.
	{ name: "Cloudflare Workers", variants: ["2021-11-02", "2026-07-01"], test: "hosts-workers.full" },
	{ name: "Route of Next.js", variants: ["16"], test: "next-hosts.release" },
	{ name: "Edge route of Next.js", variants: ["16"], test: "next-hosts.release" },
	{ name: "`middleware.ts` of Next.js", variants: ["15"], test: "next-hosts.release" },
	{ name: "Page in Chromium", variants: ["esbuild", "Vite"], test: "hosts-browser.full", isPublic: true },
	{
		name: "Service worker in Chromium",
		variants: ["esbuild", "Vite"],
		test: "hosts-browser.full",
		isPublic: true,
	},
	{
		name: "Background of a Chrome extension",
		variants: ["esbuild", "Vite"],
		test: "hosts-browser.full",
		isPublic: true,
	},
	{ name: "React Native with polyfills", test: "hosts-react-native.release", isPublic: true },
	{
		name: "React Native",
		test: "hosts-react-native.release",
		isPublic: true,
		lacks: {
			sign: "crypto.getRandomValues",
			send: "TextDecoder",
			verify: "TextDecoder",
			handle: "TextDecoder",
			"local gateway": "TextDecoder",
		},
		note: "Import [two polyfills](credentials.md#react-native) before anything else.",
	},
	{ name: "Vitest", variants: ["node"], test: "hosts-runners.release" },
	{
		name: "Vitest with a page",
		variants: ["jsdom", "happy-dom"],
		test: "hosts-runners.release",
		isPublic: true,
	},
	{ name: "Jest", variants: ["node"], test: "hosts-runners.release" },
	{ name: "Jest with a page", variants: ["jest-fixed-jsdom"], test: "hosts-runners.release", isPublic: true },
	{
		name: "Jest with a page that has no `fetch`",
		variants: ["jest-environment-jsdom"],
		test: "hosts-runners.release",
		isPublic: true,
		lacks: { send: "Response", "local gateway": "Request" },
		note: 'Use `jest-fixed-jsdom`. Here the import of `messaging-gateway/ky` fails as well, with ky\'s own "TextEncoder is not defined".',
	},
] as const satisfies readonly HostRow[];

type Host = (typeof HOSTS)[number];

/** A test that runs hosts. */
export type HostTest = Host["test"];

/** The hosts that a test runs. */
export type HostName<Test extends HostTest> = Extract<Host, { test: Test }>["name"];
