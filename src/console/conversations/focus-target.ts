/** How many frames to wait for the bubble: its thread may have to be loaded first. */
const MAX_FRAMES = 120;

/** Moves the focus to the bubble of the message that the address names, once it is rendered. */
export function focusTarget(framesLeft = MAX_FRAMES): void {
	requestAnimationFrame(() => {
		const bubble = document.querySelector<HTMLElement>(".bubble-row.is-target");
		if (bubble !== null) bubble.focus({ preventScroll: true });
		else if (framesLeft > 0) focusTarget(framesLeft - 1);
	});
}
