import { useId, useState } from "preact/hooks";
import { SecretInput } from "../../parts/secret-input.tsx";
import type { Connection } from "../call/make-call.ts";

interface ConnectionPanelProps {
	readonly connection: Connection;
	/** Whether the secret is needed, and was not given. */
	readonly isSecretMissing: boolean;
	readonly onChange: (connection: Connection) => void;
}

/** Where calls go and who signs them. The secret stays in the memory of the page. */
export function ConnectionPanel({ connection, isSecretMissing, onChange }: ConnectionPanelProps) {
	const { baseUrl, appId, appSecret } = connection;
	const id = useId();
	// Out of the way once it was filled in, but not while one types.
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
				<div class="connection-fields">
					<div class="field field-wide">
						<label class="field-label" for={`${id}-url`}>
							Base URL
						</label>
						<input
							id={`${id}-url`}
							type="url"
							value={baseUrl}
							onInput={(event) => onChange({ ...connection, baseUrl: event.currentTarget.value.trim() })}
							autoComplete="off"
							spellcheck={false}
						/>
					</div>
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
					It signs in this page and is never sent or stored.{" "}
					{!startsFilled && "The command prints it, and its link to this page fills it in."}
				</p>
			</div>
		</details>
	);
}
