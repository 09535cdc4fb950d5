import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { copyText } from "../parts/copy-button.tsx";
import { useConsole } from "./console-context.ts";
import { Icon, type IconName } from "./icons.tsx";

/** A button with only an icon; the label is its accessible name and its tooltip. */
export function IconButton(props: { icon: IconName; label: string; onClick: () => void; class?: string }) {
	return (
		<button
			type="button"
			class={`icon-button ${props.class ?? ""}`}
			aria-label={props.label}
			title={props.label}
			onClick={props.onClick}
		>
			<Icon name={props.icon} />
		</button>
	);
}

/** One line of text; a tooltip has the end that may be cut. */
export function Cut(props: { text: string; class?: string }) {
	const { text } = props;
	return (
		<span class={`cut ${props.class ?? ""}`} title={text} dir="auto">
			{text}
		</span>
	);
}

/** How long a button says what came of its task. */
const SAID_MS = 1_600;

/** Runs a task and says for a moment, in a word, that it is done. Why it failed is a notice. */
export function useTask() {
	const { attempt } = useConsole();
	const [word, setWord] = useState<string>();
	useEffect(() => {
		if (word === undefined) return undefined;
		const timer = setTimeout(() => setWord(undefined), SAID_MS);
		return () => clearTimeout(timer);
	}, [word]);
	const run = async (task: () => Promise<unknown>, done: string): Promise<void> => {
		if (await attempt(task)) setWord(done);
	};
	return { word, run };
}

/** A button that says in the place of its label that its task is done. */
export function TaskButton(props: {
	task: () => Promise<unknown>;
	done: string;
	class?: string | undefined;
	children: ComponentChildren;
}) {
	const { word, run } = useTask();
	return (
		<button type="button" class={props.class} onClick={() => void run(props.task, props.done)}>
			<span aria-live="polite">{word}</span>
			{word === undefined && props.children}
		</button>
	);
}

/** A button that copies a source which is written on demand. */
export function CopySource(props: { label: string; class?: string; write: () => Promise<string> }) {
	const copy = async (): Promise<void> => {
		if (!(await copyText(await props.write())))
			throw new Error("The browser denies access to the clipboard.");
	};
	return (
		<TaskButton class={props.class} task={copy} done="Copied">
			{props.label}
		</TaskButton>
	);
}

/** What of an entry can be copied, in a menu. */
export function CopyMenu({ children }: { children: ComponentChildren }) {
	return (
		<Popover label="Copy" icon="code" text="Copy…">
			{() => <div class="rows copies">{children}</div>}
		</Popover>
	);
}

export function NumberInput(props: {
	label: string;
	unit?: string | undefined;
	value: number;
	min: number;
	isDisabled?: boolean;
	onValue: (value: number) => void;
}) {
	return (
		<span>
			<input
				type="number"
				inputMode="numeric"
				required
				aria-label={props.label}
				min={props.min}
				disabled={props.isDisabled}
				value={props.value}
				onInput={({ currentTarget: { valueAsNumber } }) => {
					if (Number.isFinite(valueAsNumber)) props.onValue(valueAsNumber);
				}}
			/>{" "}
			{props.unit}
		</span>
	);
}

export function Choice<Option extends string>(props: {
	label: string;
	options: readonly Option[];
	value: Option;
	onValue: (value: Option) => void;
}) {
	return (
		<select
			aria-label={props.label}
			value={props.value}
			onChange={({ currentTarget }) => {
				const chosen = props.options.find((option) => option === currentTarget.value);
				if (chosen !== undefined) props.onValue(chosen);
			}}
		>
			{props.options.map((option) => (
				<option key={option}>{option}</option>
			))}
		</select>
	);
}

/** A button that opens a panel beside it; Escape and a click elsewhere close it. */
export function Popover(props: {
	/** The accessible name of the panel, and of a button without words. */
	label: string;
	icon: IconName;
	text?: ComponentChildren;
	class?: string | undefined;
	tabIndex?: number;
	/** Renders the content while it is open. */
	children: (close: () => void) => ComponentChildren;
}) {
	const { label, icon, text, tabIndex, children } = props;
	const id = useId();
	const panel = useRef<HTMLDivElement>(null);
	const [isOpen, setIsOpen] = useState(false);
	return (
		<>
			<button
				type="button"
				class={props.class}
				tabIndex={tabIndex}
				popovertarget={id}
				aria-haspopup="dialog"
				aria-expanded={isOpen}
				aria-label={text === undefined ? label : undefined}
				title={text === undefined ? label : undefined}
			>
				<Icon name={icon} /> {text !== undefined && <span>{text}</span>}
			</button>
			<div
				ref={panel}
				id={id}
				popover="auto"
				role="dialog"
				aria-label={label}
				class="popover"
				onBeforeToggle={({ newState }) => setIsOpen(newState === "open")}
			>
				{isOpen && children(() => panel.current?.hidePopover())}
			</div>
		</>
	);
}

/** Shows a part of the page that is loaded when it is first needed. */
export function OnDemand<Part>(props: {
	load: () => Promise<Part>;
	children: (part: Part) => ComponentChildren;
}) {
	const { load, children } = props;
	const { attempt } = useConsole();
	const [part, setPart] = useState<Part>();
	// biome-ignore lint/correctness/useExhaustiveDependencies: it loads once
	useEffect(() => void attempt(async () => setPart(await load())), [attempt]);
	return part === undefined ? <p role="status">Loading…</p> : children(part);
}

/** Controls that are one tab stop; the arrow keys move between them. */
export function Toolbar(props: {
	label: string;
	class: string;
	isFocused?: boolean;
	children: ComponentChildren;
}) {
	const { label, isFocused = false, children } = props;
	const bar = useRef<HTMLDivElement>(null);
	useLayoutEffect(() => {
		const controls = controlsOf(bar.current);
		setStop(controls, controls.find(({ tabIndex }) => tabIndex === 0) ?? controls[0]);
	});
	useLayoutEffect(() => {
		if (isFocused) controlsOf(bar.current)[0]?.focus();
	}, [isFocused]);
	return (
		<div
			ref={bar}
			role="toolbar"
			aria-label={label}
			class={props.class}
			tabIndex={-1}
			onFocusIn={({ currentTarget, target }) => {
				const controls = controlsOf(currentTarget);
				const focused = controls.find((control) => control === target);
				if (focused !== undefined) setStop(controls, focused);
			}}
			onKeyDown={({ key, currentTarget, target }) => {
				const controls = controlsOf(currentTarget);
				const at = target instanceof HTMLElement ? controls.indexOf(target) : -1;
				const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
				if (at !== -1 && step !== undefined) controls.at((at + step) % controls.length)?.focus();
			}}
		>
			{children}
		</div>
	);
}

/** The controls of a bar; those of a panel that one of them opens have tab stops of their own. */
function controlsOf(bar: HTMLElement | null): HTMLElement[] {
	const all = bar?.querySelectorAll<HTMLElement>("button:not(:disabled)") ?? [];
	return [...all].filter((control) => control.closest("[popover]") === bar?.closest("[popover]"));
}

function setStop(controls: readonly HTMLElement[], stop: HTMLElement | undefined): void {
	for (const control of controls) control.tabIndex = control === stop ? 0 : -1;
}
