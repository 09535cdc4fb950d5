import { useRef } from "preact/hooks";
import type { Connection } from "../live-stream.ts";
import { useConsole } from "./console-context.ts";
import { useNow } from "./hooks/use-now.ts";
import { Icon } from "./icons.tsx";
import { AdvanceButtons } from "./panel/advance-buttons.tsx";
import type { ToolName } from "./panel/tools.ts";
import { ResetDialog } from "./reset-dialog.tsx";
import { describeOffset, formatTime, type GatewayClock } from "./state/clock.ts";
import type { GatewayState } from "./state/gateway-state.ts";

/** The connection, the gateway's time, active faults, and a missing webhook URL. */
export function StatusBar(props: {
	gateway: GatewayState;
	connection: Connection;
	onOpenTool: (tool: ToolName) => void;
	areToolsShown: boolean;
	onToolsShown: (areShown: boolean) => void;
}) {
	const { gateway, connection, onOpenTool, areToolsShown, onToolsShown } = props;
	const { faults, destinations } = gateway;
	const hasDestination = destinations.inboundWebhookUrl !== null || destinations.statusWebhookUrl !== null;
	return (
		<section class="status-bar" aria-label="Gateway">
			<ConnectionState connection={connection} />
			<GatewayTime clock={gateway.clock} />
			<AdvanceButtons />
			{faults.length > 0 && (
				<button type="button" class="chip warn" onClick={() => onOpenTool("faults")}>
					<Icon name="fault" />
					{faults.length === 1 ? "1 fault" : `${faults.length} faults`}
				</button>
			)}
			{!hasDestination && (
				<button type="button" class="chip" onClick={() => onOpenTool("webhooks")}>
					<Icon name="webhook" />
					No webhook URL
				</button>
			)}
			<ResetButton />
			<button
				type="button"
				class="quiet tools-button"
				aria-expanded={areToolsShown}
				onClick={() => onToolsShown(!areToolsShown)}
			>
				{areToolsShown ? "Hide tools" : "Show tools"}
			</button>
		</section>
	);
}

function ConnectionState({ connection }: { connection: Connection }) {
	const isLive = connection === "live";
	return (
		<span class={`connection ${isLive ? "good" : "warn"}`} role="status">
			<span class="connection-dot" aria-hidden="true" />
			{isLive ? "Live" : "Reconnecting…"}
		</span>
	);
}

function GatewayTime({ clock }: { clock: GatewayClock }) {
	const now = useNow(clock);
	const offset = describeOffset(clock.offsetMs);
	return (
		<span class="gateway-time">
			<span class="visually-hidden">Gateway time </span>
			<Icon name="clock" />
			<time dateTime={new Date(now).toISOString()}>{formatTime(now)}</time>
			{offset !== null && <span class="offset">{offset}</span>}
		</span>
	);
}

function ResetButton() {
	const dialog = useRef<HTMLDialogElement>(null);
	const { act } = useConsole();
	return (
		<>
			<button type="button" class="quiet reset-button" onClick={() => dialog.current?.showModal()}>
				<Icon name="redeliver" />
				<span>Reset…</span>
			</button>
			<ResetDialog dialog={dialog} onConfirm={() => void act({ type: "reset" }, "The gateway was reset.")} />
		</>
	);
}
