import { useEffect, useRef, useState } from "preact/hooks";
import type { Connection, FinishedCall } from "../call/make-call.ts";
import { prepare } from "../call/prepare.ts";
import type { ApiOperation } from "../document/api-document.ts";
import { createDraft, type Draft, EMPTY_DRAFT } from "../form/draft.ts";
import { createFormModel } from "../form/form-model.ts";
import { type RequestContent, readDraft } from "../form/read-draft.ts";
import { CallPanel } from "./call-panel.tsx";
import { CodePanel } from "./code-panel.tsx";
import { ConnectionPanel } from "./connection-panel.tsx";
import { findObstacle } from "./find-obstacle.ts";
import { OperationHeader } from "./operation-header.tsx";
import { RequestForm } from "./request-form.tsx";
import { ResponsesPanel } from "./responses-panel.tsx";
import { SendBar } from "./send-bar.tsx";
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
	const hasFields = model.fields.length > 0;
	const draft = props.draft ?? createDraft(operation, model);
	const reading = readDraft(operation, model, draft);
	const { content, problems } = reading;
	const preparation = content && prepare(operation, content, connection.baseUrl);
	const obstacle = findObstacle(operation, connection, reading, preparation);
	const isSecretMissing = hasTried && operation.isSigned && connection.appSecret === "";
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
		<div class="operation" ref={page} onKeyDown={onKeyDown}>
			<div class="operation-column">
				<OperationHeader operation={operation} />
				<ConnectionPanel
					connection={connection}
					isSecretMissing={isSecretMissing}
					onChange={props.onConnection}
				/>
				<section class="panel" aria-labelledby="request-title" onFocusIn={keepInView}>
					<h2 id="request-title">Request</h2>
					<RequestForm
						operation={operation}
						model={model}
						draft={draft}
						reading={reading}
						showsGaps={hasTried}
						onChange={props.onDraft}
					/>
					<SendBar
						obstacle={obstacle}
						hasTried={hasTried}
						violations={Object.keys(problems).length}
						isSending={isSending}
						call={call}
						onSend={send}
						onCancel={props.onCancel}
						onReset={hasFields ? () => props.onDraft(createDraft(operation, model)) : undefined}
						onClear={hasFields ? () => props.onDraft(EMPTY_DRAFT) : undefined}
					/>
				</section>
			</div>
			<div class="operation-column">
				<CallPanel operation={operation} call={call} isSending={isSending} />
				<SigningPanel
					key={call?.endedAt}
					isSigned={operation.isSigned}
					preparation={preparation}
					call={call}
				/>
				<CodePanel
					operation={operation}
					content={content}
					preparation={preparation}
					connection={connection}
				/>
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
