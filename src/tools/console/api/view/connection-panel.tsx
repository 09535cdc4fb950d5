import { useId, useState } from "preact/hooks";
import { SecretInput } from "../../parts/secret-input.tsx";
import type { Connection } from "../call/make-call.ts";

interface ConnectionPanelProps {
	readonly connection: Connection;
	/** Whether the secret is required and missing. */
	readonly isSecretMissing: boolean;
	readonly onChange: (connection: Connection) => void;
}

/** The gateway of the page, and the credentials. The secret stays in the page's memory. */
export function ConnectionPanel({ connection, isSecretMissing, onChange }: ConnectionPanelProps) {
	const { baseUrl, appId, appSecret } = connection;
	const id = useId();
	// Collapsed if the secret was filled in at the start; it must not collapse while the user types.
	const [startsFilled] = useState(appSecret !== "");
	return (
		<details class="panel fold" open={!startsFilled}>
			<summary>
				<h2 class="summary-title">Connection</h2>{" "}
				<span class="summary-note">
					{appId} at {baseUrl}, {appSecret === "" ? "no secret yet" : "secret set"}
				</span>
			</summary>
			<div class="fold-fields">
				<p>
					Calls go to <code>{baseUrl}</code>, the gateway of this page; the page’s policy allows no other. The
					code below works anywhere.
				</p>
				<div class="connection-fields">
					<div class="field">
						<label class="field-label" for={`${id}-app`}>
							App ID
						</label>
						<input
							id={`${id}-app`}
							value={appId}
							onInput={(event) => onChange({ ...connection, appId: event.currentTarget.value.trim() })}
							autoComplete="off"
							autoCapitalize="off"
							spellcheck={false}
						/>
					</div>
					<div class="field">
						<label class="field-label" for={`${id}-secret`}>
							App Secret
						</label>
						<SecretInput
							id={`${id}-secret`}
							name="App Secret"
							value={appSecret}
							onInput={(value) => onChange({ ...connection, appSecret: value })}
							describedBy={`${id}-hint`}
							isInvalid={isSecretMissing}
						/>
					</div>
				</div>
				<p id={`${id}-hint`} class="hint">
					The page signs with it, and never sends or stores it.{" "}
					{!startsFilled && "The command prints it, and its link to this page fills it in."}
				</p>
			</div>
		</details>
	);
}
