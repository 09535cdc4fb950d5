import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { OperationId } from "../../../../library/catalogue/index.ts";
import type { FaultTimes } from "../../../control/action.ts";
import {
	chooseFault,
	type FaultKind,
	type FaultKinds,
	type FaultSetting,
	REQUEST_FAULTS,
	WEBHOOK_FAULTS,
} from "../../../local-gateway/fault-kinds.ts";
import { Checkbox } from "../../parts/fields.tsx";
import { useConsole, useGateway } from "../console-context.ts";
import { Choice, NumberInput } from "../controls.tsx";
import { Icon } from "../icons.tsx";

const ANY = "any operation";

export function FaultsMenu() {
	const { act } = useConsole();
	const { faults: active, operationIds } = useGateway();
	const [operation, setOperation] = useState<OperationId | typeof ANY>(ANY);
	const filter = operation === ANY ? {} : { operationId: operation };
	return (
		<>
			<div class="setting actions">
				<h2>{active.length === 0 ? "No active faults" : "Active faults"}</h2>
				<button
					type="button"
					disabled={active.length === 0}
					onClick={() => void act({ type: "clear_faults" })}
				>
					Clear all
				</button>
			</div>
			<ul class="rows">
				{active.map((words) => (
					<li key={words}>
						<Icon name="fault" class="warn" /> {words}
					</li>
				))}
			</ul>
			<FaultForm
				noun="request"
				kinds={REQUEST_FAULTS}
				onAdd={(fault, { lasts }, times) =>
					void act({ type: "request_fault", fault, ...(lasts === "on" ? {} : { times, ...filter }) })
				}
			>
				<Choice label="Operation" options={[ANY, ...operationIds]} value={operation} onValue={setOperation} />
			</FaultForm>
			<FaultForm
				noun="webhook"
				kinds={WEBHOOK_FAULTS}
				onAdd={(fault, { lasts }, times) => {
					const howOften = lasts === "once" && times === "always" ? 1 : times;
					void act({ type: "webhook_fault", fault, times: howOften });
				}}
			/>
		</>
	);
}

type Value = string | number;

/** A choice of a kind of fault, with its settings and how often it occurs. */
function FaultForm<Fault extends { kind: string }>(props: {
	noun: string;
	kinds: FaultKinds<Fault>;
	onAdd: (fault: Fault, row: FaultKind, times: FaultTimes) => void;
	children?: ComponentChildren;
}) {
	const { noun, kinds, onAdd } = props;
	const rows = Object.entries<FaultKind>(kinds);
	const [title, setTitle] = useState(rows[0]?.[1].title ?? "");
	const [values, setValues] = useState<Readonly<Record<string, Value>>>({});
	const [times, setTimes] = useState<FaultTimes>(1);
	const chosen = rows.find(([, row]) => row.title === title);
	if (chosen === undefined) return null;
	const [kind, row] = chosen;
	const settings = Object.entries<FaultSetting>(row.settings).map(([name, setting]) => {
		const start = "words" in setting ? (setting.words[0] ?? "") : setting.start;
		return { name, setting, start, value: values[`${kind} ${name}`] ?? start };
	});
	const add = (): void => {
		// Where a setting may be absent, its start stands for that.
		const given = settings.filter(({ setting, start, value }) => !("option" in setting) || value !== start);
		onAdd(
			chooseFault(kinds, kind, Object.fromEntries(given.map(({ name, value }) => [name, value]))),
			row,
			times,
		);
	};
	return (
		<section>
			<h2>Add a fault of {noun}s</h2>
			<div class="actions">
				<Choice
					label={`Fault of ${noun}s`}
					options={rows.map(([, { title }]) => title)}
					value={title}
					onValue={setTitle}
				/>
				{settings.map(({ name, setting, value }) => (
					<Setting
						key={`${kind} ${name}`}
						setting={setting}
						value={value}
						onValue={(next) => setValues({ ...values, [`${kind} ${name}`]: next })}
					/>
				))}
			</div>
			<p class="muted">{row.summary}</p>
			<div class="actions">
				<NumberInput
					label={`Number of ${noun}s`}
					unit={times === 1 ? noun : `${noun}s`}
					min={1}
					value={times === "always" ? 1 : times}
					isDisabled={times === "always"}
					onValue={(value) => setTimes(Math.max(1, Math.floor(value)))}
				/>
				<Checkbox isOn={times === "always"} onChange={(isOn) => setTimes(isOn ? "always" : 1)}>
					Every {noun} until cleared
				</Checkbox>
				{props.children}
				<button type="button" onClick={add}>
					Add<span class="visually-hidden"> the fault of {noun}s</span>
				</button>
			</div>
		</section>
	);
}

function Setting(props: { setting: FaultSetting; value: Value; onValue: (value: Value) => void }) {
	const { setting, value, onValue } = props;
	const { label } = setting;
	if ("words" in setting) {
		return <Choice label={label} options={setting.words} value={String(value)} onValue={onValue} />;
	}
	const { minimum, unit, usual, perUnit = 1 } = setting;
	if (usual !== undefined) {
		const options = usual.map(String);
		const choose = (chosen: string): void => onValue(Number(chosen));
		return <Choice label={label} options={options} value={String(value)} onValue={choose} />;
	}
	return (
		<NumberInput
			label={label}
			unit={unit}
			min={minimum / perUnit}
			value={Number(value) / perUnit}
			onValue={(number) => onValue(number * perUnit)}
		/>
	);
}
