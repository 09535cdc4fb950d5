import { useState } from "preact/hooks";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import type { FinishedCall } from "../call/make-call.ts";
import type { Preparation } from "../call/prepare.ts";
import { describeSigning, previewSigning } from "../call/signing-steps.ts";
import { writeHeaders } from "./header-table.tsx";
import { SignatureCheck } from "./signature-check.tsx";
import { SigningStepList } from "./signing-step-list.tsx";

interface SigningPanelProps {
	readonly isSigned: boolean;
	/** The request in the form; `undefined` if the form cannot be read. */
	readonly preparation: Preparation | undefined;
	readonly call: FinishedCall | undefined;
}

const VIEWS = [
	{ id: "next", title: "Next call" },
	{ id: "last", title: "Last call" },
] as const;

/** The steps of the signature, for the next call and for the last one. */
export function SigningPanel({ isSigned, preparation, call }: SigningPanelProps) {
	const hasSent = (call?.exchanges.length ?? 0) > 0;
	const [view, setView] = useState<"next" | "last">(hasSent ? "last" : "next");
	return (
		<section class="panel" aria-labelledby="signing-title">
			<h2 id="signing-title">{isSigned ? "How it is signed" : "What is sent"}</h2>
			{hasSent && call !== undefined ? (
				<Tabs label="Which call" tabs={VIEWS} selected={view} onSelect={setView}>
					{view === "last" ? (
						<LastCall call={call} isSigned={isSigned} />
					) : (
						<NextCall preparation={preparation} isSigned={isSigned} />
					)}
				</Tabs>
			) : (
				<NextCall preparation={preparation} isSigned={isSigned} />
			)}
		</section>
	);
}

function NextCall({ preparation, isSigned }: Pick<SigningPanelProps, "preparation" | "isSigned">) {
	if (preparation === undefined) return <p class="muted">Fill in the form to see it.</p>;
	if ("problem" in preparation) return <p class="problem">{preparation.problem}</p>;
	return <SigningStepList steps={previewSigning(preparation)} isSigned={isSigned} headers={undefined} />;
}

/** The request as sent; the last one if the client retried. */
function LastCall({ call, isSigned }: { call: FinishedCall; isSigned: boolean }) {
	const { exchanges, connection } = call;
	const last = exchanges.at(-1);
	if (last === undefined) return null;
	const { sent } = last;
	const others = exchanges.slice(0, -1);
	return (
		<>
			{others.length > 0 && (
				<p class="hint">
					The client signed this call {exchanges.length} times: after a 401 it used the time of the gateway’s{" "}
					<code>Date</code> header. This is the last request.
				</p>
			)}
			<SigningStepList steps={describeSigning(sent)} isSigned={isSigned} headers={[...sent.headers]} />
			{isSigned && <SignatureCheck sent={sent} appSecret={connection.appSecret} />}
			{others.map(({ sent: earlier, response }, at) => (
				<details class="fold" key={earlier.headers.get("X-Nonce")}>
					<summary>
						Request {at + 1}, {response === undefined ? "no response" : `response ${response.status}`}
					</summary>
					<CodeBlock title={`Headers of request ${at + 1}`} text={writeHeaders([...earlier.headers])} />
				</details>
			))}
		</>
	);
}
