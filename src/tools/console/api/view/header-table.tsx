import { CopyButton } from "../../parts/copy-button.tsx";

/** Headers in order. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** The specification's spellings of header names, which `Headers` lower-cases. */
const SPELLINGS: Readonly<Record<string, string>> = {
	accept: "Accept",
	authorization: "Authorization",
	"content-type": "Content-Type",
	"x-app-id": "X-App-Id",
	"x-nonce": "X-Nonce",
	"x-timestamp": "X-Timestamp",
};

/** The headers of a request, each with a copy button. */
export function HeaderTable({ headers }: { headers: HeaderList }) {
	return (
		<dl class="code-block pairs">
			{headers.map(([name, value]) => (
				<div key={name}>
					<dt>{spell(name)}</dt>
					<dd>
						<code>{value}</code>
						<CopyButton of={spell(name)} text={value} />
					</dd>
				</div>
			))}
		</dl>
	);
}

/** Writes headers as lines of a request. */
export function writeHeaders(headers: HeaderList): string {
	return headers.map(([name, value]) => `${spell(name)}: ${value}`).join("\n");
}

function spell(name: string): string {
	return SPELLINGS[name] ?? name;
}
