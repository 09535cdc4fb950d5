import { useEffect, useRef, useState } from "preact/hooks";
import { formatDuration } from "../parts/format-time.ts";
import { Prose } from "../parts/prose.tsx";
import type { FinishedCall } from "./call/make-call.ts";
import { type Connection, findObstacle, prepare } from "./call/prepare.ts";
import { CallPanel, ResponsesPanel, StatusBadge, showResponse } from "./call-panel.tsx";
import { CodePanel } from "./code-panel.tsx";
import { ConnectionPanel } from "./connection-panel.tsx";
import type { ApiOperation } from "./document/api-document.ts";
import type { Form } from "./field-input.tsx";
import { createDraft, type Draft, EMPTY_DRAFT, readDraft } from "./form/draft.ts";
import { createFormModel } from "./form/form-model.ts";
import type { RequestContent } from "./form/read-request.ts";
import { MethodBadge } from "./operation-list.tsx";
import { RequestForm } from "./request-form.tsx";
import { SigningPanel } from "./signing-panel.tsx";

interface OperationPageProps {
	readonly operation: ApiOperation;
	readonly connection: Connection;
	readonly onConnection: (connection: Connection) => void;
	/** What the user entered before; `undefined` if nothing. */
	readonly draft: Draft | undefined;
	readonly onDraft: (draft: Draft) => void;
	readonly call: FinishedCall | undefined;
	readonly isSending: boolean;
	readonly onSend: (content: RequestContent) => void;
	readonly onCancel: () => void;
	/** Whether to focus the heading, after following a link. */
	readonly takesFocus: boolean;
}

/** One operation: its description, a form to call it, the signature of the call, and the response. */
export function OperationPage(props: OperationPageProps) {
	const { operation, connection, call, isSending, takesFocus } = props;
	const page = useRef<HTMLDivElement>(null);
	const [hasTried, setHasTried] = useState(false);
	const model = createFormModel(operation);
	const draft = props.draft ?? createDraft(operation, model);
	const reading = readDraft(operation, model, draft);
	const { content } = reading;
	const form = { operation, model, draft, reading, showsGaps: hasTried, onChange: props.onDraft };
	const preparation = content && prepare(operation, content, connection.baseUrl);
	const obstacle = findObstacle(operation, connection, reading, preparation);
	const send = (): void => {
		setHasTried(true);
		if (obstacle === undefined && content !== undefined) props.onSend(content);
		// In the next frame, when the field is marked as invalid.
		else requestAnimationFrame(() => focusFirst(page.current, '[aria-invalid="true"]'));
	};
	const onKeyDown = (event: KeyboardEvent): void => {
		if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || isSending) return;
		event.preventDefault();
		send();
	};
	useEffect(() => {
		if (takesFocus) focusFirst(page.current, "h1");
	}, [takesFocus]);
	return (
		// biome-ignore lint/a11y/noStaticElementInteractions: a keyboard shortcut for the Send button in the whole form
		<div class="operation columns" ref={page} onKeyDown={onKeyDown}>
			<div class="column">
				<OperationHeader operation={operation} />
				<ConnectionPanel
					connection={connection}
					isSecretMissing={hasTried && operation.isSigned && connection.appSecret === ""}
					onChange={props.onConnection}
				/>
				<section class="panel" aria-labelledby="request-title" onFocusIn={keepInView}>
					<h2 id="request-title">Request</h2>
					<RequestForm form={form} />
					<SendBar
						form={form}
						obstacle={obstacle}
						isSending={isSending}
						call={call}
						onClick={isSending ? props.onCancel : send}
					/>
				</section>
			</div>
			<div class="column">
				<CallPanel operation={operation} call={call} isSending={isSending} />
				<SigningPanel
					key={call?.endedAt}
					isSigned={operation.isSigned}
					preparation={preparation}
					call={call}
				/>
				<CodePanel form={form} preparation={preparation} connection={connection} />
				<ResponsesPanel responses={operation.responses} />
			</div>
		</div>
	);
}

/** Keeps the focused element from being hidden behind the bar with the Send button. */
function keepInView({ target }: FocusEvent): void {
	if (target instanceof Element) target.scrollIntoView({ block: "nearest" });
}

function focusFirst(page: HTMLElement | null, selector: string): void {
	page?.querySelector<HTMLElement>(selector)?.focus();
}

function OperationHeader({ operation }: { operation: ApiOperation }) {
	const { id, method, path, summary, description, provenance, isSigned } = operation;
	const { isKnown, reason } = provenance;
	const section = /section ([\d.]*\d)/.exec(reason)?.[1];
	return (
		<header>
			<h1 tabIndex={-1}>{id}</h1>
			<p class="line">
				<MethodBadge method={method} /> <code>{path}</code>
				<span class={isKnown ? "badge badge-good" : "badge badge-warn"} title={reason}>
					{isKnown ? `known${section === undefined ? "" : ` (${section})`}` : "assumed"}
				</span>
				{!isSigned && <span class="badge">not signed</span>}
			</p>
			<p>
				<Prose text={summary} />
			</p>
			<p class="hint">
				<Prose text={description} />
			</p>
		</header>
	);
}

interface SendBarProps {
	readonly form: Form;
	/** Why the request cannot be sent; `undefined` if it can. */
	readonly obstacle: string | undefined;
	readonly isSending: boolean;
	/** The last call; its response may be out of sight. */
	readonly call: FinishedCall | undefined;
	readonly onClick: () => void;
}

/** The Send button, the status of the last call, and the reason why the form cannot be sent. */
function SendBar({ form, obstacle, isSending, call, onClick }: SendBarProps) {
	const { operation, model, reading, showsGaps, onChange } = form;
	return (
		<div class="send-bar line">
			<button
				type="button"
				class="primary"
				onClick={onClick}
				aria-describedby="send-note"
				aria-keyshortcuts="Control+Enter"
			>
				{isSending ? "Cancel" : "Send"}
			</button>
			<span class="keys" aria-hidden="true">
				Ctrl ↵
			</span>
			<p id="send-note" class={obstacle !== undefined && showsGaps ? "problem" : "hint"} role="status">
				{obstacle ?? describeViolations(Object.keys(reading.problems).length)}
			</p>
			<p class="hint" role="status">
				{isSending && "Sending…"}
				{!isSending && call !== undefined && (
					<>
						<StatusBadge call={call} /> in {formatDuration(call.durationMs)}{" "}
						<button type="button" class="link" onClick={showResponse}>
							Show the response
						</button>
					</>
				)}
			</p>
			{model.fields.length > 0 && (
				<span class="to-the-end">
					<button type="button" class="link" onClick={() => onChange(createDraft(operation, model))}>
						Example
					</button>
					<button type="button" class="link" onClick={() => onChange(EMPTY_DRAFT)}>
						Clear
					</button>
				</span>
			)}
		</div>
	);
}

function describeViolations(violations: number): string {
	if (violations === 0) return "";
	const fields = violations === 1 ? "One field does" : `${violations} fields do`;
	return `${fields} not match the document. You can send it and see how the gateway responds.`;
}
