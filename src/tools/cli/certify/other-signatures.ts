import { Buffer } from "node:buffer";
import { toHex } from "../../../library/runtime.ts";
import { utf8 } from "../../../library/signing/bytes.ts";
import { canonicalize } from "../../../library/signing/canonical-json.ts";
import { readKeys } from "../../doctor/webhooks/keys.ts";
import { readSecrets } from "../../doctor/webhooks/secrets.ts";
import { signedFrames } from "../../doctor/webhooks/signed-content.ts";
import type { Outgoing } from "../deliver.ts";
import { isHandled, type Judgement } from "./judge.ts";
import type { Scene } from "./scene.ts";

/** A delivery that only a receiver with a certain mistake acknowledges. */
interface Mistaken {
	/** The mistake in a sentence. */
	readonly mistake: string;
	readonly outgoing: Outgoing;
}

/** Finds out how a receiver verifies that rejects the documented signature. */
export async function findOtherSignature(scene: Scene): Promise<Judgement | undefined> {
	for (const { mistake, outgoing } of await listMistaken(scene)) {
		if (!isHandled(await scene.deliver(outgoing))) continue;
		return {
			verdict: "wrong",
			certainty: "certain",
			reason: `It rejects the documented signature and acknowledges another one. ${mistake}`,
			fix: "Verify the bytes as they arrive, before anything parses them. Use the secret as it is shown as the key, and verify v1= and the hex HMAC-SHA-256 of `{timestamp}.{rawBody}`.",
		};
	}
	return undefined;
}

async function listMistaken(scene: Scene): Promise<Mistaken[]> {
	const { names, receiver } = scene;
	const usual = await scene.sign();
	const timestamp = usual.headers[names.timestamp] ?? "";
	const eventId = usual.headers[names.eventId] ?? "";
	const hex = usual.headers[names.signature]?.slice("v1=".length) ?? "";
	const withSignature = (mistake: string, signature: string, changes = {}): Mistaken => ({
		mistake,
		outgoing: scene.withHeaders(usual, { [names.signature]: signature, ...changes }),
	});

	const { secret, appSecret, profile } = receiver;
	const [key, ...otherKeys] = readKeys(readSecrets({ secret, appSecret, profile }));
	const [frame, ...otherFrames] = signedFrames(timestamp, eventId);
	if (key === undefined || frame === undefined) return [];
	const sign = ({ value: { prefix, suffix } }: typeof frame, { value }: typeof key): string =>
		`v1=${toHex(value.sign(prefix, utf8(usual.body), suffix))}`;
	const describe = ({ mistakes }: Pick<typeof key, "mistakes">): string => mistakes[0]?.message ?? "";
	const milliseconds = `${timestamp}000`;
	return [
		{
			mistake: "It verifies JSON that it writes again.",
			outgoing: await scene.sign({ write: JSON.stringify }),
		},
		{
			mistake: "It verifies JSON that it writes again, with a space after each colon and comma.",
			outgoing: await scene.sign({ write: writeSpaced }),
		},
		{
			mistake: "It verifies JSON that it writes again, with its keys in order.",
			outgoing: await scene.sign({ write: canonicalize }),
		},
		withSignature("Its signature has no `v1=`.", hex),
		withSignature("Its signature has `sha256=` instead of `v1=`.", `sha256=${hex}`),
		withSignature("Its signature is in base64.", `v1=${Buffer.from(hex, "hex").toString("base64")}`),
		withSignature(
			"Its timestamp is in milliseconds; the documented one is in seconds (section 6.1).",
			sign({ ...frame, value: { ...frame.value, prefix: utf8(`${milliseconds}.`) } }, key),
			{ [names.timestamp]: milliseconds },
		),
		...otherFrames.map((other) => withSignature(describe(other), sign(other, key))),
		...otherKeys.map((other) => withSignature(describe(other), sign(frame, other))),
	];
}

/** As Python writes it. */
function writeSpaced(payload: object): string {
	return JSON.stringify(payload, null, 1)
		.replace(/\n */g, " ")
		.replace(/([{[]) | ([}\]])/g, "$1$2");
}
