import fc from "fast-check";

/** Its fields are inherited: a copy of it has its own. */
class Instance {
	get a(): string {
		return "a";
	}
	get to(): string {
		return "+15551234567";
	}
}

/** Values at the edges of what schemas check. */
export const EDGES: readonly unknown[] = [
	...[
		"a",
		"",
		" a ",
		"x".repeat(513),
		"é".repeat(512),
		"\ud83c",
		"🎉",
		"🎉🎉",
		"🎉".repeat(32),
		"🎉".repeat(257),
	],
	...["+15551234567", "+1", "https://files.example/a", "http://", "ftp://files.example", "image/png"],
	...["AAAA", "AAA", "AA A", "A===", "add", "start", "love", "sent"],
	...[0, 1, -1, 1.5, 100, 101, 300_001, 2 ** 53, -(2 ** 53), Number.NaN, Number.POSITIVE_INFINITY],
	...[true, false, null, undefined, 1n, Symbol("s"), new Date(0), new Map(), new Instance(), new String("a")],
	...[new Array(1), new Array(33).fill("+15551234567"), [new Instance(), new Instance()]],
	...[Object.create(null), { length: 0 }, { length: 33 }],
];

/** Anything that untyped code or JSON could hold. */
export const anyValue: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
	any: fc.oneof(
		{ maxDepth: 4 },
		fc.constantFrom(...EDGES),
		fc.array(tie("any"), { maxLength: 3 }),
		fc.record({ a: tie("any"), b: tie("any") }, { requiredKeys: [] }),
		fc.dictionary(fc.constantFrom("a", "b", "c", "constructor", "__proto__"), tie("any"), { maxKeys: 3 }),
	),
})).any;

const change = fc.record({
	seed: fc.nat(),
	how: fc.constantFrom("set", "set", "remove", "add"),
	value: anyValue,
	name: fc.constantFrom("nope", "to", "groupId", "groupName", "text", "constructor", "__proto__"),
});

/** One of the samples with up to three changes, each at any place and depth. */
export function changedValue(samples: readonly unknown[]): fc.Arbitrary<unknown> {
	return fc
		.tuple(fc.constantFrom(...samples), fc.array(change, { maxLength: 3 }))
		.map(([sample, changes]) => {
			const root: Record<string, unknown> = { value: copyOf(sample) };
			for (const { seed, how, name, ...rest } of changes) {
				const value = copyOf(rest.value);
				const places = placesIn(root);
				const { holder, key } = places[seed % places.length] ?? { holder: root, key: "value" };
				const target = holder[key];
				if (how === "remove") delete holder[key];
				else if (how === "set" || !isContainer(target)) holder[key] = value;
				else if (Array.isArray(target)) target.push(value);
				else
					Object.defineProperty(target, name, {
						value,
						enumerable: true,
						writable: true,
						configurable: true,
					});
			}
			return root["value"];
		});
}

interface Place {
	readonly holder: Record<string, unknown>;
	readonly key: string;
}

function placesIn(holder: Record<string, unknown>): Place[] {
	return Object.keys(holder).flatMap((key) => {
		const inner = holder[key];
		return [{ holder, key }, ...(isContainer(inner) ? placesIn(inner) : [])];
	});
}

/** Whether changes may go into it: the instances above are shared. */
function isContainer(value: unknown): value is Record<string, unknown> {
	if (Array.isArray(value)) return true;
	return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** So that no change goes into a value that is used again. */
function copyOf(value: unknown): unknown {
	if (!isContainer(value)) return value;
	// `map` keeps holes, and `fromEntries` an own `__proto__`.
	if (Array.isArray(value)) return value.map(copyOf);
	return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyOf(member)]));
}
