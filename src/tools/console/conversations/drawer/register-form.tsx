import { useState } from "preact/hooks";
import type { Action } from "../../../control/action.ts";
import { type Remedy, URL_TO_FILL_IN } from "../../../control/diagnosis/remedy.ts";
import { ActionForm, TextField } from "../../parts/fields.tsx";
import { useGateway } from "../console-context.ts";
import { CopySource } from "../controls.tsx";

/** Registers the URL that a person gives, and delivers there. */
export function RegisterForm(props: {
	remedy: Remedy;
	field: NonNullable<Remedy["asksFor"]>;
	perform: (actions: readonly Action[]) => Promise<void>;
}) {
	const { remedy, field, perform } = props;
	const { label, command = "", actions = [] } = remedy;
	const { destinations } = useGateway();
	const [url, setUrl] = useState(destinations[field] ?? "");
	const { inboundWebhookUrl, statusWebhookUrl } = destinations;
	// One URL for everything, or none yet, stays one.
	const isShared = inboundWebhookUrl === statusWebhookUrl;
	const urls = isShared ? { inboundWebhookUrl: url, statusWebhookUrl: url } : { [field]: url };
	const quoted = `'${url.replaceAll("'", "%27")}'`;
	const write = async (): Promise<string> =>
		url === "" ? command : command.replace(` ${URL_TO_FILL_IN} `, () => ` ${quoted} `);
	return (
		<ActionForm class="stack" onSubmit={() => void perform([{ type: "destinations", ...urls }, ...actions])}>
			<TextField
				label="Webhook URL"
				isUrl
				isRequired
				placeholder="http://localhost:3000/webhooks"
				value={url}
				onInput={(value) => setUrl(value.trim())}
			/>
			<div class="actions">
				<button type="submit">{label}</button>
				<CopySource label="As a command" of="The command" write={write} />
			</div>
		</ActionForm>
	);
}
