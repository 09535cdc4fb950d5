/** The part of React Native that a polyfill imports: all of it takes minutes to bundle. */
exports.TurboModuleRegistry = require("react-native/Libraries/TurboModule/TurboModuleRegistry");
