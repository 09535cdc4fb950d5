/** A check, and the command of a shell that makes it. */
export interface Step {
	readonly name: string;
	readonly command: string;
}

/** The steps of a tier. */
export interface Plan {
	/** Need nothing else: they run beside the others, one after the other. */
	readonly beside: readonly Step[];
	/** What the tests need, in this order. */
	readonly before: readonly Step[];
	readonly tests: Step;
	/** Whether properties are tried with all of their random cases. */
	readonly hasAllCases: boolean;
}

/** What is particular to a tier. */
interface TierSteps {
	readonly beside: readonly Step[];
	readonly before: readonly Step[];
	/** The tiers whose test files run. */
	readonly files: readonly string[];
	/** With all random cases, and their coverage. */
	readonly isThorough: boolean;
}

const BUILD: Step = { name: "build", command: "npm run build" };

/** Packages of their own under `test/`: what a single test needs, and whose commands have the names of the project's own. */
const NESTED: readonly Step[] = [
	["versions", ""],
	["orms", "--ignore-scripts --legacy-peer-deps"],
	["openapi-tools", "--ignore-scripts"],
	["queue-clients", "--ignore-scripts"],
	["durable-engines", "--ignore-scripts"],
	["agent-runtime", "--ignore-scripts"],
	["frameworks", "--ignore-scripts --legacy-peer-deps"],
	["jest", "--ignore-scripts"],
	["next-15", "--ignore-scripts"],
	["page-simulators", "--ignore-scripts"],
	["react-native", "--ignore-scripts --legacy-peer-deps"],
].map(([name, options]) => ({
	name: `packages of test/${name}`,
	command: `npm ci --prefix test/${name} ${options} --silent`,
}));

const STEPS = {
	first: {
		beside: [
			{ name: "lint", command: "npm run lint" },
			{ name: "types", command: "npm run typecheck" },
		],
		before: [BUILD],
		files: ["first"],
		isThorough: false,
	},
	full: {
		beside: [{ name: "types with TypeScript 6", command: "npm run typecheck:6" }],
		before: [BUILD],
		files: ["first", "full"],
		isThorough: true,
	},
	release: {
		beside: [],
		before: [
			BUILD,
			...NESTED,
			{ name: "types of test/orms", command: "node node_modules/typescript/bin/tsc -p test/orms" },
		],
		files: ["release"],
		isThorough: false,
	},
} as const satisfies Record<string, TierSteps>;

/** `all` is every tier at once, with one build. */
export const TIER_NAMES = ["first", "full", "release", "all"] as const;

export type TierName = (typeof TIER_NAMES)[number];

/** The steps of a tier, each once. */
export function planTier(name: TierName): Plan {
	const tiers: TierSteps[] = name === "all" ? Object.values(STEPS) : [STEPS[name]];
	const files = unique(tiers.flatMap((tier) => tier.files));
	const isThorough = tiers.some((tier) => tier.isThorough);
	const projects = files.map((tier) => `--project '${tier}*'`).join(" ");
	const coverage = isThorough ? "--coverage " : "";
	return {
		beside: tiers.flatMap((tier) => tier.beside),
		before: unique(tiers.flatMap((tier) => tier.before)),
		tests: { name: "tests", command: `vitest run --reporter=minimal ${coverage}${projects}` },
		hasAllCases: isThorough,
	};
}

function unique<Item>(items: readonly Item[]): Item[] {
	return [...new Set(items)];
}
