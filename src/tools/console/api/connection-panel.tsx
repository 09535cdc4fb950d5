import { useState } from "preact/hooks";
import { TextField } from "../parts/fields.tsx";
import type { Connection } from "./call/prepare.ts";

interface ConnectionPanelProps {
	readonly connection: Connection;
	readonly isSecretMissing: boolean;
	readonly onChange: (connection: Connection) => void;
}

/** The gateway of the page, and the credentials. The secret stays in the page's memory. */
export function ConnectionPanel({ connection, isSecretMissing, onChange }: ConnectionPanelProps) {
	const { baseUrl, appId, appSecret } = connection;
	// Collapsed if the secret was filled in at the start; it must not collapse while the user types.
	const [startsFilled] = useState(appSecret !== "");
	return (
		<details class="panel fold" open={!startsFilled}>
			<summary>
				<h2>Connection</h2>{" "}
				<span class="summary-note">
					{appId} at {baseUrl}, {appSecret === "" ? "no secret yet" : "secret set"}
				</span>
			</summary>
			<div class="fold-fields">
				<p>
					Calls go to <code>{baseUrl}</code>, the gateway of this page; the page’s policy allows no other. The
					code below works anywhere.
				</p>
				<div class="field-row">
					<TextField
						label="App ID"
						value={appId}
						onInput={(value) => onChange({ ...connection, appId: value.trim() })}
					/>
					<TextField
						label="App Secret"
						value={appSecret}
						onInput={(value) => onChange({ ...connection, appSecret: value })}
						isSecret
						isInvalid={isSecretMissing}
						hint="The page signs with it, and never sends or stores it. The command prints it, and its link to this page fills it in."
					/>
				</div>
			</div>
		</details>
	);
}
