import { useEffect, useState } from "preact/hooks";

/** Loads a part of the page with the component that needs it: `undefined` until then, `null` after a failure. */
export function useModule<Module>(load: () => Promise<Module>): Module | null | undefined {
	const [module, setModule] = useState<Module | null>();
	useEffect(() => {
		load().then(setModule, () => setModule(null));
	}, [load]);
	return module;
}
