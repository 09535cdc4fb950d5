/** The commands that tests start and npm does not install, and what to do where they are missing. */
import { accessSync, constants, globSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";

/** A command that tests start. */
interface Needed {
	/** Its name in `TEST_WITHOUT`. */
	readonly name: string;
	readonly debian: string;
	/** Its formula, if it has one. */
	readonly homebrew?: string;
	/** Its Python package. */
	readonly pip?: string;
	/** The variable with the address of one that runs already, or with its path. */
	readonly variable?: string;
	/** The tests of the first tier need it. */
	readonly isFirst: boolean;
}

const NEEDED = {
	"redis-server": {
		name: "redis",
		debian: "redis-server",
		homebrew: "redis",
		variable: "TEST_REDIS_URL",
		isFirst: true,
	},
	postgres: {
		name: "postgres",
		debian: "postgresql",
		homebrew: "postgresql@17",
		variable: "TEST_POSTGRES_URL",
		isFirst: true,
	},
	chromium: {
		name: "chromium",
		debian: "chromium",
		homebrew: "chromium",
		variable: "TEST_CHROMIUM",
		isFirst: true,
	},
	pgbouncer: { name: "pgbouncer", debian: "pgbouncer", homebrew: "pgbouncer", isFirst: false },
	python3: { name: "python", debian: "python3", homebrew: "python", isFirst: false },
	flask: { name: "flask", debian: "python3-flask", pip: "flask", isFirst: false },
	"rabbitmq-server": {
		name: "rabbitmq",
		debian: "rabbitmq-server",
		homebrew: "rabbitmq",
		isFirst: false,
	},
	"nats-server": { name: "nats", debian: "nats-server", homebrew: "nats-server", isFirst: false },
	nginx: { name: "nginx", debian: "nginx", homebrew: "nginx", isFirst: false },
	php: { name: "php", debian: "php-cli", homebrew: "php", isFirst: false },
	zsh: { name: "zsh", debian: "zsh", homebrew: "zsh", isFirst: false },
	fish: { name: "fish", debian: "fish", homebrew: "fish", isFirst: false },
} as const satisfies Record<string, Needed>;

export type NeededCommand = keyof typeof NEEDED;

/** The path of a command; undefined if it is missing. */
export type Lookup = (command: string) => string | undefined;

/** Where Debian keeps servers: a user's PATH may lack it. */
const SERVERS_FOLDER = "/usr/sbin";

/** The RabbitMQ that runs as the user of the tests; the one in the PATH changes to a user of its own. */
const RABBITMQ_FOLDER = "/usr/lib/rabbitmq/bin";

/** Looks for a command, first where Debian and Homebrew keep those of PostgreSQL: outside the PATH, by version. */
export function findCommand(command: string): string | undefined {
	const versions = globSync(["/usr/lib/postgresql/*/bin", "/opt/homebrew/opt/postgresql@*/bin"]);
	const newestFirst = versions.sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
	const folders = [
		...newestFirst,
		RABBITMQ_FOLDER,
		...(process.env["PATH"] ?? "").split(delimiter),
		SERVERS_FOLDER,
	];
	return folders.map((folder) => join(folder, command)).find(isExecutable);
}

/** The path of a needed command; throws how to install it if it is missing. */
export function requireCommand(command: NeededCommand, find: Lookup = findCommand): string {
	const path = find(command);
	if (path === undefined) throw new Error(`the tests need ${command}: ${describeInstall([NEEDED[command]])}`);
	return path;
}

/** What is missing for a tier, and is not given by a variable of the environment. */
export function findMissing(
	isFirst: boolean,
	environment: Readonly<Record<string, string | undefined>> = process.env,
	find: Lookup = findCommand,
): readonly Needed[] {
	const entries: [string, Needed][] = Object.entries(NEEDED);
	return entries.flatMap(([command, needed]) => {
		const isGiven = needed.variable !== undefined && environment[needed.variable] !== undefined;
		return (needed.isFirst || !isFirst) && !isGiven && find(command) === undefined ? [needed] : [];
	});
}

/** The commands that install what is missing. */
export function describeInstall(missing: readonly Needed[]): string {
	const debian = `sudo apt-get install ${missing.map((needed) => needed.debian).join(" ")}`;
	const macOs = Object.entries({
		"brew install": missing.flatMap(({ homebrew }) => homebrew ?? []),
		"pip3 install": missing.flatMap(({ pip }) => pip ?? []),
	}).flatMap(([command, packages]) => (packages.length > 0 ? `${command} ${packages.join(" ")}` : []));
	return `${debian} (Debian), or ${macOs.join(" and ")} (macOS)`;
}

function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
