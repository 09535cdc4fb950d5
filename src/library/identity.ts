/**
 * What copies of this package know each other's objects by. A process often has several: a framework that compiles a part
 * of the application apart, or dependencies that install a version each. A prototype, a private field and a `WeakMap` belong
 * to one copy, so an error has a brand and a client a registered symbol, and both have the version that they hold for.
 */

/** The versions that understand each other's objects: before 1.0 those of a minor version. A test holds it to package.json. */
export const VERSION = "messaging-gateway@0.1";

/**
 * The key of an error's brand, which is its version and the name of its class. It is on the prototype, so that nothing prints
 * it, and no symbol: bundlers keep a class with such a key even if nothing uses it.
 */
const BRAND = "~brand";

interface Branded {
	readonly [BRAND]?: string;
}

/**
 * Whether a value is an instance of a class of errors, of whatever copy: `instanceof` for our classes. A class without a
 * brand of its own, such as a user's subclass, is known by its prototype.
 */
export function isInstance({ prototype }: { readonly prototype: Branded }, value: unknown): boolean {
	const brand = prototype[BRAND];
	const inherited = parentOf(prototype)?.[BRAND];
	try {
		for (let at: Branded | null = Object(value); at; at = parentOf(at))
			if (brand === inherited ? at === prototype : at[BRAND] === brand) return true;
	} catch {
		// What others throw may throw when it is read: it is none of ours.
	}
	return false;
}

const parentOf: (value: object) => Branded | null = Object.getPrototypeOf;

/** Says of an error of another version that it is; `undefined` for any other value. */
export function describeForeignError(error: unknown): string | undefined {
	try {
		const { [BRAND]: brand }: { [BRAND]?: unknown } = Object(error);
		const isForeign = typeof brand === "string" && !brand.startsWith(`${VERSION} `);
		return isForeign ? describeVersions("its error", brand) : undefined;
	} catch {
		return undefined;
	}
}

/** Says what to do about two versions. */
export function describeVersions(what: string, version: string): string {
	return `${what} is of ${version}, and this code of ${VERSION}: install one version`;
}
