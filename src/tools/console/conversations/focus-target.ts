/** What may have the focus until the bubble takes it: the link that was followed, or the body if that is gone. */
let holders: (Element | null)[] = [];

/** Moves the focus to the bubble of the message that the address names, once it is rendered. */
export function focusTarget(): void {
	holders = [document.activeElement, document.body];
	// A bubble that was the target before is not rendered again.
	requestAnimationFrame(() => takeFocus(document.querySelector(".is-target")));
}

/** Takes the focus for the target of a link that was followed, unless the focus has moved elsewhere since. */
export function takeFocus(bubble: HTMLElement | null): void {
	if (bubble === null) return;
	if (holders.includes(document.activeElement)) bubble.focus({ preventScroll: true });
	holders = [];
}
