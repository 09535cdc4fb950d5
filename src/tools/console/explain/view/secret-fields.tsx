import { useId, useState } from "preact/hooks";
import { SecretInput } from "../../parts/secret-input.tsx";
import type { ExplainInput, NamedSecret } from "../input/explain-input.ts";

interface SecretFieldsProps {
	readonly input: ExplainInput;
	readonly onChange: (input: ExplainInput) => void;
}

/** The receiver's webhook secrets, and other secrets that the sender may have used by mistake. */
export function SecretFields({ input, onChange }: SecretFieldsProps) {
	const id = useId();
	const { secrets, appSecret, otherSecrets } = input;
	// Open at the start if it has content; then the user decides.
	const [startsOpen] = useState(appSecret !== "" || otherSecrets.length > 0);
	const setSecret = (at: number, secret: string): void =>
		onChange({ ...input, secrets: secrets.with(at, secret) });
	return (
		<>
			{secrets.map((secret, at) => {
				const name = secrets.length === 1 ? "Webhook secret" : `Webhook secret ${at + 1}`;
				return (
					// biome-ignore lint/suspicious/noArrayIndexKey: a secret is known by its place
					<div class="field" key={at}>
						<label class="field-label" for={`${id}-${at}`}>
							{name}
						</label>
						<SecretInput
							id={`${id}-${at}`}
							name={name}
							value={secret}
							onInput={(value) => setSecret(at, value)}
						/>
					</div>
				);
			})}
			<p class="hint">
				Paste it unchanged, including whitespace.{" "}
				<button type="button" class="link" onClick={() => onChange({ ...input, secrets: [...secrets, ""] })}>
					Add another, for a rotation
				</button>
			</p>
			<details class="fold" open={startsOpen}>
				<summary>Secrets that the sender may have used by mistake</summary>
				<div class="fold-fields">
					<div class="field">
						<label class="field-label" for={`${id}-app`}>
							App Secret
						</label>
						<SecretInput
							id={`${id}-app`}
							name="App Secret"
							value={appSecret}
							onInput={(value) => onChange({ ...input, appSecret: value })}
						/>
					</div>
					{otherSecrets.map((other, at) => (
						<OtherSecret
							// biome-ignore lint/suspicious/noArrayIndexKey: a secret is known by its place
							key={at}
							number={at + 1}
							other={other}
							onChange={(changed) => onChange({ ...input, otherSecrets: otherSecrets.with(at, changed) })}
						/>
					))}
					<button
						type="button"
						class="link start"
						onClick={() => onChange({ ...input, otherSecrets: [...otherSecrets, { name: "", secret: "" }] })}
					>
						Add a secret of another environment
					</button>
				</div>
			</details>
		</>
	);
}

interface OtherSecretProps {
	readonly number: number;
	readonly other: NamedSecret;
	readonly onChange: (other: NamedSecret) => void;
}

function OtherSecret({ number, other, onChange }: OtherSecretProps) {
	const id = useId();
	return (
		<div class="other-secret">
			<div class="field">
				<label class="field-label" for={`${id}-name`}>
					Name {number}
				</label>
				<input
					id={`${id}-name`}
					value={other.name}
					placeholder="staging"
					autoComplete="off"
					onInput={(event) => onChange({ ...other, name: event.currentTarget.value })}
				/>
			</div>
			<div class="field">
				<label class="field-label" for={`${id}-secret`}>
					Secret {number}
				</label>
				<SecretInput
					id={`${id}-secret`}
					name={`secret ${number}`}
					value={other.secret}
					onInput={(secret) => onChange({ ...other, secret })}
				/>
			</div>
		</div>
	);
}
