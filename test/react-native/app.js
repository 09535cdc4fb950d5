/** Puts in place what React Native's own code offers at start, apart from what is native, and runs the actions. */
globalThis.window = globalThis;
globalThis.self = globalThis;
globalThis.global = globalThis;

const { URL, URLSearchParams } = require("react-native/Libraries/Blob/URL");
const { AbortController } = require("react-native/src/private/webapis/dom/abort-api/AbortController");
const { AbortSignal_public } = require("react-native/src/private/webapis/dom/abort-api/AbortSignal");
Object.assign(globalThis, { URL, URLSearchParams, AbortController, AbortSignal: AbortSignal_public });
require("react-native/Libraries/Network/fetch");

if (globalThis.HAS_POLYFILLS) {
	require("react-native-get-random-values");
	require("text-encoding-polyfill");
}

require("./hosts/entries/at-start.ts");
