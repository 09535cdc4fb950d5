import type { JSX } from "preact";
import { useState } from "preact/hooks";
import {
	chooseFault,
	type FaultKind,
	type FaultKinds,
	type FaultSetting,
} from "../../../local-gateway/fault-kinds.ts";
import { Choice, NumberInput } from "./inputs.tsx";

type Value = string | number;

/** A row for each kind of fault, with its settings and the button that adds it. */
export function FaultRows<Choice extends { kind: string }>(props: {
	kinds: FaultKinds<Choice>;
	onAdd: (fault: Choice, row: FaultKind) => void;
}) {
	const { kinds, onAdd } = props;
	return (
		<ul class="rows fault-rows">
			{Object.entries<FaultKind>(kinds).map(([kind, row]) => (
				<FaultRow key={kind} row={row} onAdd={(values) => onAdd(chooseFault(kinds, kind, values), row)} />
			))}
		</ul>
	);
}

function FaultRow({ row, onAdd }: { row: FaultKind; onAdd: (values: Record<string, Value>) => void }) {
	const settings = Object.entries<FaultSetting>(row.settings);
	const [values, setValues] = useState<Readonly<Record<string, Value>>>(() =>
		Object.fromEntries(settings.map(([name, setting]) => [name, startOf(setting)])),
	);
	const add = (): void => {
		// Where a setting may be absent, its start stands for that.
		const given = settings.filter(
			([name, setting]) => !isOptional(setting) || values[name] !== startOf(setting),
		);
		onAdd(Object.fromEntries(given.map(([name, setting]) => [name, values[name] ?? startOf(setting)])));
	};
	return (
		<li class="fault-row">
			<div class="fault-words">
				<strong>{row.title}</strong>
				<span class="muted">{row.summary}</span>
				{settings.length > 0 && (
					<span class="fault-settings">
						{settings.map(([name, setting]) => (
							<Setting
								key={name}
								setting={setting}
								value={values[name] ?? startOf(setting)}
								onValue={(value) => setValues({ ...values, [name]: value })}
							/>
						))}
					</span>
				)}
			</div>
			<button type="button" onClick={add}>
				Add <span class="visually-hidden">{row.title}</span>
			</button>
		</li>
	);
}

function startOf(setting: FaultSetting): Value {
	return "words" in setting ? (setting.words[0] ?? "") : setting.start;
}

function isOptional(setting: FaultSetting): boolean {
	return "option" in setting;
}

function Setting(props: {
	setting: FaultSetting;
	value: Value;
	onValue: (value: Value) => void;
}): JSX.Element {
	const { setting, value, onValue } = props;
	if ("words" in setting) {
		return <Choice label={setting.label} options={setting.words} value={String(value)} onValue={onValue} />;
	}
	const { label, minimum, unit, usual, perUnit = 1 } = setting;
	if (usual !== undefined) {
		return (
			<Choice
				label={label}
				options={usual.map(String)}
				value={String(value)}
				onValue={(chosen) => onValue(Number(chosen))}
			/>
		);
	}
	return (
		<NumberInput
			label={label}
			{...(unit === undefined ? {} : { unit })}
			min={minimum / perUnit}
			value={Number(value) / perUnit}
			onValue={(number) => onValue(number * perUnit)}
		/>
	);
}
