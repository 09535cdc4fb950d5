import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useConsole } from "../console-context.ts";
import { Icon } from "../icons.tsx";
import { REACTION_PATHS } from "./reaction-paths.ts";
import { ReactionGlyph } from "./reactions.tsx";

/** The button and menu with which the contact reacts to a message. */
export function ReactionMenu({ from, messageGuid }: { from: string; messageGuid: string }) {
	const { act } = useConsole();
	const [isOpen, setIsOpen] = useState(false);
	const button = useRef<HTMLButtonElement>(null);
	const menu = useRef<HTMLDivElement>(null);
	const close = (): void => {
		setIsOpen(false);
		button.current?.focus();
	};
	useLayoutEffect(() => {
		if (isOpen) menu.current?.querySelector("button")?.focus();
	}, [isOpen]);
	return (
		<div
			class="reaction-picker"
			onFocusOut={({ currentTarget, relatedTarget }) => {
				if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setIsOpen(false);
			}}
		>
			<button
				ref={button}
				type="button"
				class="icon-button react-button"
				aria-label={`React as ${from}`}
				title={`React as ${from}`}
				aria-haspopup="menu"
				aria-expanded={isOpen}
				onClick={() => setIsOpen(!isOpen)}
			>
				<Icon name="react" />
			</button>
			{isOpen && (
				<div
					ref={menu}
					class="reaction-menu"
					role="menu"
					aria-label="Reactions"
					tabIndex={-1}
					onKeyDown={(event) => {
						if (event.key === "Escape") close();
						else moveFocus(event.currentTarget, event.key);
						if (event.key !== "Tab") event.stopPropagation();
					}}
				>
					{Array.from(REACTION_PATHS.keys(), (reaction) => (
						<button
							key={reaction}
							type="button"
							role="menuitem"
							tabIndex={-1}
							title={reaction}
							onClick={() => {
								close();
								void act({ type: "react", from, reaction, messageGuid });
							}}
						>
							<ReactionGlyph reaction={reaction} />
						</button>
					))}
				</div>
			)}
		</div>
	);
}

function moveFocus(menu: HTMLElement, key: string): void {
	const items = [...menu.querySelectorAll("button")];
	const focused = document.activeElement;
	const at = focused instanceof HTMLButtonElement ? items.indexOf(focused) : -1;
	const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
	const step = steps[key];
	if (step !== undefined) items.at((at + step) % items.length)?.focus();
}
