import { useState } from "preact/hooks";

/** A switch that is on at first; this browser keeps the choice. */
export function useKeptSwitch(key: string): readonly [boolean, (isOn: boolean) => void] {
	const [isOn, setIsOn] = useState(() => localStorage.getItem(key) !== "off");
	const set = (value: boolean): void => {
		localStorage.setItem(key, value ? "on" : "off");
		setIsOn(value);
	};
	return [isOn, set];
}
