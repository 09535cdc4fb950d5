import { readEnvironment } from "../../../library/host.ts";
import { describeUrl } from "../../control/diagnosis/words.ts";
import { ATTEMPT_TIMEOUT_MS } from "../../local-gateway/delivery-attempt.ts";
import { toolFetch } from "../../tool-fetch.ts";
import { type CheckResult, certify, countChecks } from "../certify/certify.ts";
import { describeCheck, describeCounts } from "../certify/describe-check.ts";
import { CommandFailure, EXIT, messageOf, usageError } from "../failure.ts";
import {
	assertHttpUrl,
	PROFILE_FLAG,
	readProfile,
	readWebhookSecret,
	WEBHOOK_SECRET_FLAG,
} from "../gateway-options.ts";
import { declareVerb } from "../verb.ts";

/** What the gateway delivers to each of its two URLs (specification, section 4.2). */
const KINDS = {
	inbound: ["inbound_message", "inbound_reaction"],
	status: ["status"],
	both: ["inbound_message", "inbound_reaction", "status"],
} as const;

/** Attacks a webhook receiver. */
export const addCertifyVerb = declareVerb({
	usage: "certify",
	summary: "Attack a webhook receiver in any language, and judge what it does.",
	flags: {
		"--to <url>": { meaning: "the URL of the receiver" },
		"--count <url>": "a URL that responds with the number of processed events",
		"--for <events>": { meaning: "what it receives: inbound, status or both", preset: "both" },
		"--strict": "exit with 1 for advice too",
		"--try-app-secret":
			"if it rejects everything, also send it a signature made with MESSAGING_GATEWAY_APP_SECRET",
		...WEBHOOK_SECRET_FLAG,
		...PROFILE_FLAG,
	},
	examples: [
		"npx messaging-gateway certify --to http://localhost:3000/webhooks",
		"npx messaging-gateway certify --to http://localhost:3000/webhooks --strict",
	],
	notes:
		"It delivers about thirty events, half of them wrong, and the receiver acts on those that it accepts: use one that may. `wrong` breaks the specification, `advice` is recommended beyond it, and `unseen` can't be judged from outside. The exit code is 1 if something is wrong.",
	async run(terminal, options) {
		const { to: url, count } = options;
		assertHttpUrl("--to", url);
		const profile = await readProfile(options.profile);
		if (count !== undefined) assertHttpUrl("--count", count);
		const receiver = {
			url,
			secret: await readWebhookSecret(options.webhookSecretFile, profile),
			appSecret: options.tryAppSecret ? readAppSecret() : undefined,
			profile,
			kinds: KINDS[readEvents(options.for)],
			readCount: count === undefined ? undefined : () => readCount(count),
		};
		const checks: CheckResult[] = [];
		terminal.say(`${terminal.paint("bold", describeUrl(url))}\n`);
		for await (const check of certify(receiver)) {
			terminal.say(describeCheck(terminal, check, checks.at(-1)?.fix));
			checks.push(check);
		}
		const untried = countChecks(receiver) - checks.length;
		const failing = options.strict ? ["wrong", "advice"] : ["wrong"];
		const isRight = untried === 0 && !checks.some(({ verdict }) => failing.includes(verdict));
		terminal.show(
			{ isRight, url: describeUrl(url), checks, untried },
			() => `\n${describeCounts(terminal, checks, untried)}`,
		);
		return isRight ? EXIT.done : EXIT.failed;
	},
});

function readEvents(events: string): keyof typeof KINDS {
	if (events === "inbound" || events === "status" || events === "both") return events;
	throw usageError("--for must be inbound, status or both");
}

function readAppSecret(): string {
	const appSecret = readEnvironment("MESSAGING_GATEWAY_APP_SECRET");
	if (appSecret !== undefined) return appSecret;
	throw usageError("the App Secret is missing", "Set MESSAGING_GATEWAY_APP_SECRET for --try-app-secret.");
}

async function readCount(url: string): Promise<number> {
	try {
		const response = await toolFetch(url, { signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS) });
		const text = (await response.text()).trim();
		if (response.ok && /^\d{1,15}$/.test(text)) return Number(text);
		throw new Error(`status ${response.status}, and no number`);
	} catch (error) {
		throw new CommandFailure(
			`--count can't be read: ${messageOf(error)}`,
			"Let it respond with the number of processed events, such as 3, and nothing else.",
		);
	}
}
