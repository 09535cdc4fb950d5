/** The components that the document refers to, and those that they refer to themselves. */
export function usedComponents<Component>(
	components: Readonly<Record<string, Component>>,
	document: unknown,
): Record<string, Component> {
	const used: Record<string, Component> = {};
	const open: unknown[] = [document];
	for (let part = open.pop(); part !== undefined; part = open.pop()) {
		for (const [, name = ""] of JSON.stringify(part).matchAll(/"\$ref":"#\/components\/\w+\/([^"]+)"/g)) {
			const component = components[name];
			if (component === undefined || Object.hasOwn(used, name)) continue;
			used[name] = component;
			open.push(component);
		}
	}
	return used;
}
