/** The oldest supported release, the same as `engines` in package.json. */
const OLDEST = { major: 22, minor: 13 };

/** The message for a Node release that is too old; `undefined` for a supported one. */
export function describeOldNode(version: string): string | undefined {
	const [major = 0, minor = 0] = version.split(".").map(Number);
	if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return undefined;
	return `messaging-gateway needs Node ${OLDEST.major}.${OLDEST.minor} or newer; this is ${version}`;
}
