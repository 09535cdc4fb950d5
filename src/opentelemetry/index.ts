export { traceCalls } from "./trace-calls.ts";
export { traceEvents } from "./trace-events.ts";
