import { writeFile } from "node:fs/promises";
import { basename } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { MessagingGateway } from "#client";
import { describeHandleProblem } from "../../../library/catalogue/handle.ts";
import { OPERATIONS, type OperationId } from "../../../library/catalogue/index.ts";
import { defineProfile, type Profile } from "../../../library/catalogue/profile.ts";
import { type DiagnosisWithForm, diagnoseWithForm } from "../../doctor/calls/run-diagnosis.ts";
import { chooseSteps, compareGateway } from "../../doctor/shapes/compare-gateway.ts";
import { writeProfile } from "../../doctor/shapes/profile-source.ts";
import { type PlannedCall, UNTRIED } from "../../doctor/shapes/steps.ts";
import { PROBE_AGENT } from "../../probe-agent.ts";
import { toolFetch } from "../../tool-fetch.ts";
import { EXIT, messageOf, usageError } from "../failure.ts";
import { type GatewayOptions, readAccess } from "../gateway-options.ts";
import type { Terminal } from "../terminal.ts";
import { PACKAGE_VERSION } from "../version.ts";
import { describeComparison, describeResult, describeSigningResult, type Survey } from "./describe-shapes.ts";

interface CompareFlags extends GatewayOptions {
	to: string | undefined;
	yes: boolean | undefined;
	only: string[] | undefined;
	record: string | undefined;
}

/** Compares a gateway's responses with the assumed shapes, and resolves to the exit code. */
export async function compareShapes(terminal: Terminal, options: CompareFlags): Promise<number> {
	const { to } = options;
	const only = readOnly(options.only);
	const access = await readAccess(options);
	const problem = to === undefined ? undefined : describeHandleProblem(to, access.profile);
	if (problem !== undefined) throw usageError(`--to ${problem}`);
	const steps = chooseSteps(only, to !== undefined && (await mayBeSent(terminal, options, only)));
	const hasSends = steps.some(({ isSend }) => isSend);

	const present = access.profile ?? {};
	const createClient = (profile: Profile) =>
		new MessagingGateway({
			...access,
			fetch: toolFetch,
			headers: { "User-Agent": PROBE_AGENT },
			profile,
			maxRetries: 0,
			logLevel: "off",
			responseValidation: { documented: "off", provisional: "off" },
		});
	const found = await diagnoseWithForm(createClient(present), { probeBody: hasSends });
	const { diagnosis } = found;
	const profile = withFoundSigning(present, found);
	terminal.say(describeSigningResult(terminal, diagnosis, profile !== undefined && profile !== present));
	if (profile === undefined) {
		if (terminal.isJson) terminal.show({ isHealthy: false, diagnosis }, () => "");
		return EXIT.failed;
	}
	const { comparisons, skipped, remedies } = await compareGateway({
		profile,
		client: createClient(profile),
		steps,
		to,
		text: `messaging-gateway doctor, ${new Date().toISOString()}`,
		sleep,
		onComparison: (comparison) => terminal.say(describeComparison(terminal, comparison)),
	});
	const signing = profile === present ? undefined : diagnosis.signing;
	const changes = { signing, bodyForm: found.form?.bodyForm, operations: remedies };
	const save = (file: string) => writeProfile(changes, access.profile && { profile: access.profile, file });
	const survey: Survey = {
		comparisons,
		skipped,
		untried: only === undefined ? UNTRIED : [],
		hasSends,
		profileSource: save(basename(options.profile ?? "")),
	};
	// The name of the user's file may name an account.
	const shareable = { ...survey, profileSource: save("profile.mjs") };
	if (options.record !== undefined) await record(options.record, shareable);
	terminal.show(survey, () => describeResult(terminal, survey, options.record));
	if (comparisons.some(({ verdict }) => verdict === "differs")) return EXIT.failed;
	const isComplete = skipped.length === 0 && comparisons.every(({ verdict }) => verdict === "fits");
	return isComplete && steps.length === chooseSteps(only, true).length ? EXIT.done : EXIT.untested;
}

function readOnly(ids: readonly string[] | undefined): OperationId[] | undefined {
	const known = OPERATIONS.map(({ id }) => id).filter((id) => !UNTRIED.includes(id));
	return ids?.map((id) => {
		const found = known.find((candidate) => candidate === id);
		if (found !== undefined) return found;
		const isUntried = UNTRIED.some((untried) => untried === id);
		const why = isUntried ? "changes the account, and is never called here" : "is not an operation";
		throw usageError(`--only: ${id} ${why}`, `The operations: ${known.join(", ")}.`);
	});
}

/** Whether the user agrees that real messages go out. */
async function mayBeSent(
	terminal: Terminal,
	{ to = "", yes = false }: CompareFlags,
	only: readonly OperationId[] | undefined,
): Promise<boolean> {
	const sends = chooseSteps(only, true).filter(({ isSend }) => isSend);
	if (sends.length === 0 || yes) return true;
	if (terminal.isJson || !process.stdin.isTTY)
		throw usageError(
			"--to sends real messages, which needs a confirmation",
			"Confirm with --yes, or leave --to out: then it only reads.",
		);
	process.stderr.write(`${describeSends(sends, to)}\n`);
	const prompt = createInterface({ input: process.stdin, output: process.stderr });
	try {
		const answer = await prompt.question("Send them? Type yes, or anything else to only read: ");
		return answer.trim().toLowerCase() === "yes";
	} finally {
		prompt.close();
	}
}

function describeSends(sends: readonly PlannedCall[], to: string): string {
	const lines = sends.map(({ operation, detail }) => `  ${operation}${detail ? ` (${detail})` : ""}`);
	const contact = to.startsWith("+")
		? `the owner of the number ending in ${to.slice(-2)}`
		: "the contact of --to";
	return `Real calls that ${contact} will see:\n${lines.join("\n")}`;
}

/** The profile with the signing that the doctor found; `undefined` if signed calls fail for another reason. */
function withFoundSigning(profile: Profile, { diagnosis, form }: DiagnosisWithForm): Profile | undefined {
	if (diagnosis.isHealthy !== false) return profile;
	const others = diagnosis.findings.filter(
		({ isBlocking, cause }) => isBlocking && cause !== "other_signing_form",
	);
	if (diagnosis.signing === undefined || others.length > 0) return undefined;
	const body = form?.bodyForm && { canonicalBody: form.canonicalBody };
	return defineProfile({ ...profile, signing: { ...profile.signing, ...diagnosis.signing, ...body } });
}

async function record(file: string, { comparisons, skipped, profileSource }: Survey): Promise<void> {
	const document = { version: PACKAGE_VERSION, comparisons, skipped, profileSource };
	try {
		await writeFile(file, `${JSON.stringify(document, null, 2)}\n`);
	} catch (error) {
		throw usageError(`${file} cannot be written: ${messageOf(error)}`);
	}
}
