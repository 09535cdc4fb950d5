import type { ComponentChildren } from "preact";
import { CodeBlock } from "../../parts/code-block.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { type SigningSteps, stringToSignOf } from "../call/signing-steps.ts";
import { type HeaderList, HeaderTable, writeHeaders } from "./header-table.tsx";

interface SigningStepListProps {
	readonly steps: SigningSteps;
	readonly isSigned: boolean;
	/** The sent headers; `undefined` before sending. */
	readonly headers: HeaderList | undefined;
}

/** Canonical body, hash, string to sign and headers, in the order of signing. */
export function SigningStepList({ steps, isSigned, headers }: SigningStepListProps) {
	const { canonicalBody, bodyBytes, bodyHash } = steps;
	return (
		<ol class="steps">
			<Step
				number={1}
				title="Canonical body"
				about={bodyBytes === 1 ? "1 byte" : `${bodyBytes} bytes`}
				copy={canonicalBody}
			>
				{canonicalBody === undefined ? (
					<p class="muted">None. {isSigned && "The hash is that of the empty string."}</p>
				) : (
					<CodeBlock text={canonicalBody} language="json" />
				)}
			</Step>
			{isSigned && (
				<Step number={2} title="Body hash" about="SHA-256, in hex" copy={bodyHash}>
					<CodeBlock text={bodyHash} />
				</Step>
			)}
			{isSigned && (
				<Step
					number={3}
					title="String to sign"
					about="five lines, no newline at the end"
					copy={stringToSignOf(steps)}
				>
					<dl class="code-block pairs">
						{steps.lines.map(({ name, value }) => (
							<div key={name}>
								<dt>{name}</dt>
								<dd>
									{value === undefined ? (
										<em class="unknown-yet">new for each request</em>
									) : (
										<code>{value}</code>
									)}
								</dd>
							</div>
						))}
					</dl>
				</Step>
			)}
			<Step
				number={isSigned ? 4 : 2}
				title="Headers"
				about={isSigned ? "HMAC-SHA-256 of the string with the App Secret" : undefined}
				copy={headers === undefined ? undefined : writeHeaders(headers)}
			>
				{headers === undefined ? (
					<p class="muted">{isSigned ? "Created when the request is sent." : "No signed headers."}</p>
				) : (
					<HeaderTable headers={headers} />
				)}
			</Step>
		</ol>
	);
}

interface StepProps {
	readonly number: number;
	readonly title: string;
	readonly about?: string | undefined;
	/** The string that the step's button copies. */
	readonly copy: string | undefined;
	readonly children: ComponentChildren;
}

function Step({ number, title, about, copy, children }: StepProps) {
	return (
		<li>
			<span class="step-number" aria-hidden="true">
				{number}
			</span>
			<div class="step-head">
				<h3>
					{title} {about !== undefined && <span class="step-about">{about}</span>}
				</h3>
				{copy !== undefined && <CopyButton of={title.toLowerCase()} text={copy} />}
			</div>
			{children}
		</li>
	);
}
