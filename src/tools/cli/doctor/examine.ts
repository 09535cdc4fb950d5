import { MessagingGateway } from "#client";
import type { ClientOptions } from "../../../library/client/options.ts";
import { isMessagingGatewayError } from "../../../library/errors.ts";
import { diagnose } from "../../doctor/calls/diagnose.ts";
import type { DiagnoseOptions, Diagnosis, DiagnosisFinding } from "../../doctor/calls/diagnosis.ts";
import { toolFetch } from "../../tool-fetch.ts";
import { encodeKeptSecrets, readKeptSecrets } from "../credentials/kept-secrets.ts";
import { CommandFailure, DOCTOR_HINT, EXIT } from "../failure.ts";
import { type Access, type GatewayOptions, isLocalUrl, readAccess, readSecret } from "../gateway-options.ts";
import { connectTo } from "../local/connect-to.ts";

interface ExamineOptions extends DiagnoseOptions {
	webhookSecretFile?: string | undefined;
	/** How the calls were made that failed. @default the platform's, as an application in this environment has it */
	fetch?: ClientOptions["fetch"];
}

/** Diagnoses the calls of a client, also with what this machine knows of its own gateway and its secrets. */
export async function examine(access: Access, given: ExamineOptions = {}): Promise<Diagnosis> {
	const { webhookSecretFile, fetch, ...options } = given;
	const isLocal = isLocalUrl(access.baseUrl);
	const gateway = new MessagingGateway({ ...access, fetch, logLevel: "off" });
	const diagnosis = await diagnose(gateway, { ...options, probeBody: options.probeBody ?? isLocal });
	const kept = isLocal ? readKeptSecrets() : undefined;
	const webhookSecret =
		(await readSecret("MESSAGING_GATEWAY_WEBHOOK_SECRET", webhookSecretFile)) ??
		(kept && encodeKeptSecrets(kept, access.profile).webhookSecret);
	const isRejected = diagnosis.findings.some(isOfCredentials);
	const finding =
		access.appSecret === webhookSecret
			? { ...SAME_SECRET, isBlocking: isRejected }
			: isLocal && isRejected
				? await compareWithLocal(access)
				: undefined;
	if (finding === undefined) return diagnosis;
	const others = diagnosis.findings.filter((one) => !isOfCredentials(one));
	return { ...diagnosis, findings: [finding, ...others] };
}

function isOfCredentials({ cause }: DiagnosisFinding): boolean {
	return cause === "credentials_or_dialect" || cause === "app_id_unknown";
}

const SAME_SECRET: DiagnosisFinding = {
	cause: "credentials_or_dialect",
	certainty: "certain",
	isBlocking: true,
	message: "The App Secret is the webhook secret: the same value is given for both, and a gateway has two.",
	fix: "Copy the App Secret again: MESSAGING_GATEWAY_APP_SECRET signs requests, and MESSAGING_GATEWAY_WEBHOOK_SECRET only verifies webhooks.",
};

/** What differs from the credentials of the local gateway; `undefined` if nothing does, or it does not show them. */
async function compareWithLocal({
	baseUrl,
	appId,
	appSecret,
}: Access): Promise<DiagnosisFinding | undefined> {
	const local = await connectTo({ baseUrl }).catch(() => undefined);
	if (local === undefined) return undefined;
	const known = local.clientOptions;
	if (known.appId === appId && known.appSecret === appSecret) return undefined;
	const [what, variable] =
		known.appId === appId
			? ["App Secret", "MESSAGING_GATEWAY_APP_SECRET"]
			: ["app id", "MESSAGING_GATEWAY_APP_ID"];
	return {
		...SAME_SECRET,
		message: `The ${what} isn't that of the local gateway at ${local.baseUrl}.`,
		fix: `Use the line ${variable}=… that \`npx messaging-gateway dev\` printed, or unset that variable: on this machine the command then finds the right one by itself.`,
	};
}

/** How long a failed call waits for the doctor. */
const TIMEOUT_MS = 10_000;

/**
 * Makes a call to the gateway that the options name.
 * @throws CommandFailure with what the doctor finds, if it can explain the failure.
 */
export async function callExplained<Result>(
	options: GatewayOptions,
	call: (gateway: MessagingGateway) => PromiseLike<Result>,
): Promise<Result> {
	const access = await readAccess(options);
	try {
		return await call(new MessagingGateway({ ...access, fetch: toolFetch }));
	} catch (error) {
		if (!isMessagingGatewayError(error) || !error.message.includes(DOCTOR_HINT)) throw error;
		const { findings } = await examine(access, { timeoutMs: TIMEOUT_MS, fetch: toolFetch });
		const finding = findings.find(({ isBlocking }) => isBlocking);
		if (finding === undefined) throw error;
		const message = error.message.replace(DOCTOR_HINT, "");
		throw new CommandFailure(message, `${finding.message} ${finding.fix}`, EXIT.failed, { cause: error });
	}
}
