import { useState } from "preact/hooks";
import { CodeBlock } from "../parts/code-block.tsx";
import { Pairs } from "../parts/pairs.tsx";
import { Tabs } from "../parts/tabs.tsx";
import type { FinishedCall, SentRequest } from "./call/make-call.ts";
import type { Preparation } from "./call/prepare.ts";
import { describeSigningSteps, isSignatureOf, stringToSignOf } from "./call/signing-steps.ts";

interface SigningPanelProps {
	readonly isSigned: boolean;
	/** The request in the form; `undefined` if the form cannot be read. */
	readonly preparation: Preparation | undefined;
	readonly call: FinishedCall | undefined;
}

const VIEWS = { next: "Next call", last: "Last call" } as const;

/** The steps of the signature, for the next call and for the last one. */
export function SigningPanel({ isSigned, preparation, call }: SigningPanelProps) {
	const hasSent = (call?.exchanges.length ?? 0) > 0;
	const [view, setView] = useState<keyof typeof VIEWS>(hasSent ? "last" : "next");
	const next =
		preparation === undefined ? (
			<p class="muted">Fill in the form to see it.</p>
		) : "problem" in preparation ? (
			<p class="problem">{preparation.problem}</p>
		) : (
			<SigningStepList request={preparation} isSigned={isSigned} />
		);
	return (
		<section class="panel" aria-labelledby="signing-title">
			<h2 id="signing-title">{isSigned ? "How it is signed" : "What is sent"}</h2>
			{hasSent && call !== undefined ? (
				<Tabs label="Which call" tabs={VIEWS} selected={view} onSelect={setView}>
					{view === "last" ? <LastCall call={call} isSigned={isSigned} /> : next}
				</Tabs>
			) : (
				next
			)}
		</section>
	);
}

/** The request as sent; the last one if the client retried. */
function LastCall({ call, isSigned }: { call: FinishedCall; isSigned: boolean }) {
	const { exchanges, connection } = call;
	const sent = exchanges.at(-1)?.sent;
	const others = exchanges.slice(0, -1);
	if (sent === undefined) return null;
	const isProven = isSigned && isSignatureOf(sent, connection.appSecret);
	return (
		<>
			{others.length > 0 && (
				<p class="hint">
					The client signed this call {exchanges.length} times: after a 401 it used the time of the gateway’s{" "}
					<code>Date</code> header. This is the last request.
				</p>
			)}
			<SigningStepList request={sent} isSigned={isSigned} />
			{isSigned && (
				<p class={isProven ? "good" : "bad"}>
					{isProven
						? "✓ The HMAC of this string with your secret is the signature that was sent."
						: "✗ The signature that was sent is different: this page and the client disagree."}
				</p>
			)}
			{others.map(({ sent: { headers }, response }, at) => (
				<details class="fold" key={headers["X-Nonce"]}>
					<summary>
						Request {at + 1}, {response === undefined ? "no response" : `response ${response.status}`}
					</summary>
					<CodeBlock title={`Headers of request ${at + 1}`} text={writeHeaders(headers)} />
				</details>
			))}
		</>
	);
}

interface SigningStepsProps {
	readonly request: SentRequest | Exclude<Preparation, { problem: string }>;
	readonly isSigned: boolean;
}

/** Canonical body, hash, string to sign and headers, in the order of signing. */
function SigningStepList({ request, isSigned }: SigningStepsProps) {
	const steps = describeSigningSteps(request);
	const { canonicalBody, bodyBytes, bodyHash } = steps;
	const headers = "headers" in request ? request.headers : undefined;
	const noBody = `None. ${isSigned ? "The hash is that of the empty string." : ""}`;
	const noHeaders = isSigned ? "Created when the request is sent." : "No signed headers.";
	return (
		<ol class="steps">
			<li>
				<CodeBlock
					title="Canonical body"
					about={bodyBytes === 1 ? "1 byte" : `${bodyBytes} bytes`}
					text={canonicalBody}
					language="json"
				>
					{canonicalBody === undefined ? <p class="muted">{noBody}</p> : undefined}
				</CodeBlock>
			</li>
			{isSigned && (
				<>
					<li>
						<CodeBlock title="Body hash" about="SHA-256, in hex" text={bodyHash} />
					</li>
					<li>
						<CodeBlock
							title="String to sign"
							about="five lines, no newline at the end"
							text={stringToSignOf(steps)}
						>
							<Pairs pairs={steps.lines} missing="new for each request" />
						</CodeBlock>
					</li>
				</>
			)}
			<li>
				<CodeBlock
					title="Headers"
					about={isSigned ? "HMAC-SHA-256 of the string with the App Secret" : ""}
					text={headers && writeHeaders(headers)}
				>
					{headers === undefined ? (
						<p class="muted">{noHeaders}</p>
					) : (
						<Pairs pairs={listHeaders(headers)} canCopy />
					)}
				</CodeBlock>
			</li>
		</ol>
	);
}

function listHeaders(headers: SentRequest["headers"]) {
	return Object.entries(headers).map(([name, value]) => ({ name, value }));
}

function writeHeaders(headers: SentRequest["headers"]): string {
	return listHeaders(headers)
		.map(({ name, value }) => `${name}: ${value}`)
		.join("\n");
}
