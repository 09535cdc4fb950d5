import { endPress, startPress } from "../../parts/press.ts";
import type { PacedChanges } from "../state/paced-changes.ts";

/** How long after the release of a pointer its click may come: that of a touch is an event of its own. */
const CLICK_MS = 50;

/** What ends a press beside its click. Some presses have no release: that of a menu, a drag, a scroll, or in a page that is left. */
const ENDS = ["pointerup", "pointercancel", "keyup", "contextmenu", "dragstart", "blur", "visibilitychange"];

/** Lets changes wait for what the user types and presses, until the signal is aborted. */
export function paceByInput(changes: PacedChanges, signal: AbortSignal): void {
	let releasing: ReturnType<typeof setTimeout>;
	const hold = (): void => {
		clearTimeout(releasing);
		startPress();
		changes.hold();
	};
	const release = ({ type }: Event): void => {
		clearTimeout(releasing);
		// After what handles the click.
		releasing = setTimeout(
			() => {
				endPress();
				changes.release();
			},
			type === "pointerup" ? CLICK_MS : 0,
		);
	};
	const onPointer = ({ button }: PointerEvent): void => {
		if (button === 0) hold();
	};
	const onKey = ({ key, repeat }: KeyboardEvent): void => {
		changes.typed();
		// A button is clicked when the space bar is released.
		if (key === " " && !repeat) hold();
		// A timer of a frame runs once the frame is rendered.
		requestAnimationFrame(() => setTimeout(() => changes.rendered()));
	};
	addEventListener("pointerdown", onPointer, { capture: true, signal });
	addEventListener("keydown", onKey, { capture: true, signal });
	// Not captured: that would include the blur of each element.
	for (const type of ["click", ...ENDS]) addEventListener(type, release, { signal });
}
