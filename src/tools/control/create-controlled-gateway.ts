import { type Clock, systemClock } from "../../library/runtime.ts";
import {
	type AdjustableClock,
	asAdjustable,
	createAdjustableClock,
} from "../local-gateway/adjustable-clock.ts";
import { createGatewayCore, type GatewayCore } from "../local-gateway/create-gateway-core.ts";
import type { LocalGateway } from "../local-gateway/local-gateway.ts";
import type { LocalGatewayOptions } from "../local-gateway/options.ts";
import { createControl, type GatewayControl } from "./create-control.ts";
import { ReceiverResponses } from "./receiver-responses.ts";
import { restoreState } from "./state/state.ts";
import { type StateFile, StateKeeper } from "./state/state-keeper.ts";

/** Options of {@link createControlledGateway}. */
export interface ControlledGatewayOptions extends LocalGatewayOptions {
	/**
	 * Whether the bytes of attachments are kept, up to 64 MB in all.
	 * @default true
	 */
	keepAttachments?: boolean | undefined;
	/**
	 * The clock of signatures. Other programs do not see that the gateway's clock was moved, and would reject a
	 * timestamp of the future.
	 * @default the system clock, or `clock` if given
	 */
	signatureClock?: Clock | undefined;
	/** Keeps the state across restarts; closed with the gateway. */
	state?: StateFile | undefined;
}

/** A gateway and its control. Closing the gateway writes the rest of its state. */
export interface ControlledGateway {
	readonly local: LocalGateway;
	readonly control: GatewayControl;
}

/**
 * Creates a gateway that can be watched and controlled from outside.
 * @throws ConfigurationError when an option is invalid, or the state is damaged.
 */
export function createControlledGateway(options: ControlledGatewayOptions = {}): ControlledGateway {
	const { keepAttachments = true, signatureClock, state, ...gatewayOptions } = options;
	const keeper = state === undefined ? undefined : new StateKeeper(state);
	const ownClock = createRestartableClock(keeper?.saved?.offsetMs ?? 0);
	const clock = watchMoves(gatewayOptions.clock ?? ownClock, () => {
		core.feed.changed({ type: "clock" });
	});
	const { appSecret = "", webhookSecret = "", apps = {} } = gatewayOptions;
	const responses = new ReceiverResponses([appSecret, webhookSecret, ...Object.values(apps)]);
	const core: GatewayCore = createGatewayCore(
		{ ...gatewayOptions, clock, nonceStore: gatewayOptions.nonceStore ?? keeper?.nonceStore },
		{
			supervision: {
				keepsAttachments: keepAttachments,
				checksDeliveries: true,
				keepsUndelivered: true,
				readResponse: (response, signal) => responses.read(response, signal),
				signatureClock: signatureClock ?? (gatewayOptions.clock === undefined ? systemClock : undefined),
			},
			restore: (world) => {
				if (keeper?.saved !== undefined) restoreState(world, keeper.saved);
			},
			onReset: () => ownClock.restart(),
		},
	);
	for (const { response } of keeper?.saved?.deliveries.flatMap(({ attempts }) => attempts) ?? []) {
		if (response !== undefined) responses.keep(response);
	}
	if (keeper !== undefined) {
		core.feed.subscribe(keeper);
		keeper.start(core.getWorld);
		core.onDispose(() => keeper.close());
	}
	return { local: core.local, control: createControl(core) };
}

/**
 * A clock that can start again at the machine's time. Time never runs backwards for a timer: those set before
 * stay with the time before.
 */
function createRestartableClock(offsetMs: number): AdjustableClock & { restart(): void } {
	let clock = createAdjustableClock({ startMs: systemClock.now() + offsetMs });
	return {
		now: () => clock.now(),
		setTimer: (callback, delayMs) => clock.setTimer(callback, delayMs),
		advance: (ms) => clock.advance(ms),
		restart() {
			clock = createAdjustableClock();
		},
	};
}

/** The same clock, with a callback after each move. */
function watchMoves(source: Clock, onMove: () => void): AdjustableClock {
	const clock = asAdjustable(source);
	return {
		now: () => clock.now(),
		setTimer: (callback, delayMs) => clock.setTimer(callback, delayMs),
		async advance(ms) {
			try {
				await clock.advance(ms);
			} finally {
				onMove();
			}
		},
	};
}
