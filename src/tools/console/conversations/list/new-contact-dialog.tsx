import type { RefObject } from "preact";
import { NewContactForm } from "./new-contact-form.tsx";

/** Opens a conversation from the contact's side. */
export function NewContactDialog({ dialog }: { dialog: RefObject<HTMLDialogElement | null> }) {
	const close = (): void => dialog.current?.close();
	return (
		<dialog ref={dialog} class="dialog" aria-labelledby="new-contact-title">
			<h2 id="new-contact-title">Write as a new contact</h2>
			<NewContactForm onDone={close} onCancel={close} />
		</dialog>
	);
}
